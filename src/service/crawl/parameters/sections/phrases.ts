import { type Token, type Tokens, tokenSource } from '../tokens.ts';
import { fillers, generic, nouns, sectionWords } from './section-names.ts';

/** A part of a phrase that names one thing. */
export interface Part {
  text: string;
  /** The words that say which thing. */
  words: string[];
  /** These, and words such as `stories` and `directory`, which seldom do. */
  all: string[];
  /** Paths, quotations, file types and fragments of URLs. */
  tokens: Token[];
  /** Whether it is called a section, a folder or similar. */
  isSection: boolean;
  /** Whether it names only the content of sections, such as articles. */
  isBare: boolean;
  /** Whether it says nothing, as `all pages` does. */
  isEmpty: boolean;
}

/** One item of an enumeration: `API pages in the docs with code` names something, and narrows it twice. */
export interface Phrase extends Part {
  head: Part;
  /** What narrows the head, each from its preposition on. */
  modifiers: Part[];
}

/** Words that start a part of a phrase that narrows what precedes it. */
const prepositions =
  /\b(?=(?:in|under|below|beneath|within|inside|from|on|about|at|to|into|regarding|concerning|related to|with|for|since|after|before|published|posted|updated|written|created|modified|that|which|whose|who|where|by|as|using|between|during|older|newer|longer|shorter|larger|bigger|\w+er than|more than|less than|tagged|mentioning|every(?= (?:\d|day|hour|week|month|night|morning|time))|once|per|even|twice|daily|weekly|again|because|so that)\b)/i;
/** `about` alone is the name of a section. */
const aboutPages = /^\s*(?:the\s+)?about(?:\s+us)?(?:\s+(?:pages?|section))?\s*$/i;
/** A statement about something, such as `the forum can go`, unless it only says which thing is meant. */
const statement =
  /(?<=\S\s+)(?<!\b(?:that|which|who|what|whatever|where|there|it|this|these|those|they|i|we|you|u|please|pls|so|also|just|only|to)\s+)\b(?:is|are|was|were|can|could|should|would|will|may|might|must|does|do|has|have)\b/i;

/**
 * Splits an enumeration: `the blog, all guides and API pages` has three items. A statement about several of them, such as
 * `the blog and the news are old`, is one.
 */
export function itemsOf(text: string, isRequest: boolean): string[] {
  const items = text.split(
    /([,;[\]]|:(?=\s|$)|\s[&+/]\s|\b(?:and|or|plus|as\s+well\s+as|nor|along\s+with|together\s+with)\b)/i,
  );
  const isAboutAll = items.some(
    (item, index) => index > 0 && index % 2 === 0 && statement.test(item) && (!isRequest || items[index - 1] !== ','),
  );
  return (isAboutAll ? [text] : items.filter((_, index) => index % 2 === 0))
    .map((item) => item.trim())
    .filter((item) => /[\p{L}\p{N}\uE000]/u.test(item));
}

/** Returns the parts of an item; undefined if it is a statement rather than a name. */
export function phraseOf(text: string, tokens: Tokens): Phrase | undefined {
  const plain = text
    .replace(/\b(log|sign)[\s-](in|up|out)(?=\s+(?:pages?|forms?|screens?|sections?|areas?|urls?)\b)/gi, '$1$2')
    .replace(/\bgetting started\b/gi, 'getting-started');
  const [first = '', ...others] = aboutPages.test(plain) ? [plain] : plain.split(prepositions);
  const head = partOf(first, tokens);
  if (aboutPages.test(plain)) Object.assign(head, { words: ['about'], isEmpty: false });
  const modifiers = others.map((other) => partOf(other, tokens)).filter(({ isEmpty }) => !isEmpty);
  if (statement.test(plain) && !(head.isEmpty && modifiers.length === 0)) return undefined;
  const parts = [head, ...modifiers];
  return {
    ...head,
    text: plain.trim(),
    head,
    modifiers,
    words: parts.flatMap(({ words }) => words),
    all: parts.flatMap(({ all }) => all),
    tokens: parts.flatMap((part) => part.tokens),
    isEmpty: parts.every(({ isEmpty }) => isEmpty),
  };
}

function partOf(text: string, tokens: Tokens): Part {
  const marks = [...text.matchAll(new RegExp(tokenSource, 'g'))].map(([, index]) => tokens.at(index));
  const all = (text.replace(new RegExp(tokenSource, 'g'), ' ').match(/[\p{L}\p{N}][\p{L}\p{N}_'-]*/gu) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !fillers.has(word) && word.length > 1);
  const words = all.filter((word) => !generic.has(word));
  const specific = words.filter((word) => !nouns.has(word));
  const named = marks.filter((token) => token !== undefined);
  return {
    text: text.trim(),
    all,
    words: specific.length > 0 || named.length > 0 ? specific : words,
    tokens: named,
    isSection: sectionWords.test(text),
    isBare: specific.length === 0 && named.length === 0 && words.length > 0,
    isEmpty: words.length === 0 && named.length === 0,
  };
}
