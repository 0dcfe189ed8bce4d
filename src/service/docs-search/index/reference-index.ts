import { join } from 'node:path';
import { buildIndex, storeIndex } from './search-index.ts';
import { markdownFiles, readCorpus } from './source-files.ts';

// In the built service `import.meta.dirname` is dist/, where the index lies; from source it is built there as well.
const dist = import.meta.dirname.endsWith(join('src', 'service', 'docs-search', 'index'))
  ? join(import.meta.dirname, '..', '..', '..', '..', 'dist')
  : import.meta.dirname;

/** Where the index of the product's own texts lies. */
export const referenceIndexPath = join(dist, 'docs-index.json');

/** The index of a folder of reference texts, as it is stored; addresses are paths below the folder. */
export async function createReferenceIndex(folder: string): Promise<string> {
  const corpus = await readCorpus(await markdownFiles(folder), ({ name }) => name);
  return JSON.stringify(storeIndex(await buildIndex(corpus)));
}
