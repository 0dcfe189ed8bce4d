import { join } from 'node:path';
import otherNames from './other-names.json' with { type: 'json' };
import type { Corpus } from './passages.ts';
import { buildIndex, storeIndex } from './search-index.ts';
import { markdownFiles, readCorpus } from './source-files.ts';

// In the built service `import.meta.dirname` is dist/, where the index is; when run from source, it is in dist/ too.
const dist = import.meta.dirname.endsWith(join('src', 'service', 'docs-search', 'index'))
  ? join(import.meta.dirname, '..', '..', '..', '..', 'dist')
  : import.meta.dirname;

/** Path of the index of the product's own texts. */
export const referenceIndexPath = join(dist, 'docs-index.json');

/** Builds the stored index of a folder of reference texts; addresses are paths relative to the folder. */
export async function createReferenceIndex(folder: string): Promise<string> {
  const corpus = await readCorpus(await markdownFiles(folder), { addressOf: ({ name }) => name });
  addOtherNames(corpus, otherNames);
  return JSON.stringify(storeIndex(await buildIndex(corpus)));
}

/** Adds other names of sections, by page and anchor. Throws when a section does not exist. */
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
