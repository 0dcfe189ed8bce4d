import { type Clause, isContent, type Polarity, polarityOf, type Sentence, sentencesOf, type Unit } from './clauses.ts';
import type { Draft } from './phrases.ts';
import { isBelow, sectionOf } from './sections.ts';
import { createSiteSections, type SiteSections } from './site-sections.ts';
import { tokensOf } from './tokens.ts';

export type { Draft };

/** Crawl parameters derived from a sentence. */
export interface Derived {
  parameters: Draft;
  /** The words of the sentence that each parameter came from. */
  sources: Record<string, string[]>;
  /** The parts of the sentence that no parameter expresses. */
  notUnderstood: string[];
  /** Parameters that a language model set although the sentence doesn't name them. */
  guessed: (keyof Draft)[];
}

/** What an item of a clause sets, or nothing if it isn't understood. */
interface Reading {
  words: string;
  is: 'set' | 'default' | 'include' | 'exclude' | 'unread';
  draft?: Draft;
  patterns?: string[];
  isOnly?: boolean;
}

/** Characters that are read: a longer text isn't a sentence, and could take long to read. */
const maxPromptLength = 1_500;
const maxNotUnderstood = 20;

/**
 * Derives crawl parameters from a sentence without a language model. Sets only what the sentence names: every word of an
 * item has to be known, or the item sets nothing and is reported.
 * @param siteUrls known URLs of the site, to find its sections by name
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Derived {
  const text = prompt.slice(0, maxPromptLength).normalize('NFC');
  const sentences = sentencesOf(tokensOf(text, start.hostname));
  const reader = new Reader(text, createSiteSections(start, siteUrls));
  const read = sentences.map((sentence, index) => reader.sentence(sentence, sentences[index - 1]));
  const { parameters, sources, unset } = combined(
    sentences.flatMap(({ isVoid, units }, index): readonly Reading[] =>
      isVoid ? [{ is: 'unread', words: reader.wordsOf(units) }] : (read[index] ?? []),
    ),
  );
  const rest = prompt.slice(maxPromptLength).trim();
  const notUnderstood = [...new Set(unset)].filter((words) => words !== '').slice(0, maxNotUnderstood);
  return { parameters, sources, notUnderstood: rest === '' ? notUnderstood : [...notUnderstood, rest], guessed: [] };
}

class Reader {
  readonly #text: string;
  readonly #site: SiteSections;
  /** Patterns that the sentences want. */
  readonly #included: string[] = [];

  constructor(text: string, site: SiteSections) {
    this.#text = text;
    this.#site = site;
  }

  /** Reads a sentence; it becomes void, or the one before, if a denial can't be told to be about its own clause. */
  sentence(sentence: Sentence, before: Sentence | undefined): Reading[] {
    const { clauses, units } = sentence;
    const [first] = clauses;
    // `Skip the blog. And the reviews too.`
    if (first?.heads.length === 0 && units[0]?.is === 'and') first.heads = [...(before?.clauses.at(-1)?.heads ?? [])];
    let wasUnread = false;
    return clauses.flatMap((clause, index) => {
      const previous = clauses[index - 1];
      const polarity = polarityOf(clause, previous);
      const readings = this.#clause(clause, polarity);
      const isUnread = readings.some(({ is }) => is === 'unread');
      const [head] = clause.heads;
      const isDenial = polarity?.wanted !== true || clause.heads.some(({ is }) => is !== 'want');
      const isEmpty = !clause.items.flat().some(isContent);
      const isLost = clause.isVoid || (!polarity && clause.joined !== 'and');
      const isAside = head?.is === 'except' || (head?.is === 'not' && head.aside);
      // `don't you dare follow links`: unknown words right before a head can turn it round.
      const isRunOn = wasUnread && !clause.joined && !isAside;
      const isAbout =
        isUnread && !isAside && clause.heads.some(({ is }) => is === 'not') && previous?.heads.length === 0;
      wasUnread = isUnread;
      if (isRunOn || (isDenial && (isEmpty || isLost || isAbout || (isUnread && polarity?.soft))))
        sentence.isVoid = true;
      // `No thanks.`, `The blog? No way.`
      if (before && index === 0 && isDenial && (isEmpty || (isUnread && before.isQuestion))) before.isVoid = true;
      return readings;
    });
  }

  /** Returns the words of the text from the first to the last of some units, without words around them that say nothing. */
  wordsOf(units: readonly Unit[]): string {
    const known = units.filter(({ is }) => is !== 'filler' && is !== 'comma' && is !== 'and');
    const tokens = known.flatMap((unit) => unit.tokens).toSorted((one, other) => one.at - other.at);
    return this.#text
      .slice(tokens[0]?.at ?? 0, tokens.at(-1)?.end ?? 0)
      .replace(/\s+/g, ' ')
      .trim();
  }

  #clause(clause: Clause, polarity: Polarity | undefined): Reading[] {
    const { heads, items } = clause;
    const things = items.filter((item) => item.some(isContent));
    if (!polarity || clause.isVoid) return [{ is: 'unread', words: this.wordsOf([...heads, ...items.flat()]) }];
    let isNarrowing: boolean | undefined;
    return things.flatMap((item, index) => {
      const readings = this.#item(item, clause, polarity);
      for (const reading of readings) {
        // `…, with screenshots` isn't denied.
        if (reading.is === 'unread' && !polarity.wanted && item[0]?.is !== 'about')
          reading.words = index === 0 ? this.wordsOf([...heads, ...item]) : `${this.wordsOf(heads)} … ${reading.words}`;
        const { patterns } = reading;
        if (reading.is === 'include') this.#included.push(...(patterns ?? []));
        if (reading.is !== 'exclude' || !patterns) continue;
        // `sport without tennis, and the weather`: the weather may well be wanted.
        const isPart = patterns.every((pattern) => this.#included.some((other) => isBelow(pattern, other)));
        if (isNarrowing && !isPart) return [{ is: 'unread', words: `${this.wordsOf(heads)} … ${reading.words}` }];
        isNarrowing ??= isPart;
      }
      return readings;
    });
  }

  #item(item: readonly Unit[], clause: Clause, polarity: Polarity): Reading[] {
    const words = this.wordsOf(item);
    const nothing: Reading[] = [{ is: 'unread', words }];
    const about = item.findIndex(({ is }) => is === 'about');
    const said = about < 0 ? item : item.slice(0, about);
    const tail = item.slice(said.length);
    if (tail.some(isContent)) {
      const its = polarity.wanted && said.some(isContent) ? this.#item(said, clause, polarity) : [];
      // `external links with images`: an option has no parts.
      const isPart = its.some(({ patterns, draft = {} }) => patterns || 'limit' in draft);
      return isPart ? [...its, { is: 'unread', words: this.wordsOf(tail) }] : nothing;
    }
    const rest = said.filter(({ is }) => is !== 'amount');
    const thing = rest.some(isContent) ? this.#thing(rest, clause, polarity) : [];
    if (!thing) {
      // `the docs from 2024`: what is narrowed by something unknown is wanted whole, and the words are said.
      const last = said.findLastIndex(({ is }) => is === 'place');
      const wider =
        last > 0 && rest.length === said.length && polarity.wanted
          ? this.#thing(said.slice(0, last), clause, polarity)
          : undefined;
      return wider?.[0]?.patterns?.every((pattern) => this.#site.shows(pattern))
        ? [...wider, { is: 'unread', words: this.wordsOf(said.slice(last)) }]
        : nothing;
    }
    const isDenied = clause.heads.some(({ is }) => is === 'not') && !polarity.wanted;
    const amounts = said.flatMap((unit): Reading[] => {
      if (unit.is !== 'amount') return [];
      // `no more than 5 pages` is a limit; `at least 5 pages` and `skip 5 pages` aren't.
      const isSet = unit.name && (unit.bound === 'least' ? isDenied : polarity.wanted);
      const its = this.wordsOf([unit]);
      return [
        isSet ? { is: 'set', words: its, draft: { [unit.name as string]: unit.value } } : { is: 'unread', words: its },
      ];
    });
    return amounts.length > 0 && !polarity.wanted && amounts.some(({ is }) => is === 'unread')
      ? nothing
      : [...amounts, ...thing];
  }

  /** Reads an option, a user agent or a section; undefined if the units say anything else. */
  #thing(units: readonly Unit[], { heads }: Clause, { wanted, only, soft }: Polarity): Reading[] | undefined {
    const content = units.filter(isContent);
    const words = this.wordsOf(units);
    const first = content[0];
    if (!first) return [];
    const option = content.find((unit) => unit.is === 'option') ?? first;
    const rest = content.filter((unit) => unit !== option && unit.is !== 'all');
    const isSame = rest.length === 1 && rest[0]?.is === 'same';
    const isWhole = rest.length === 0 && (option.is === 'all' || (option.is === 'same' && option.wanted));
    if (
      option.is === 'option' &&
      (rest.length > (isSame ? 1 : 0) ||
        (option.needsSame && !isSame) ||
        (option.verb && !heads.some(({ tokens }) => tokens[0]?.value === option.verb)))
    )
      return undefined;
    if (option.is === 'option' || isWhole) {
      const draft = wanted !== isSame ? (only && 'only' in option && option.only) || option.wanted : option.denied;
      return (
        draft && [
          {
            is: option.is === 'option' && option.isDefault ? 'default' : 'set',
            words: this.wordsOf([...heads, ...units]),
            draft,
          },
        ]
      );
    }
    if (first.is === 'agent') {
      const { at, kind, value = '' } = first.tokens.at(-1) ?? {};
      const name = kind === 'quoted' ? value : (/^\S*[\w)]/.exec(this.#text.slice(at))?.[0] ?? '');
      return wanted && content.length === 1 ? [{ is: 'set', words, draft: { robotsUserAgent: name } }] : undefined;
    }
    // `don't skip the blog`: no pattern says that alone.
    if (soft) return undefined;
    const patterns = sectionOf(units, this.#site, wanted && !only ? [] : this.#included);
    return patterns && [{ is: wanted ? 'include' : 'exclude', words, patterns, isOnly: only }];
  }
}

/** Returns what the readings set together. What contradicts the words before it sets nothing and is reported. */
function combined(readings: readonly Reading[]): Pick<Derived, 'parameters' | 'sources'> & { unset: string[] } {
  const parameters: Draft = {};
  const sources: Record<string, string[]> = {};
  const unset: string[] = [];
  const paths = { include: new Map<string, string>(), exclude: new Map<string, string>() };
  const drop = (from: Map<string, string>, pattern: string) => {
    unset.push(from.get(pattern) ?? '');
    from.delete(pattern);
  };
  const isDefault = ({ is }: Reading) => is === 'default';
  for (const reading of [...readings.filter((one) => !isDefault(one)), ...readings.filter(isDefault)]) {
    const { is, words, draft = {}, patterns = [] } = reading;
    const entries = Object.entries(draft) as [keyof Draft, unknown][];
    const isOther = entries.some(([name, value]) => (parameters[name] ?? value) !== value);
    if (is === 'unread' || (isOther && is === 'set')) unset.push(words);
    else if (!isOther) for (const [name] of entries) sources[name] = [...new Set([...(sources[name] ?? []), words])];
    if (!isOther) Object.assign(parameters, draft);
    if (is !== 'include' && is !== 'exclude') continue;
    for (const pattern of patterns) {
      // `the archive, but only 2020`
      for (const other of reading.isOnly ? [...paths.include.keys()] : [])
        if (isBelow(pattern, other)) paths.include.delete(other);
      paths[is].set(pattern, words);
    }
  }
  const { include, exclude } = paths;
  // What is named on both sides can't be both.
  for (const pattern of [...include.keys()]) {
    if (exclude.has(pattern)) drop(exclude, pattern);
    else if (![...exclude.keys()].some((other) => isBelow(pattern, other))) continue;
    drop(include, pattern);
  }
  for (const [name, patterns] of [
    ['includePaths', include],
    ['excludePaths', exclude],
  ] as const) {
    if (patterns.size === 0) continue;
    parameters[name] = [...patterns.keys()];
    sources[name] = [...new Set(patterns.values())];
  }
  return { parameters, sources, unset };
}
