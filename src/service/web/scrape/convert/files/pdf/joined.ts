import { add, type Run, textOf } from './lines.ts';

/** Words that English writes with a hyphen before another word, and letters, at which no word is broken. */
const hyphenated = /(^|[^\p{L}\p{M}'’])(self|well|half|quasi|\p{L})-$/iu;
const softHyphen = '\u00ad';
/** Scripts that are written without spaces. */
const withoutSpaces = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]/;

/** Returns the words of a text that keep their hyphen at the end of a line, since the document writes them so elsewhere. */
export type HyphenatedWords = ReadonlySet<string>;

/** Joins a text and its next line: with a space, or the two parts of a word that was broken. */
export function joined(before: readonly Run[], after: readonly Run[], known?: HyphenatedWords): Run[] {
  const runs = before.map((run) => ({ ...run }));
  const last = runs.at(-1);
  const next = after[0];
  if (!last || !next) return [...runs, ...after.map((run) => ({ ...run }))];
  const between = separator(textOf(runs), textOf(after), known);
  if (between.cut) last.text = last.text.slice(0, -1);
  add(runs, { ...next, text: between.text + next.text });
  for (const run of after.slice(1)) add(runs, run);
  return runs;
}

function separator(text: string, next: string, known: HyphenatedWords | undefined): { cut: boolean; text: string } {
  if (text.endsWith(softHyphen)) return { cut: true, text: '' };
  if (/\p{N}[-\u2013]$/u.test(text) && /^\p{N}/u.test(next)) return { cut: false, text: '' };
  if (/\p{L}[-\u2010]$/u.test(text) && /^\p{L}/u.test(next)) {
    const [first = ''] = /[\p{L}\p{N}-]+$/u.exec(text) ?? [];
    const [second = ''] = /^[\p{L}\p{N}-]+/u.exec(next) ?? [];
    const keeps =
      /^\p{Lu}/u.test(next) ||
      hyphenated.test(text) ||
      first.slice(0, -1).includes('-') ||
      known?.has((first + second).toLowerCase()) === true;
    return { cut: !keeps, text: '' };
  }
  return { cut: false, text: withoutSpaces.test(text.at(-1) ?? '') && withoutSpaces.test(next[0] ?? '') ? '' : ' ' };
}

/** Returns the words with a hyphen within a line of a document. */
export function hyphenatedWords(texts: Iterable<string>): HyphenatedWords {
  const found = new Set<string>();
  for (const text of texts) for (const word of text.match(/\p{L}+(?:-\p{L}+)+/gu) ?? []) found.add(word.toLowerCase());
  return found;
}
