import { ownNames } from '../../src/service/assistants/docs-search/index/own-names.ts';
import { buildIndex, storeIndex } from '../../src/service/assistants/docs-search/index/search-index.ts';
import { readCorpus, textFiles } from '../../src/service/assistants/docs-search/index/source-files.ts';

/** Texts for those who develop the product: their figures and names are no answers for those who use it. */
const forDevelopers = new Set(['architecture.md', 'performance.md']);

/** Builds the stored index of a folder of reference texts; addresses are paths relative to the folder. */
export async function createReferenceIndex(folder: string): Promise<string> {
  const { files } = await textFiles(folder);
  const forUsers = files.filter(({ name }) => !forDevelopers.has(name));
  const corpus = await readCorpus(forUsers.map(({ path, name }) => ({ path, address: name })));
  return storeIndex(await buildIndex(corpus, ownNames()));
}
