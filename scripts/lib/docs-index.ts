import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { ownNames } from '../../src/service/assistants/docs-search/index/own-names.ts';
import { append, type Corpus, emptyCorpus } from '../../src/service/assistants/docs-search/index/passages.ts';
import {
  openIndex,
  type SearchIndex,
  storeIndex,
} from '../../src/service/assistants/docs-search/index/search-index.ts';
import { readPage, textFiles } from '../../src/service/assistants/docs-search/index/source-files.ts';

/** Texts for those who develop the product: their figures and names are no answers for those who use it. */
export const forDevelopers = new Set(['architecture.md', 'performance.md']);

/** Stores the index of a folder of reference texts, in a file or in memory; addresses are paths relative to the folder. */
export async function createReferenceIndex(folder: string, path = ':memory:'): Promise<SearchIndex> {
  const actual = realpathSync(folder);
  const { files } = await textFiles(actual);
  const forUsers = files.filter(({ name }) => !forDevelopers.has(name));
  const file = new DatabaseSync(path);
  const addressed = forUsers.map((one) => ({ path: one.path, address: one.name }));
  await storeIndex(file, await readCorpus(addressed), ownNames());
  return openIndex(file, ownNames());
}

/** Reads files of Markdown and reStructuredText. */
export async function readCorpus(files: readonly { path: string; address: string }[]): Promise<Corpus> {
  const corpus = emptyCorpus();
  for (const { path, address } of files)
    append(corpus, await readPage({ address, anchors: true }, await readFile(path, 'utf8')));
  return corpus;
}
