import { hyphenatedWords } from './joined.ts';
import { isEnded, type Line, textOf } from './lines.ts';
import type { Part } from './page.ts';

/** What the lines of a document have in common. */
export type Style = ReturnType<typeof styleOf>;

/** A line that is this much larger than the body's text is a heading, unless it's long. */
const headingRatio = 1.15;
const maxHeadingLength = 200;
/** Distances of lines in font sizes: the least and the largest within a paragraph, and that of most documents. */
const leading = { least: 0.8, most: 2.6, usual: 1.3 };
/** A smaller distance that this share of the pairs of lines has is that within paragraphs. */
const shareOfPairs = 0.2;
/** Letters of one width are code if less than this share of the text has them, or, if they have so many signs that prose has not, less than most. */
const code = { share: 0.5, most: 0.9, sign: /[{}[\];=<>]+|(?<=\w)\(/g, signs: 0.02 };
/** Text that isn't of sentences counts this much less: that of headings does not make the body's size. */
const unfinished = 0.25;

export function styleOf(pages: readonly (readonly Part[])[]) {
  const lengths = new Map<number, number>();
  const gaps = new Map<number, Map<number, number>>();
  const count = (length: number, size: number) =>
    lengths.set(rounded(size), (lengths.get(rounded(size)) ?? 0) + length);
  let [fixed, all, signsOfFixed] = [0, 0, 0];
  const lines = pages.flat().flatMap((part) => (part.kind === 'lines' ? [part.lines] : []));
  for (const part of lines) {
    let length = 0;
    part.forEach((line, index) => {
      length += line.text.length;
      all += line.text.length;
      if (line.fixed) {
        fixed += line.text.length;
        signsOfFixed += line.text.match(code.sign)?.length ?? 0;
      }
      const next = part[index + 1];
      if (!next || rounded(next.size) !== rounded(line.size)) {
        count(isEnded(line.text) || line.text.endsWith(',') ? length : length * unfinished, line.size);
        length = 0;
        return;
      }
      const gap = line.y - next.y;
      if (gap < leading.least * line.size || gap > leading.most * line.size) return;
      const ofSize = gaps.get(rounded(line.size)) ?? new Map<number, number>();
      gaps.set(rounded(line.size), ofSize.set(rounded(gap), (ofSize.get(rounded(gap)) ?? 0) + 1));
    });
  }
  for (const part of pages.flat()) {
    if (part.kind === 'table') for (const cell of part.rows.flat()) count(textOf(cell).length * unfinished, part.size);
  }
  const body = largest(lengths) ?? 0;
  const sizes = [...lengths.keys()].filter((size) => size >= body * headingRatio).sort((one, other) => other - one);
  const mostFixed = signsOfFixed > code.signs * fixed ? code.most : code.share;
  const leadings = new Map(
    [...gaps].map(([size, found]) => {
      const most = Math.max(...found.values());
      return [size, Math.min(...[...found].filter(([, pairs]) => pairs >= shareOfPairs * most).map(([gap]) => gap))];
    }),
  );
  return {
    /** Returns the level of a line's heading; 0: none. */
    levelOf: ({ text, size }: Line): number =>
      text.length > maxHeadingLength ? 0 : Math.min(6, sizes.indexOf(rounded(size)) + 1),
    /** Returns the usual distance of two lines of a paragraph, in points. */
    leadingOf: (size: number): number => leadings.get(rounded(size)) ?? leading.usual * size,
    /** Whether a line is code: its letters are of one width, and those of other text aren't. */
    isCode: (line: Line): boolean => line.fixed && fixed < mostFixed * all,
    hyphenated: hyphenatedWords(lines.flat().map(({ text }) => text)),
  };
}

function largest(counts: ReadonlyMap<number, number>): number | undefined {
  let found: [number, number] | undefined;
  for (const entry of counts) if (!found || entry[1] > found[1]) found = entry;
  return found?.[0];
}

/** Sizes of the same font differ slightly within a file. */
function rounded(size: number): number {
  return Math.round(size * 2) / 2;
}
