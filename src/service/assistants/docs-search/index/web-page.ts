import { decodeText } from '../../../platform/network/charset.ts';
import { convertPage } from '../../../web/scrape/convert/convert-page.ts';
import { addPage as addMarkdown } from './markdown.ts';
import type { Corpus, NewPage } from './passages.ts';

const options = {
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: false,
};

/** Adds the main content of a page of HTML to a corpus, as that of a page that was crawled: without anchors. */
export function addPage(corpus: Corpus, { address }: NewPage, bytes: Uint8Array): void {
  const { markdown = '', metadata } = convertPage(decodeText(bytes, undefined), { ...options, url: address });
  const title = [metadata.title ?? ''].flat()[0] || undefined;
  addMarkdown(corpus, { address, anchors: false, title }, markdown);
}
