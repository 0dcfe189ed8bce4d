import { join } from 'node:path';
import otherNames from './other-names.json' with { type: 'json' };
import type { Corpus } from './passages.ts';
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
  addOtherNames(corpus, otherNames);
  return JSON.stringify(storeIndex(await buildIndex(corpus)));
}

/** What sections may also be called, by page and anchor. Throws where it names a section that does not exist. */
export function addOtherNames(corpus: Corpus, names: Record<string, Record<string, string[]>>): void {
  for (const [address, sections] of Object.entries(names)) {
    const page = corpus.pages.findIndex((each) => each.address === address);
    for (const [anchor, questions] of Object.entries(sections)) {
      const section = corpus.sections.find((each) => each.page === page && each.anchor === anchor);
      if (!section) throw new Error(`other-names.json: ${address} has no section #${anchor}`);
      section.asked = questions;
    }
  }
}
