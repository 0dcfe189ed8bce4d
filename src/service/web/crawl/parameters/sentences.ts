import { readAmounts } from './amounts.ts';
import { groupsOf, isContent, isHead, lettersOf, type Meaning, phraseAt, textOf, type Unit } from './phrases.ts';
import { isOnlyRelated, isShown, kindOf, nameLength, relatedTo } from './sections.ts';
import { comparable, type Site } from './site.ts';
import { numberOf, type Token, tokensOf } from './tokens.ts';

/** What stands between two stops, without words that say nothing, after what is said before its list. */
export interface Sentence {
  units: Unit[];
  /** What is said of things that are wanted all the same: “the latest posts”. */
  asides: Unit[];
  isQuestion: boolean;
}

/**
 * Returns the sentences of a text. The heads of a line before a list count for each line of it: if it ends in a colon, has no
 * bullet as those below it do, or names nothing.
 */
export function sentencesOf(text: string, site: Site): Sentence[] {
  const lines = [...text.matchAll(/^([^\S\n]*(?:[-*\u2022]|\d+[.)])\s+)?(.*)$/gm)];
  let label: Unit[] = [];
  return lines.flatMap(({ 1: bullet = '', 2: words = '', index: at }, index) => {
    const next = lines[index + 1];
    if (words.trim() === '' || (bullet === '' && lines[index - 1]?.[1])) label = [];
    const read = unitsOf(tokensOf(words, site.host, at + bullet.length), site);
    const units = saying(
      groupsOf(read, isEnd).flatMap((group) => known(group, site)),
      label,
    );
    const isNamed = units.some(isContent);
    const isLead = (bullet === '' && next?.[1]) || !isNamed || units.at(-1)?.is === ':';
    const isLabel = isLead && units.length > 0 && next?.[2]?.trim() && (bullet === '' || next[1]);
    const before = isLabel ? [] : label;
    // What a line that isn't only a label says of those below it isn't known.
    const heads: Unit[] = isNamed ? [{ is: 'N', values: [], tokens: [] }] : units.filter(isHead);
    if (isLabel) label = heads.map((unit) => ({ ...unit, tokens: [] }));
    if (isLabel && !isNamed) return [];
    return groupsOf(units, ({ is }) => is === 'stop').flatMap((group) => {
      const [own, asides] = [group.filter(({ is }) => !/^(?:stop|q)$/.test(is)), group.filter(({ is }) => is === 'q')];
      const isQuestion = textOf(group.at(-1)).includes('?');
      return own.length + asides.length === 0 ? [] : [{ units: readAmounts([...before, ...own]), asides, isQuestion }];
    });
  });
}

const isEnd = ({ is }: Unit): boolean => is === 'stop' || '-,&|b'.includes(is);

/** Returns the units of a thing, of which those aren't known that only a section with a related name could be. */
function known(units: readonly Unit[], site: Site): Unit[] {
  const isMeant = (unit: Unit) => unit.is === 'T' && !isOnlyRelated(unit, site);
  // `the products in the shop` can be in the shop.
  const isIn = (unit: Unit) => units.some((other) => isMeant(other) && relatedTo(other) === relatedTo(unit));
  return units.map((unit, at) => {
    const isWhole = unit.is === 'T' && /^(?:whole|entire|full|complete)$/.test(textOf(units[at - 1]));
    if (isWhole && !isShown(unit, site)) return { ...unit, flag: 'whole' };
    return unit.is === 'T' && !isMeant(unit) && !isIn(unit) ? { ...unit, is: 'N', flag: 'related' } : unit;
  });
}

/**
 * Returns units without those that say nothing. What narrows or ends a denial isn't known: “skip the latest posts” and “the blog,
 * the latest posts” after it, “don't crawl the docs completely”, but “skip the docs completely”.
 * @param label what is said before their list
 */
function saying(all: readonly Unit[], label: readonly Unit[]): Unit[] {
  let said = lettersOf(label);
  return groupsOf(all, isEnd).flatMap((units) => {
    if (units.some(isHead)) said = lettersOf(units);
    const silent = said.includes('n') || !units.some(isContent) ? 'f' : 'fQ';
    const unknown = /[nadeD]/.test(said) ? /[qQ]/ : /Q/;
    return units.flatMap((unit, index) => {
      const isCount = textOf(unit) === 'first' && units[index + 1]?.is === '1';
      return isCount || silent.includes(unit.is) ? [] : unknown.test(unit.is) ? { ...unit, is: 'N' } : unit;
    });
  });
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[], site: Site): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; index += units.at(-1)?.tokens.length ?? 1) {
    const last = units.at(-1);
    let unit = unitAt(tokens.slice(index, index + 40), tokens[index - 1]?.text ?? '', site);
    // `the docs for version 2`, `posts by Ann`
    const kind = kindOf(unit, site) || textOf(unit);
    const isPlace = /^(?:for (?:version|language|\d+\..*)|by person)$/.test(`${textOf(last)} ${kind}`);
    if (last && isPlace) units.splice(-1, 1, { ...last, is: 'P' });
    // `wait 2 min`, but `each min 2 seconds`
    const isMinute = /^mins?$/.test(textOf(unit)) && !/^\d/.test(tokens[index + 1]?.text ?? '');
    if (last && '1p'.includes(last.is) && isMinute) unit = { ...unit, is: 'u', of: 'delay', values: [60] };
    // `2 requests / second`, but `docs / blog`
    if (last?.is === 'u' && textOf(unit) === '/') unit = { ...unit, is: 'p' };
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
  if (/^(?:path|quoted|file)$/.test(kind)) return plain('L');
  if (kind !== 'word' && kind !== 'number') return plain(kind);
  const { meaning, length = 0 } = phraseAt(tokens) ?? {};
  const number = numberOf(tokens);
  if (number && number.length >= length) return plain('1', number.length, number.value);
  const words = tokens.slice(0, 3).map((token) => (/^(?:word|number)$/.test(token.kind) ? token.text : ''));
  const named = nameLength(site, words);
  // `all listings` of a site with such a section; `no saved jobs`, which denies no jobs
  const isPast = meaning?.is === 'w' && /...ed$/.test(text) && nameLength(site, words.slice(1)) > 0;
  const isName = isPast || (named > 0 && meaning?.is === 'f' && isPlural(text));
  if (!meaning || named > length || (length === 1 && (isName || isNoun(meaning, before, text, tokens[1]?.kind))))
    return plain(named > 0 ? 'T' : 'N', named || 1);
  const isNow = /^[wd]$/.test(meaning.is) && text.endsWith('ing');
  const is = text === 'including' ? 'c' : isNow ? meaning.is.toUpperCase() : meaning.is;
  // `20 parts` counts those of the site.
  const isShown = is === 'S' && site.sections.has(comparable(text));
  return { ...meaning, is, ...(isShown && { flag: meaning.flag ?? 'shown' }), tokens: tokens.slice(0, length) };
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”, “team, about and contact”. */
function isNoun({ is }: Meaning, before: string, word: string, next: Token['kind'] = 'stop'): boolean {
  if (is === 'P' && !/^(?:word|number|path|quoted|file)$/.test(next)) return true;
  const isMany = is !== 'P' && isPlural(word);
  return 'wdP~'.includes(is) && (isMany || /^(?:the|an?|its|their|our|your|this|these|that|my)$/.test(before));
}

function isPlural(word: string): boolean {
  return /[^s]s$/.test(word) && !/^(?:yes|.*ions|as|its|this|thanks)$/.test(word);
}
