import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { withoutCommands } from '../../ui/text/visible-text.ts';
import { relativePath } from '../page-paths.ts';
import type { PageFileNames } from './file-names.ts';

/** Returns the text of a page's file: front matter, and the markdown with relative links to other saved pages. */
export function pageFile(document: ScrapeDocument, file: string, names: PageFileNames, time: string): string {
  const { metadata, markdown, warning } = document;
  const url = urlOf(document);
  const fields = {
    url,
    title: metadata?.title,
    author: metadata?.author,
    published: metadata?.publishedTime,
    time: metadata?.cachedAt ?? time,
    warning,
  };
  const front = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' && (value || name === 'url') ? `${name}: ${yaml(value)}` : [],
  );
  const body = withRelativeLinks(withoutCommands(markdown ?? ''), file, names);
  return `---\n${front.join('\n')}\n---\n\n${body.trimEnd()}\n`;
}

/** Returns the URL of a document after redirects; empty if it has none. */
export function urlOf({ metadata }: ScrapeDocument): string {
  return metadata?.url ?? metadata?.sourceURL ?? '';
}

// A fence; backticks; a link's destination or a reference's.
const fence = String.raw`^(?=(?<fence>\x60{3,}|~{3,}))\k<fence>[^\n]*\n[\s\S]*?(?:\n\k<fence>[^\n]*|$(?![\s\S]))`;
const address = String.raw`https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+`;
const tokens = `${fence}|(?<ticks>\x60+)|(?<before>\\]\\(<?|^ {0,3}\\[[^\\]\\n]+\\]: +<?)(?<url>${address})`;

/** Replaces links to saved pages by relative paths. Leaves code as it is. */
export function withRelativeLinks(markdown: string, file: string, names: PageFileNames): string {
  // Looking for the end of each run of backticks could take the square of the text's length.
  const last = new Map<number, number>();
  for (const { 0: ticks, index } of markdown.matchAll(/`+/g)) last.set(ticks.length, index);
  const found = new RegExp(tokens, 'gm');
  let text = '';
  let from = 0;
  for (let token = found.exec(markdown); token; token = found.exec(markdown)) {
    const { ticks, before, url } = token.groups as { ticks?: string; before?: string; url?: string };
    if (ticks !== undefined && (last.get(ticks.length) ?? 0) > token.index)
      found.lastIndex = endOfCode(markdown, found.lastIndex, ticks.length);
    if (before === undefined || url === undefined) continue;
    const link = relativeTo(url, file, names);
    if (link === undefined) continue;
    text += markdown.slice(from, token.index) + before + link;
    from = found.lastIndex;
  }
  return text + markdown.slice(from);
}

/** Returns the end of the next run of so many backticks. */
function endOfCode(markdown: string, from: number, length: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  while (runs.exec(markdown)?.[0].length !== length);
  return runs.lastIndex;
}

function relativeTo(url: string, file: string, names: PageFileNames): string | undefined {
  const target = names.linked(url);
  if (target === undefined) return undefined;
  const [, hash = ''] = /(#.*)$/s.exec(url) ?? [];
  return target === file && hash !== '' ? hash : `${relativePath(file, target)}${hash}`;
}

function yaml(text: string): string {
  // A JSON string is a valid YAML scalar.
  return JSON.stringify(text.replace(/[\u2028\u2029]/g, ' '));
}
