import type { Passage } from '../index/passages.ts';
import type { SearchIndex } from '../index/search-index.ts';
import { isStopWord } from '../question/common-words.ts';
import type { Query } from '../question/query.ts';
import { formsOf, wordsOf } from '../question/terms.ts';
import { askedWith } from '../question/wants.ts';

/** A heading that is a call asks nothing: it counts so much of one that does. */
const callHeading = /^(?:GET|POST|DELETE|PUT|PATCH) \//;
const callShare = 0.5;

/** How much the headings of sections ask what the question asks, 0 to 1: both must speak of the same and of little else. */
export function headingMatches(
  source: SearchIndex,
  candidates: readonly { passage: Passage }[],
  { concepts, wants: { asks } }: Query,
  total: number,
): Map<number, number> {
  const matches = new Map<number, number>();
  for (const { passage } of candidates) {
    if (matches.has(passage.section)) continue;
    const ways = headingForms(source, passage.section).map(({ heading, forms, present, asks: headingAsks }) => {
      let said = 0;
      for (const { terms, weight } of concepts) {
        let best = 0;
        for (const [term, fit] of terms) if (present.has(term)) best = Math.max(best, fit);
        said += weight * best;
      }
      const known = forms.filter((all) => concepts.some(({ terms }) => all.some((form) => terms.has(form)))).length;
      const isCall = callHeading.test(heading) ? callShare : 1;
      const same = asks !== '' && asks === headingAsks ? 1 : asks && headingAsks ? 0.75 : 0.9;
      return forms.length === 0 ? 0 : (said / total) * (known / forms.length) * same * isCall;
    });
    matches.set(passage.section, Math.max(...ways));
  }
  return matches;
}

interface HeadingForms {
  heading: string;
  /** The forms of each word that tells something. */
  forms: (readonly string[])[];
  present: Set<string>;
  /** The question word that it begins with. */
  asks: string;
}
const headingCache = new WeakMap<SearchIndex, Map<number, HeadingForms[]>>();

/** What a section's heading is found by, and each other way to ask it. */
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
    return { heading, forms, present: new Set(forms.flat()), asks: askedWith(heading) };
  });
  cache.set(section, found);
  return found;
}
