import { synonymLines } from './synonyms.ts';
import { formsOf, wordsOf } from './terms.ts';

/** Phrase of stems -> terms that it finds, each with how well it matches the phrase. */
export type Thesaurus = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** How well a synonym matches a word, and how well one word of a phrase matches the phrase. */
const synonymWeight = 0.85;
const partWeight = 0.4;

/** Builds the thesaurus from the lists of synonyms. */
export function buildThesaurus(): Thesaurus {
  const table = new Map<string, Map<string, number>>();
  for (const line of synonymLines.trim().split('\n')) {
    const [left = [], right] = line.split('=>').map((side) => side.split(',').map(leadingForms));
    for (const phrase of left) {
      const key = phrase.join(' ');
      const found = table.get(key) ?? new Map<string, number>();
      table.set(key, found);
      for (const target of right ?? left) {
        const weight = target.length === 1 ? synonymWeight : partWeight;
        for (const term of target) found.set(term, Math.max(found.get(term) ?? 0, weight));
      }
    }
  }
  return table;
}

/** Returns the words of a phrase: identifiers whole, other words as stems. */
export function leadingForms(text: string): string[] {
  return wordsOf(text).map((word) => formsOf(word)[0] ?? word);
}
