import type { Passage } from '../index/passages.ts';
import type { SearchIndex } from '../index/search-index.ts';
import { isStopWord } from '../question/common-words.ts';
import type { Query } from '../question/query.ts';
import { formsOf, wordsOf } from '../question/terms.ts';

/** Returns how well the headings of sections match the question, 0 to 1: both must be about the same and little else. */
export function headingMatches(
  source: SearchIndex,
  candidates: readonly { passage: Passage }[],
  { concepts }: Query,
  total: number,
): Map<number, number> {
  const matches = new Map<number, number>();
  for (const { passage } of candidates) {
    if (matches.has(passage.section)) continue;
    const ways = headingForms(source, passage.section).map(({ forms, present }) => {
      let said = 0;
      for (const { terms, weight } of concepts) {
        let best = 0;
        for (const [term, fit] of terms) if (present.has(term)) best = Math.max(best, fit);
        said += weight * best;
      }
      const known = forms.filter((all) => concepts.some(({ terms }) => all.some((form) => terms.has(form)))).length;
      return forms.length === 0 ? 0 : (said / total) * (known / forms.length);
    });
    matches.set(passage.section, Math.max(...ways));
  }
  return matches;
}

interface HeadingForms {
  /** The forms of each word that is not a stop word. */
  forms: (readonly string[])[];
  present: Set<string>;
}
const headingCache = new WeakMap<SearchIndex, Map<number, HeadingForms[]>>();

/** The search forms of a section's heading and of its other wordings. */
function headingForms(source: SearchIndex, section: number): HeadingForms[] {
  const cache = headingCache.get(source) ?? new Map<number, HeadingForms[]>();
  headingCache.set(source, cache);
  const known = cache.get(section);
  if (known) return known;
  const { headings = [], asked = [] } = source.corpus.sections[section] ?? {};
  const found = [headings.at(-1) ?? '', ...asked].map((heading) => {
    const forms = wordsOf(heading)
      .filter((word) => !isStopWord(word))
      .map(formsOf);
    return { forms, present: new Set(forms.flat()) };
  });
  cache.set(section, found);
  return found;
}
