import { isUuid } from '../../ui/text.ts';

/** What the receiver takes from a delivery's body, to list it without reading it again. */
export interface ParsedDelivery {
  /** In lower case: the same id is the same delivery however it is written. */
  webhookId: string;
  type: string;
  jobId: string;
  success: boolean;
  error: string | undefined;
  /** Address of the first page in it. */
  pageUrl: string | undefined;
  pages: number;
  hasMarkdown: boolean;
}

const mostCharacters = 500;

/**
 * Reads a delivery (specification, "Events"): unknown kinds and fields are taken as they come, but without a kind and a
 * `webhookId` it is no delivery. Throws an Error that says what was expected.
 */
export function parseDelivery(body: Uint8Array): ParsedDelivery {
  const value = parseJson(body);
  if (!isObject(value)) throw new Error('Expected a JSON object.');
  const { webhookId, type, id, success, error, data } = value;
  if (typeof webhookId !== 'string' || !isUuid(webhookId)) throw new Error('webhookId: expected a UUID.');
  if (typeof type !== 'string' || type === '') throw new Error('type: expected the kind of the event.');
  const pages = Array.isArray(data) ? data : [];
  const [first] = pages;
  const metadata = isObject(first) && isObject(first.metadata) ? first.metadata : {};
  const pageUrl = [metadata.url, metadata.sourceURL].find((url) => typeof url === 'string');
  return {
    webhookId: webhookId.toLowerCase(),
    type: type.slice(0, mostCharacters),
    jobId: typeof id === 'string' ? id.slice(0, mostCharacters) : '',
    success: success !== false,
    error: typeof error === 'string' ? error.slice(0, mostCharacters) : undefined,
    pageUrl: typeof pageUrl === 'string' ? pageUrl.slice(0, 4 * mostCharacters) : undefined,
    pages: pages.length,
    hasMarkdown: pages.some((page) => isObject(page) && typeof page.markdown === 'string'),
  };
}

/** The pages of a delivery that have markdown. */
export function markdownPages(body: Uint8Array): { url: string; title: string; markdown: string }[] {
  const value = parseJson(body);
  const data = isObject(value) && Array.isArray(value.data) ? value.data : [];
  return data.flatMap((page: unknown) => {
    if (!isObject(page) || typeof page.markdown !== 'string') return [];
    const metadata = isObject(page.metadata) ? page.metadata : {};
    const text = (field: unknown) => (typeof field === 'string' ? field : '');
    return [
      { url: text(metadata.url) || text(metadata.sourceURL), title: text(metadata.title), markdown: page.markdown },
    ];
  });
}

/** Text of a body, without a byte order mark. Throws where it is not UTF-8. */
export function textOf(body: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(body);
}

function parseJson(body: Uint8Array): unknown {
  let text: string;
  try {
    text = textOf(body);
  } catch {
    throw new Error('The body is not UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The body is not JSON.');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
