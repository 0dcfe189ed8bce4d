import { isObject } from '../../../contract/lenient-texts.ts';
import { isUuid } from '../../ui/text/text.ts';

/** The fields of a delivery's body that are stored separately, so that lists don't parse it again. */
export type ParsedDelivery = ReturnType<typeof parseDelivery>;

const maxCharacters = 500;

/**
 * Parses a delivery (specification, "Events"). Accepts unknown types and fields, but requires a type and a `webhookId`.
 * @throws Error with a message that says what was expected
 */
export function parseDelivery(body: Uint8Array) {
  const value = parseJson(body);
  if (!isObject(value)) throw new Error('Expected a JSON object.');
  const { webhookId, type, id, success, error, data } = value;
  if (typeof webhookId !== 'string' || !isUuid(webhookId)) throw new Error('webhookId: expected a UUID.');
  if (typeof type !== 'string' || type === '') throw new Error('type: expected the type of the event.');
  const pages = Array.isArray(data) ? data : [];
  const [first] = pages;
  const metadata = isObject(first) && isObject(first.metadata) ? first.metadata : {};
  const pageUrl = [metadata.url, metadata.sourceURL].find((url) => typeof url === 'string');
  return {
    /** In lower case, since UUIDs are case-insensitive. */
    webhookId: webhookId.toLowerCase(),
    type: type.slice(0, maxCharacters),
    jobId: typeof id === 'string' ? id.slice(0, maxCharacters) : '',
    success: success !== false,
    error: typeof error === 'string' ? error.slice(0, maxCharacters) : undefined,
    /** The URL of the first page. */
    pageUrl: typeof pageUrl === 'string' ? pageUrl.slice(0, 4 * maxCharacters) : undefined,
    pages: pages.length,
    hasMarkdown: pages.some((page) => isObject(page) && typeof page.markdown === 'string'),
  };
}

/** Returns the pages of a delivery that have markdown. */
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

/** Decodes a body and removes a byte order mark. Throws if it isn't UTF-8. */
export function textOf(body: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(body);
}

function parseJson(body: Uint8Array): unknown {
  let text: string;
  try {
    text = textOf(body);
  } catch {
    throw new Error("The body isn't valid UTF-8.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The body isn't valid JSON.");
  }
}
