import { readAmounts } from './amounts.ts';
import { isContent, isHead, type Meaning, phraseAt, textOf, type Unit } from './phrases.ts';
import { nameLength, type Site } from './sections.ts';
import { numberOf, type Token, tokensOf } from './tokens.ts';

/** What stands between two stops, without words that say nothing, after what is said before its list. */
export interface Sentence {
  units: Unit[];
  isQuestion: boolean;
  /** Where its own words start. */
  from: number;
}

/**
 * Returns the sentences of a text. What a line says before a list counts for each line of it: if it ends in a colon, has no
 * bullet as those below it do, or names nothing.
 */
export function sentencesOf(text: string, site: Site): Sentence[] {
  const sentences: Sentence[] = [];
  const lines = [...text.matchAll(/^([^\S\n]*(?:[-*\u2022]|\d+[.)])\s+)?(.*)$/gm)];
  let label: Unit[] = [];
  for (const [index, { 1: bullet = '', 2: words = '', index: at }] of lines.entries()) {
    const [next, last] = [lines[index + 1], lines[index - 1]];
    if (words.trim() === '' || (bullet === '' && last?.[1])) label = [];
    let own: Unit[] = [];
    let before = label;
    const end = (isQuestion = false) => {
      const from = own[0]?.tokens[0]?.at ?? 0;
      if (own.length > 0) sentences.push({ units: readAmounts([...before, ...own]), isQuestion, from });
      [own, before] = [[], []];
    };
    for (const unit of unitsOf(tokensOf(words, site.host, at + bullet.length), site))
      if (unit.is === 'stop') end(textOf(unit).includes('?'));
      else if (unit.is !== 'f') own.push(unit);
    const isLead = (bullet === '' && next?.[1]) || !own.some(isContent) || /:\s*$/.test(words);
    const isBefore = isLead && own.length > 0 && next?.[2]?.trim() && (bullet === '' || next[1]);
    const isNamed = own.some(isContent);
    // `Only the docs` before `- max 100 pages` is a sentence of its own too.
    if (isBefore) label = isNamed ? [...own, { is: '/', values: [], tokens: [] }] : own.filter(isHead);
    if (isBefore) before = [];
    if (isNamed || !isBefore) end();
  }
  return sentences;
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[], site: Site): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; index += units.at(-1)?.tokens.length ?? 1) {
    const unit = unitAt(tokens.slice(index, index + 40), tokens[index - 1]?.text ?? '', site);
    // `skip the docs, dedupe` wants to dedupe.
    if (unit.flag === 'verb') units.push({ is: 'w', values: [], tokens: [] });
    units.push(unit);
  }
  return units;
}

/** Returns the unit that starts with these tokens. */
function unitAt(tokens: readonly Token[], before: string, site: Site): Unit {
  const [{ kind, text }] = tokens as [Token];
  const plain = (is: string, length = 1, value = 0) => ({ is, value, values: [], tokens: tokens.slice(0, length) });
  if (!/^(?:word|number|path|quoted|file)$/.test(kind)) return plain(kind);
  const { meaning, length = 0 } = phraseAt(tokens) ?? {};
  const number = numberOf(tokens);
  if (number && number.length >= length) return plain('1', number.length, number.value);
  if (kind !== 'word') return plain(kind === 'quoted' && nameLength(site, [text]) > 0 ? 'T' : 'L');
  const end = tokens.findIndex((token) => token.kind !== 'word' && token.kind !== 'number');
  const words = tokens.slice(0, end < 0 ? undefined : end).map((token) => token.text);
  const named = nameLength(site, words);
  if (!meaning || named > length || (length === 1 && isNoun(meaning, before, text)))
    return plain(named > 0 ? 'T' : 'N', named || 1);
  if (meaning.is !== 'U') return { ...meaning, tokens: tokens.slice(0, length) };
  const joint = /^(?:is|of|to|as|be|the|an?|for|named|called|string)$/;
  const name = tokens.findIndex((token, at) => at >= length && !joint.test(token.text));
  const isAgent = name >= 0 && (meaning.flag !== 'robot' || /bot|crawl|spider|\//.test(tokens[name]?.text ?? ''));
  return isAgent ? { ...meaning, tokens: tokens.slice(0, name + 1) } : plain('N', length);
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”. */
function isNoun({ is }: Meaning, before: string, word: string): boolean {
  const isPlural = is !== 'P' && /[^s]s$/.test(word) && !/^(?:yes|.*ions|as)$/.test(word);
  return 'wdP~'.includes(is) && (isPlural || /^(?:the|an?|its|their|our|your|this|these|that|my)$/.test(before));
}
