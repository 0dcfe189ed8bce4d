import type { Clause } from '../clauses/clauses.ts';
import type { Draft } from '../draft.ts';
import { type Token, type Tokens, tokenSource } from '../tokens.ts';
import { type Part, type Phrase, phraseOf } from './phrases.ts';
import { descriptive, isWellKnown, languageCode } from './section-names.ts';
import type { SiteSections } from './site-sections.ts';

/** What a section that is included stands for in the sentence. */
interface Named {
  clause: Clause;
  item: string;
}

/** The sections that the clauses of a sentence name, as patterns on the pathname. */
export class Sections {
  #site: SiteSections;
  #tokens: Tokens;
  #include = new Map<string, Named>();
  #exclude = new Set<string>();
  /** Included only if others are: those that the sentence merely doesn't want to lose. */
  #kept = new Map<string, Named>();
  /** Sections named by words such as `articles`, which count only if no other section is named. */
  #bare = new Map<string, Named>();

  constructor(site: SiteSections, tokens: Tokens) {
    this.#site = site;
    this.#tokens = tokens;
  }

  /** Reads the sections in an item of a clause. Returns the parts of it that name none; then it sets nothing, or less than it says. */
  read(clause: Clause, item: string): string[] {
    const phrase = phraseOf(this.#withFragments(item), this.#tokens);
    if (!phrase) return [item];
    if (phrase.isEmpty) return [];
    const { patterns, unknown } = this.#resolve(phrase, clause);
    // To exclude a section because of a part of a phrase would exclude more than the phrase says.
    if (patterns.length === 0 || (unknown.length > 0 && !clause.wanted)) return [item];
    const isBare = phrase.head.isBare && (phrase.modifiers.length === 0 || unknown.length > 0);
    this.#add(clause, item, patterns, isBare);
    return unknown;
  }

  /** Sets the paths to include and exclude. Returns the parts of the sentence that these can't express together. */
  finish(draft: Draft): string[] {
    const unknown: string[] = [];
    if (this.#include.size === 0) for (const entry of this.#bare) this.#include.set(...entry);
    const exceptions = new Map<string, string[]>();
    for (const [pattern, named] of this.#kept) {
      const above = [...this.#exclude].filter((other) => isBelow(pattern, other));
      if (this.#exclude.has(pattern)) unknown.push(`${named.clause.head} ${named.item}`);
      else if (above.length > 0)
        for (const other of above) exceptions.set(other, [...(exceptions.get(other) ?? []), pattern]);
      else if (this.#include.size > 0) this.#include.set(pattern, named);
    }
    // What is named on both sides is an exception from something broader.
    for (const pattern of this.#exclude) this.#include.delete(pattern);
    for (const [pattern, { clause, item }] of this.#include) {
      const above = [...this.#exclude].filter((other) => isBelow(pattern, other));
      // `only /docs/api, not the docs`: what isn't included needs no exclusion.
      if (clause.only) for (const other of above) this.#exclude.delete(other);
      else if (above.length > 0 && this.#include.delete(pattern)) unknown.push(`${clause.head} ${item}`);
    }
    if (this.#include.size > 0) draft.includePaths = [...this.#include.keys()];
    if (this.#exclude.size > 0)
      draft.excludePaths = [...this.#exclude].map((pattern) => without(pattern, exceptions.get(pattern) ?? []));
    return unknown;
  }

  /** Replaces descriptions of URLs by tokens: `pages with "draft" in the URL`. */
  #withFragments(item: string): string {
    const fragment = (written: string, value: string) =>
      this.#tokens.add({ kind: 'fragment', value, text: written.trim() });
    return item
      .replace(
        new RegExp(
          `(?:\\b(?:pages?\\s+)?(?:whose\\s+|with\\s+)?(?:(?:urls?|paths?|address(?:es)?|links?|pages?|anything|everything)\\s+)?(?:that\\s+)?(?:contain(?:s|ing)?|with|matching|having|end(?:s|ing)?\\s+(?:in|with))\\s+)(?:the\\s+words?\\s+)?${tokenSource}(?:\\s+in\\s+(?:the|their|its)\\s+(?:url|path|address)(?:es|s)?)?|${tokenSource}\\s+in\\s+(?:the|their|its)\\s+(?:url|path|address)(?:es|s)?`,
          'gi',
        ),
        (whole, one: string | undefined, other: string | undefined) => {
          const token = this.#tokens.at(one ?? other);
          if (token?.kind === 'quoted') return fragment(whole, token.value);
          return token?.kind === 'file-type' ? this.#tokens.add(token) : whole;
        },
      )
      .replace(
        /\b(?:urls?|paths?|address(?:es)?|links?)\s+(?:that\s+)?(?:contain(?:s|ing)?|matching)\s+(?:the\s+words?\s+)?([\w-]{2,40})|\b([\w-]{2,40})\s+in\s+(?:the|their)\s+(?:url|path|address)(?:es|s)?/gi,
        (whole, one: string | undefined, other: string | undefined) => fragment(whole, one ?? other ?? ''),
      );
  }

  /** Returns what a phrase names, and what of it narrows that in a way that no pattern expresses. */
  #resolve(phrase: Phrase, clause: Clause): { patterns: string[]; unknown: string[] } {
    const { head, modifiers } = phrase;
    if (modifiers.length > 0 && phrase.tokens.length === 0) {
      const patterns = this.#site.named(phrase.words);
      if (patterns) return { patterns, unknown: [] };
    }
    let patterns = head.isEmpty ? undefined : this.#patternsOf(head, clause);
    const unknown = new Set<Part>();
    if (!head.isEmpty && !head.isBare && !patterns) {
      // `extract the prices from the product pages`
      if (!clause.wanted || !clause.headed || clause.soft || particles.test(head.text))
        return { patterns: [], unknown: [] };
      unknown.add(head);
    }
    // A language narrows a section rather than the other way round.
    const isLanguage = ({ words }: Part) => languageCode(words) !== undefined;
    for (const modifier of modifiers.toSorted((one, other) => Number(isLanguage(one)) - Number(isLanguage(other)))) {
      const within = this.#patternsOf(modifier, clause, patterns);
      const both = within && (patterns && !head.isBare ? intersection(patterns, within) : within);
      const isPlace = /^(?:in|under|below|within|inside|from|on)\b/i.test(modifier.text);
      if (both && (!unknown.has(head) || isPlace)) patterns = both;
      else if (within && isPlace && clause.wanted && !isLanguage(modifier) && !unknown.has(head)) {
        // `the prices from the product pages`
        patterns = within;
        unknown.add(head);
      } else unknown.add(modifier);
    }
    const parts = [head, ...modifiers].filter((part) => unknown.has(part)).map(({ text }) => text);
    return { patterns: patterns ?? [], unknown: parts.length > 0 ? [parts.join(' ')] : [] };
  }

  /** Returns what a part names; undefined if it can't be told. */
  #patternsOf(part: Part, clause: Clause, below?: readonly string[]): string[] | undefined {
    const { words, all, tokens, isSection } = part;
    const [token, ...others] = tokens;
    if (token) {
      if (words.some((word) => !descriptive.has(word))) {
        // `blog posts with "roadmap" in the URL`
        const isNarrower = tokens.every(({ kind }) => kind === 'fragment' || kind === 'file-type');
        const named = isNarrower ? this.#patternsOf({ ...part, tokens: [] }, clause, below) : undefined;
        return named && intersection(named, tokens.map(patternOf));
      }
      if (tokens.length > maxTokens || tokens.some(({ kind }) => kind === 'unknown')) return undefined;
      return [token, ...others].flatMap((one) =>
        one.kind === 'quoted' ? (this.#named([one.value], true) ?? []) : [patternOf(one)],
      );
    }
    // What a sentence excludes is likely to be below what it includes.
    const context = [...this.#include.keys()].flatMap(pathOf);
    const within = below?.flatMap(pathOf) ?? (clause.wanted && !clause.only ? [] : context);
    const whole = all.length > words.length ? this.#site.named(all, within) : undefined;
    if (whole) return whole;
    // A year alone says when a page was written.
    if (/^\d{4}$/.test(words.join(' ')) && !isSection) {
      const parents = context.map((path) => path.slice(0, path.lastIndexOf('/'))).filter((path) => path !== '');
      return this.#site.namedBelow(words, [...within, ...context, ...parents]);
    }
    const language = languageCode(words);
    if (language !== undefined) return this.#named([language], this.#site.isUnknown, within);
    return this.#named(words, isWellKnown(words) || (isSection && this.#site.isUnknown), within);
  }

  /** Returns the sections with a name. If the site shows none, assumes one when the name is `sure` to be a section. */
  #named(words: readonly string[], sure: boolean, within?: readonly string[]): string[] | undefined {
    return this.#site.named(words, within) ?? (sure ? [this.#site.assumed(words)] : undefined);
  }

  #add(clause: Clause, item: string, patterns: readonly string[], isBare: boolean): void {
    for (const pattern of patterns) {
      if (!clause.wanted) this.#exclude.add(pattern);
      else if (clause.soft) this.#kept.set(pattern, { clause, item });
      else if (isBare) this.#bare.set(pattern, { clause, item });
      else {
        // `the archive, but only 2020`.
        const isYear = /\/\d{4}\(/.test(pattern);
        for (const [other, named] of this.#include)
          if (isBelow(pattern, other) && (isYear || (clause.only && named.clause !== clause)))
            this.#include.delete(other);
        this.#include.set(pattern, { clause, item });
      }
    }
  }
}

const end = '(/|$)';
const maxTokens = 50;
/** Words that can turn a verb into its opposite: `take out`, `get away from`. */
const particles = /\b(?:out|off|away|rid|down|around|past|aside|back|clear|free|less|far)\b/i;

/** Returns whether a pattern matches only paths below those of another: `^/blog/news(/|$)` and `^/blog(/|$)`. */
function isBelow(pattern: string, other: string): boolean {
  return other.startsWith('^') && other.endsWith(end) && pattern.startsWith(`${other.slice(0, -end.length)}/`);
}

/** Returns a section's pattern that leaves out sections below it. */
function without(pattern: string, exceptions: readonly string[]): string {
  const path = pattern.slice(0, -end.length);
  return exceptions.length > 0
    ? `${path}${exceptions.map((other) => `(?!${other.slice(path.length)})`).join('')}${end}`
    : pattern;
}

/** Returns patterns of what both match; undefined if they can't be told. */
function intersection(ones: readonly string[], others: readonly string[]): string[] | undefined {
  const isWithin = (pattern: string, all: readonly string[]) =>
    all.some((other) => pattern === other || isBelow(pattern, other));
  if (others.every((pattern) => isWithin(pattern, ones))) return [...others];
  if (ones.every((pattern) => isWithin(pattern, others))) return [...ones];
  const isPath = (pattern: string) => pattern.startsWith('^') && pattern.endsWith(end);
  const [paths, fragments] = ones.every(isPath) ? [ones, others] : [others, ones];
  if (!paths.every(isPath) || fragments.some((pattern) => pattern.startsWith('^'))) return undefined;
  return paths.flatMap((path) => fragments.map((fragment) => `${path.slice(0, -end.length)}/.*${fragment}`));
}

/** Returns the path of a section's pattern; none if the pattern isn't that of a path. */
function pathOf(pattern: string): string[] {
  if (!pattern.startsWith('^') || !pattern.endsWith(end)) return [];
  return [pattern.slice(1, -end.length).replace(/\\(.)/g, '$1')];
}

function patternOf(token: Token): string {
  if (token.kind === 'path') return pathPattern(token.value);
  if (token.kind === 'file-type') return `\\.${escapeRegex(token.value)}$`;
  return token.kind === 'fragment' ? escapeRegex(token.value) : '';
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
  return `^${body}${end}`;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
