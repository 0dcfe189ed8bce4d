import * as markdown from './markdown.ts';
import { type Corpus, emptyCorpus, mostPassages, type NewPage } from './passages.ts';

/** Reads a page: Markdown, or reStructuredText if it is a file that is named so. */
export async function readPage(page: NewPage, text: string): Promise<Corpus> {
  const isFile = page.anchors && /\.rst$/i.test(page.address);
  const { addPage } = isFile ? await import('./restructured-text.ts') : markdown;
  const corpus = emptyCorpus();
  addPage(corpus, page, text);
  return corpus;
}

/** Adds pages that were read to a corpus, as far as a source has room for their passages. */
export function append(corpus: Corpus, { pages, passages }: Corpus): void {
  const first = corpus.pages.length;
  corpus.pages.push(...pages);
  for (const passage of passages) {
    if (corpus.passages.length > mostPassages) break;
    corpus.passages.push({ ...passage, page: first + passage.page });
  }
}
