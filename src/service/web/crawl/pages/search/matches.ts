import { pageLimits } from '../../../../../contract/crawl/page-limits.ts';
import type { PageMatch } from '../../../../../contract/crawl/pages.ts';
import type { Term } from './query.ts';
import { fold, type Word, wordsOf } from './words.ts';

/** The lines of a text that match a query best. */
export interface Matches {
  matches: PageMatch[];
  moreMatches: boolean;
}

/** Longer texts are searched only as far as this. */
const maxText = 4 * 1024 * 1024;
/** Words of a line are compared only as far as this; more is data, not text. */
const maxLine = 20_000;

/** Finds the lines that contain a term. If there are many, those with the most terms are returned, in order. */
export function findMatches(text: string, terms: readonly Term[]): Matches {
  const found: { match: PageMatch; terms: number }[] = [];
  let line = 0;
  for (let start = 0; start <= text.length && start < maxText; ) {
    const end = text.indexOf('\n', start);
    const content = text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
    line++;
    const inLine = content.length > 0 ? matchLine(content.slice(0, maxLine), terms) : undefined;
    if (inLine) {
      const { first, count } = inLine;
      found.push({ match: { line, ...matchOf(content, first.start, first.end) }, terms: count });
    }
    if (end === -1) break;
    start = end + 1;
  }
  const best = found
    .toSorted((one, other) => other.terms - one.terms || one.match.line - other.match.line)
    .slice(0, pageLimits.matchesPerPage);
  return {
    matches: best.map(({ match }) => match).sort((one, other) => one.line - other.line),
    moreMatches: found.length > best.length,
  };
}

function matchLine(
  line: string,
  terms: readonly Term[],
): { first: Pick<Word, 'start' | 'end'>; count: number } | undefined {
  const folded = fold(line);
  const candidates = terms.filter(({ words }) => words.every((word) => folded.includes(word)));
  if (candidates.length === 0) return undefined;
  const words = wordsOf(line);
  const places = candidates.flatMap((term) => placeOf(words, term) ?? []);
  const [first] = places.toSorted((one, other) => one.start - other.start);
  return first && { first, count: places.length };
}

/** Returns the first place where the words of a term are adjacent. */
function placeOf(words: readonly Word[], term: Term): Pick<Word, 'start' | 'end'> | undefined {
  const lastIndex = term.words.length - 1;
  for (let index = 0; index + lastIndex < words.length; index++) {
    const matches = term.words.every((wanted, offset) => {
      const folded = words[index + offset]?.folded ?? '';
      return offset === lastIndex && term.prefix ? folded.startsWith(wanted) : folded === wanted;
    });
    const [first, last] = [words[index], words[index + lastIndex]];
    if (matches && first && last) return { start: first.start, end: last.end };
  }
  return undefined;
}

type Place = { column: number; length: number; text: string; textColumn: number };

/** Cuts a long line around the match. */
function matchOf(line: string, start: number, end: number): Place {
  const length = end - start;
  const common = { column: start + 1, length };
  if (line.length <= pageLimits.matchLine) return { ...common, text: line, textColumn: start + 1 };
  const before = Math.max(0, Math.floor((pageLimits.matchLine - length) / 3));
  const from = startOfCharacter(line, Math.max(0, Math.min(start - before, line.length - pageLimits.matchLine)));
  const to = startOfCharacter(line, from + pageLimits.matchLine);
  const lead = from > 0 ? '…' : '';
  const text = `${lead}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
  return { ...common, text, textColumn: start - from + lead.length + 1 };
}

/** Returns the index, or the one before it if it is inside a surrogate pair. */
function startOfCharacter(text: string, index: number): number {
  return /[\udc00-\udfff]/.test(text[index] ?? '') && index > 0 ? index - 1 : index;
}
