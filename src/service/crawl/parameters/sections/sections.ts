import type { Clause } from '../clauses.ts';
import type { Draft } from '../draft.ts';
import { type Token, type Tokens, tokenSource } from '../tokens.ts';
import { descriptive, isWellKnown, languageCode, type Phrase, phrasesOf, placesIn } from './section-names.ts';
import type { SiteSections } from './site-sections.ts';

/** The sections that the clauses of a sentence name, as patterns on the pathname. */
export class Sections {
  #site: SiteSections;
  #tokens: Tokens;
  /** Pattern -> the words it stands for. */
  #include = new Map<string, string>();
  #exclude = new Set<string>();
  /** Included only if others are: those that the sentence merely doesn't want to lose. */
  #kept = new Map<string, string>();
  /** Sections named by words such as `articles`, which count only if no other section is named. */
  #bare = new Set<string>();

  constructor(site: SiteSections, tokens: Tokens) {
    this.#site = site;
    this.#tokens = tokens;
  }

  /** Reads the sections in what is left of a clause. Returns the parts of it that name none. */
  read(clause: Clause, rest: string): string[] {
    const unknown: string[] = [];
    const tokens: Token[] = [];
    // Paths are alternatives: `PDFs from the archive` can't be expressed, and excluding either would exclude more.
    const narrowed = new RegExp(`${tokenSource}\\s+(?:from|in|under|below|within|inside|on|of)\\b`).exec(rest);
    const isNarrowed = this.#tokens.at(narrowed?.[1])?.kind === 'file-type';
    if (isNarrowed && !clause.wanted) return [rest.trim()];
    const words = rest.replace(
      new RegExp(
        `(\\b(?:pages?\\s+)?(?:whose\\s+|with\\s+)?(?:urls?|paths?|address(?:es)?|links?|pages?|anything|everything)\\s+(?:that\\s+)?(?:contain(?:s|ing)?|with|matching|having)\\s+)?(?:the\\s+words?\\s+)?${tokenSource}(\\s+in\\s+(?:the|their|its)\\s+(?:url|path|address)(?:es|s)?)?`,
        'gi',
      ),
      (whole, before: string | undefined, index: string, behind: string | undefined) => {
        const token = this.#tokens.at(index);
        if (token?.kind !== 'path' && token?.kind !== 'quoted' && token?.kind !== 'file-type') return whole;
        if (token.kind === 'quoted' && (before ?? behind) === undefined) {
          const { patterns } = this.#site.named(token.value, true);
          this.#add(clause, patterns);
        } else if (isNarrowed && token.kind === 'file-type') unknown.push(token.text);
        else tokens.push(token);
        return ' , ';
      },
    );
    const plain = words.replace(
      /\b(?:urls?|paths?|address(?:es)?|links?)\s+(?:that\s+)?(?:contain(?:s|ing)?|with|matching)\s+(?:the\s+words?\s+)?([\w-]{2,40})|\b([\w-]{2,40})\s+in\s+(?:the|their)\s+(?:url|path|address)(?:es|s)?/gi,
      (_, one: string | undefined, other: string | undefined) => {
        this.#add(clause, [escapeRegex(one ?? other ?? '')]);
        return ' , ';
      },
    );
    for (const token of tokens) this.#add(clause, [patternOf(token)]);
    const phrases = phrasesOf(plain);
    // `the jobs are irrelevant`: what is said of them isn't understood.
    const isPredicate =
      !clause.headed && phrases.some(({ text, words }) => words.length > 1 && /\b(?:is|are|was|were)\b/.test(text));
    if (isPredicate) return [rest.trim()];
    for (const phrase of phrases) unknown.push(...this.#readPhrase(clause, phrase));
    return unknown;
  }

  /** Sets the paths to include and exclude. Returns the parts of the sentence that these can't express together. */
  finish(draft: Draft): string[] {
    if (this.#include.size === 0) for (const pattern of this.#bare) this.#include.set(pattern, '');
    if (this.#include.size > 0) for (const [pattern, words] of this.#kept) this.#include.set(pattern, words);
    // What is named on both sides is an exception from something broader.
    for (const pattern of this.#exclude) this.#include.delete(pattern);
    const unknown: string[] = [];
    for (const [pattern, words] of this.#include) {
      const isExcluded = [...this.#exclude].some((other) => isBelow(pattern, other));
      if (isExcluded && this.#include.delete(pattern)) unknown.push(words);
    }
    if (this.#include.size > 0) draft.includePaths = [...this.#include.keys()];
    if (this.#exclude.size > 0) draft.excludePaths = [...this.#exclude];
    return unknown;
  }

  /** Returns the parts of a phrase that name no section. */
  #readPhrase(clause: Clause, phrase: Phrase): string[] {
    const { text, qualifier } = phrase;
    // To exclude a section because of a part of a phrase would exclude more than the phrase says.
    if (qualifier !== '' && !clause.wanted) return [`${text} ${qualifier}`.trim()];
    const isNamed = phrase.words.length === 0 || this.#readName(clause, phrase);
    return [...(isNamed ? [] : [text]), ...(qualifier === '' ? [] : [qualifier])];
  }

  #readName(clause: Clause, phrase: Phrase): boolean {
    if (phrase.isBare) {
      const { patterns } = this.#site.named(phrase.words.join(' '), isWellKnown(phrase.words));
      if (clause.wanted) for (const pattern of patterns) this.#bare.add(pattern);
      else this.#add(clause, patterns);
      return true;
    }
    const found = this.#patternsOf(phrase);
    if (found.complete) {
      this.#add(clause, found.patterns);
      return true;
    }
    const named = placesIn(phrase).map((part) => this.#patternsOf(part));
    const isKnown = named.length > 0 && named.every(({ complete }) => complete);
    if (isKnown || clause.wanted)
      this.#add(
        clause,
        [found, ...named].flatMap(({ patterns }) => patterns),
      );
    return isKnown;
  }

  #patternsOf({ words, all, isSection }: Phrase): { patterns: string[]; complete: boolean } {
    // A year alone says when a page was written.
    if (/^\d{4}$/.test(words.join(' ')) && !isSection) return { patterns: [], complete: false };
    const language = languageCode(words);
    if (language !== undefined) {
      const patterns = this.#site.named(language, this.#site.isUnknown).patterns;
      return { patterns, complete: patterns.length > 0 };
    }
    const exact = this.#site.named(all.join(' '), false);
    if (all.length > words.length && all.every((word) => exact.used.has(word)))
      return { patterns: exact.patterns, complete: true };
    const { patterns, used } = this.#site.named(words.join(' '), isSection || isWellKnown(words));
    return {
      patterns,
      complete: patterns.length > 0 && used.size > 0 && words.every((word) => used.has(word) || descriptive.has(word)),
    };
  }

  #add({ wanted, soft, head, text }: Clause, patterns: readonly string[]): void {
    for (const pattern of patterns) {
      if (!wanted) this.#exclude.add(pattern);
      else (soft ? this.#kept : this.#include).set(pattern, `${head} ${text}`);
    }
  }
}

/** Returns whether a pattern matches only paths below those of another: `^/blog/news(/|$)` and `^/blog(/|$)`. */
function isBelow(pattern: string, other: string): boolean {
  const end = '(/|$)';
  return other.startsWith('^') && other.endsWith(end) && pattern.startsWith(`${other.slice(0, -end.length)}/`);
}

function patternOf(token: Token): string {
  if (token.kind === 'path') return pathPattern(token.value);
  if (token.kind === 'file-type') return `\\.${escapeRegex(token.value)}$`;
  return token.kind === 'quoted' ? escapeRegex(token.value) : '';
}

/** Returns the pattern of a literal path, in which `*` stands for any part: matches the path and everything below it. */
export function pathPattern(path: string): string {
  const plain = path
    .replace(/^\/*/, '/')
    .replace(/(?:\/\*{1,2}|\/)+$/, '')
    .replace(/\*+$/, '*');
  const body = escapeRegex(plain)
    .replace(/\\\*\\\*/g, '.*')
    .replace(/\\\*/g, '[^/]*');
  return `^${body}(/|$)`;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
