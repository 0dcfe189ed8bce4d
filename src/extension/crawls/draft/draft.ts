import * as l10n from '@vscode/l10n';
import type { CrawlParameters, CrawlPreview } from '../../../contract/crawl/crawl.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';

type Reported = Pick<CrawlPreview, 'notUnderstood' | 'notFound' | 'sources' | 'guessed' | 'lists'>;
/** What the server reports of the user's sentence. */
type SentenceReport = { readonly [Name in keyof Reported]?: NonNullable<Reported[Name]> };

/** A crawl's parameters before it starts: the text that the user edits, and what was set from the user's sentence. */
export interface CrawlDraft extends SentenceReport {
  text: string;
  /** The sentence; undefined if none was given or the server couldn't translate it. */
  sentence: string | undefined;
  /** Parameters set from the sentence, with their values. */
  fromSentence: Readonly<Record<string, unknown>>;
  /** What its parameters were changed for, if it is that of an earlier crawl. */
  purpose?: string;
}

type Values = Record<string, unknown>;

/** Far below the server default: the first crawl of a site should be small. */
const draftLimit = 100;
const lineWidth = 100;

/**
 * Creates the draft of a crawl of `url`: the most commonly changed parameters, overridden by those from the sentence.
 * @param known the contract's parameters; others are left out
 * @param translatesDepth true for servers that may reject `maxDepth` although their previews contain it
 */
export function draftOf(
  url: string,
  generated: CrawlParameters | undefined,
  options: Partial<Reported> & {
    sentence?: string | undefined;
    known: ReadonlySet<string>;
    translatesDepth: boolean;
  },
): CrawlDraft {
  const values: Values = {
    url,
    limit: draftLimit,
    includePaths: [],
    excludePaths: [],
    sitemap: 'include',
    crawlEntireDomain: false,
    allowSubdomains: false,
    allowExternalLinks: false,
    scrapeOptions: { formats: ['markdown'], onlyMainContent: true },
  };
  const fromSentence: Values = {};
  for (const [name, value] of Object.entries(translated(generated ?? {}, options.translatesDepth))) {
    if (value === null || value === undefined || !options.known.has(name)) continue;
    if (name === 'url' && value === url) continue;
    if (!sameValue(values[name], value)) fromSentence[name] = value;
    values[name] = value;
  }
  const { scrapeOptions, ...others } = values;
  const ordered: Values = { ...others, scrapeOptions };
  const inOrder = Object.entries(ordered).filter(([name]) => Object.hasOwn(fromSentence, name));
  const { sentence, notUnderstood, notFound, sources, guessed, lists } = options;
  return {
    text: formatParameters(ordered),
    sentence,
    fromSentence: Object.fromEntries(inOrder),
    ...(notUnderstood?.length && { notUnderstood }),
    ...(notFound?.length && { notFound }),
    ...(sources && { sources }),
    ...(guessed?.length && { guessed }),
    ...(lists?.length && { lists }),
  };
}

/** Returns whether a member that takes the place of a part of a JSON text needs a comma before or after it. */
export function missingCommas(text: string, start: number, end: number): { before: boolean; after: boolean } {
  const previous = text.slice(0, start).trimEnd().at(-1);
  return {
    before: previous !== undefined && !'{,[:'.includes(previous),
    after: text.slice(end).trimStart().startsWith('"'),
  };
}

/** Parses a draft's text. Returns its parameters, or the problem and where it is. Empty lists have no effect and are left out. */
export function readDraft(text: string): { values: Values } | { problem: string; offset: number | undefined } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const offset = /position (\d+)/.exec(message)?.[1];
    const problem = message.replace(/ \(line.*$| in JSON at position.*$/s, '');
    return {
      problem: l10n.t("The crawl parameters aren't valid JSON: {0}.", problem),
      offset: offset ? Number(offset) : undefined,
    };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { problem: l10n.t('The crawl parameters must be a JSON object.'), offset: 0 };
  }
  const { $schema: _, ...values } = parsed as Values;
  return {
    values: Object.fromEntries(
      Object.entries(values).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
    ),
  };
}

/** Returns the offset of each parameter by name, as far as the text is valid JSON. */
export function parameterOffsets(text: string): Map<string, number> {
  const offsets = new Map<string, number>();
  // A string without an end is taken as far as its line: looking for one from each of its quotes would take the square of its length.
  const tokens = /"(?:[^"\\\n]+|\\.)*("?)|[{}[\]]/g;
  let depth = 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [found, end] = token;
    if (!end) for (const [bracket] of found.matchAll(/[{}[\]]/g)) depth += bracket === '{' || bracket === '[' ? 1 : -1;
    else if (depth === 1 && /^\s*:/.test(text.slice(tokens.lastIndex, tokens.lastIndex + 20))) {
      const name = jsonIn(found);
      if (typeof name === 'string' && !offsets.has(name)) offsets.set(name, token.index);
    }
  }
  return offsets;
}

/** Returns the parameters that still have the value set from the sentence. */
export function stillFromSentence(text: string, fromSentence: CrawlDraft['fromSentence']): string[] {
  const read = readDraft(text);
  const names = Object.keys(fromSentence);
  // While the text isn't valid JSON, as in the middle of an edit, every parameter that is still present counts.
  if ('problem' in read) return names.filter((name) => parameterOffsets(text).has(name));
  return names.filter((name) => sameValue(read.values[name], fromSentence[name]));
}

/** Formats parameters as JSON, one per line, with short lists inline. */
export function formatParameters(values: Values): string {
  const lines = Object.entries(values).map(([name, value]) => `  ${JSON.stringify(name)}: ${indented(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

function indented(value: unknown): string {
  const line = onOneLine(value);
  return line.length <= lineWidth ? line : JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ');
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${onOneLine(field)}`);
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
}

function translated(generated: CrawlParameters, translatesDepth: boolean): Values {
  const { maxDepth, ...others } = generated;
  if (!translatesDepth || maxDepth === undefined || maxDepth === null) return generated;
  return { ...others, maxDiscoveryDepth: others.maxDiscoveryDepth ?? maxDepth };
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
