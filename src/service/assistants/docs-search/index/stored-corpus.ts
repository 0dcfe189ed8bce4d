import { open } from 'node:fs/promises';
import { type Corpus, emptyCorpus } from './passages.ts';

/** These take a few milliseconds. */
const itemsPerLine = 200;

/** Yields a corpus as lines of JSON, each of which is quick to write and to read. */
export function* linesOf(corpus: Corpus): Generator<string> {
  for (const [list, items] of Object.entries(corpus)) {
    for (let index = 0; index < items.length; index += itemsPerLine)
      yield `${JSON.stringify([list, items.slice(index, index + itemsPerLine)])}\n`;
  }
}

/** Reads a corpus from a file of such lines. */
export async function readLines(path: string): Promise<Corpus> {
  const corpus = emptyCorpus();
  const file = await open(path);
  try {
    for await (const line of file.readLines()) {
      const read = JSON.parse(line) as [keyof Corpus, never[]] | { corpus: Corpus };
      // Earlier versions stored the corpus with its index, on one line.
      if (!Array.isArray(read)) return read.corpus;
      const [list, items] = read;
      corpus[list].push(...items);
    }
  } finally {
    await file.close();
  }
  if (corpus.passages.length === 0) throw new Error('The file has no passages.');
  return corpus;
}
