import type { ScrapeDocument } from '../contract/scrape/scrape.ts';

/** The formats in which a document can be read. */
export const documentFormats = ['markdown', 'html', 'links', 'images'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** Writes a document: where it is from, then its content. All of it may be what a page says. */
export function documentForModel(document: ScrapeDocument, format: DocumentFormat): string {
  const { metadata, warning } = document;
  const content = document[format];
  const text = Array.isArray(content) ? content.join('\n') : (content ?? '');
  const head = [
    [metadata?.title, metadata?.url ?? metadata?.sourceURL].filter(Boolean).join(' · '),
    ...((metadata?.statusCode ?? 200) >= 400 ? [`HTTP status ${metadata?.statusCode}`] : []),
    ...(warning ? [`Warning: ${warning}`] : []),
  ].filter((line) => line !== '');
  if (text.trim() === '') head.push('(no content)');
  return [...head, text].join('\n').trim();
}
