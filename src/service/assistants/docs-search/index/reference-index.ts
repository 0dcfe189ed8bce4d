import { join } from 'node:path';
import { ownNames } from './own-names.ts';
import { buildIndex, storeIndex } from './search-index.ts';
import { readCorpus, textFiles } from './source-files.ts';

// In the built service `import.meta.dirname` is dist/, where the index is; when run from source, it is in dist/ too.
const dist = import.meta.dirname.endsWith(join('docs-search', 'index'))
  ? join(import.meta.dirname, '..', '..', '..', '..', '..', 'dist')
  : import.meta.dirname;

/** Path of the index of the product's own texts. */
export const referenceIndexPath = join(dist, 'docs-index.json');

/** Texts for those who develop the product: their figures and names are no answers for those who use it. */
const forDevelopers = new Set(['architecture.md', 'performance.md']);

/** Builds the stored index of a folder of reference texts; addresses are paths relative to the folder. */
export async function createReferenceIndex(folder: string): Promise<string> {
  const { files } = await textFiles(folder);
  const forUsers = files.filter(({ name }) => !forDevelopers.has(name));
  const corpus = await readCorpus(forUsers.map(({ path, name }) => ({ path, address: name })));
  return storeIndex(await buildIndex(corpus, ownNames()));
}
