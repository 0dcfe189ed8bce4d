import type { CrawlParameters } from '../../../contract/crawl.ts';

/** Parameters of a crawl before it is started: the text that the person edits, and what came from the sentence. */
export interface CrawlDraft {
  text: string;
  /** The sentence, where one was given and understood. */
  sentence: string | undefined;
  /** Parameters that the sentence set, with the value it gave them. */
  fromSentence: Readonly<Record<string, unknown>>;
}

type Values = Record<string, unknown>;

/** Far fewer than a server's default: the first crawl of a site should not be its largest. */
const draftLimit = 100;
const lineWidth = 100;

/**
 * The draft of a crawl of `url`: the parameters that people change most, over them what the sentence gave.
 * @param known the parameters that the contract has; others are left out
 * @param translatesDepth true for servers that may not take `maxDepth`, which they give in a preview nevertheless
 */
export function draftOf(
  url: string,
  generated: CrawlParameters | undefined,
  options: { sentence?: string | undefined; known: ReadonlySet<string>; translatesDepth: boolean },
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
  const laidOut: Values = { ...others, scrapeOptions };
  const inOrder = Object.entries(laidOut).filter(([name]) => Object.hasOwn(fromSentence, name));
  return { text: layOut(laidOut), sentence: options.sentence, fromSentence: Object.fromEntries(inOrder) };
}

/** The parameters in a draft's text, or why they cannot be read and where. Lists that are empty are left out: they say nothing. */
export function readDraft(text: string): { values: Values } | { problem: string; offset: number | undefined } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const offset = /position (\d+)/.exec(message)?.[1];
    const problem = message.replace(/ \(line.*$| in JSON at position.*$/s, '');
    return { problem: `The crawl's parameters are no JSON: ${problem}.`, offset: offset ? Number(offset) : undefined };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { problem: "The crawl's parameters must be a JSON object.", offset: 0 };
  }
  const { $schema: _, ...values } = parsed as Values;
  return {
    values: Object.fromEntries(
      Object.entries(values).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
    ),
  };
}

/** Where the parameters of a draft stand: name -> offset. Reads as far as the text is JSON. */
export function parameterOffsets(text: string): Map<string, number> {
  const offsets = new Map<string, number>();
  const tokens = /"(?:[^"\\\n]|\\.)*"|[{}[\]]/g;
  let depth = 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [found] = token;
    if (found === '{' || found === '[') depth++;
    else if (found === '}' || found === ']') depth--;
    else if (depth === 1 && /^\s*:/.test(text.slice(tokens.lastIndex, tokens.lastIndex + 20))) {
      const name = unquoted(found);
      if (name !== undefined && !offsets.has(name)) offsets.set(name, token.index);
    }
  }
  return offsets;
}

/** The parameters that still are as the sentence set them. */
export function stillFromSentence(text: string, fromSentence: CrawlDraft['fromSentence']): string[] {
  const read = readDraft(text);
  const names = Object.keys(fromSentence);
  // While the text is no JSON for a moment, all that is still there counts.
  if ('problem' in read) return names.filter((name) => parameterOffsets(text).has(name));
  return names.filter((name) => sameValue(read.values[name], fromSentence[name]));
}

/** JSON with a parameter a line, short lists on that line. */
export function layOut(values: Values): string {
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

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
