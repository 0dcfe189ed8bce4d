import { isUuid } from '../ui/text/text.ts';

/** Returns the ID and URL of the scrape in a JSON record; undefined if the text isn't one. */
export function scrapeIdIn(text: string): { jobId: string; url: string | undefined } | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  const data = field(record, 'data') ?? record;
  const metadata = field(data, 'metadata');
  const id = field(metadata, 'scrapeId');
  if (typeof id !== 'string' || !isUuid(id)) return undefined;
  const url = field(metadata, 'sourceURL') ?? field(metadata, 'url');
  return { jobId: id, url: typeof url === 'string' ? url : undefined };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
