/** A word of a text, and where it is. */
export interface Word {
  /** Lowercase, without accents. */
  folded: string;
  start: number;
  end: number;
}

/** Scripts that are written without spaces: each character counts as a word. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`;
const wordPattern = new RegExp(String.raw`[${unspaced}]\p{M}*|(?:(?![${unspaced}])[\p{L}\p{N}\p{Co}\p{M}])+`, 'gu');
const hasUnspaced = new RegExp(`[${unspaced}]`, 'u');
const eachUnspaced = new RegExp(String.raw`[${unspaced}]\p{M}*`, 'gu');

/** Returns the words of a text, as the search index has them. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    folded: fold(word),
    start: index,
    end: index + word.length,
  }));
}

/** Returns a text without accents that no script stacks: to put very many of one letter into order takes the square of their number. */
export function withFewAccents(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, '$1');
}

/** Returns a text in lowercase and without accents. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return /[^\0-\x7f]/.test(lower) ? withFewAccents(lower).normalize('NFD').replace(/\p{M}/gu, '') : lower;
}

/** Prepares a text for the index, which splits words only at spaces and punctuation. */
export function forIndex(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  const composed = withFewAccents(text).normalize('NFD').replace(/\p{M}/gu, '');
  return hasUnspaced.test(composed) ? composed.replace(eachUnspaced, ' $& ') : composed;
}
