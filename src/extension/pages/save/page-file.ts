import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { relativePath } from '../page-paths.ts';
import type { PageFileNames } from './file-names.ts';

/** Returns the text of a page's file: front matter, and the markdown with relative links to other saved pages. */
export function pageFile(document: ScrapeDocument, file: string, names: PageFileNames, time: string): string {
  const { metadata, markdown, warning } = document;
  const url = urlOf(document);
  const front = [
    `url: ${yaml(url)}`,
    ...(metadata?.title ? [`title: ${yaml(metadata.title)}`] : []),
    `time: ${yaml(metadata?.cachedAt ?? time)}`,
    ...(warning ? [`warning: ${yaml(warning)}`] : []),
  ];
  const body = withRelativeLinks(markdown ?? '', file, names);
  return `---\n${front.join('\n')}\n---\n\n${body.trimEnd()}\n`;
}

/** Returns the URL of a document after redirects; empty if it has none. */
export function urlOf({ metadata }: ScrapeDocument): string {
  return metadata?.url ?? metadata?.sourceURL ?? '';
}

// A fence or inline code; a link's destination; a reference's destination; an autolink.
const code = String.raw`^(?<fence>\x60{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\k<fence>[^\n]*|$(?![\s\S]))|(?<ticks>\x60+)(?!\x60)[\s\S]*?[^\x60]\k<ticks>(?!\x60)`;
const address = String.raw`https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+`;
const links = new RegExp(`${code}|(?<before>\\]\\(<?|^ {0,3}\\[[^\\]\\n]+\\]: +<?)(?<url>${address})`, 'gm');

/** Replaces links to saved pages by relative paths. Leaves code as it is. */
export function withRelativeLinks(markdown: string, file: string, names: PageFileNames): string {
  return markdown.replace(links, (all: string, ...rest: unknown[]) => {
    const { before, url } = rest.at(-1) as { before?: string; url?: string };
    if (before === undefined || url === undefined) return all;
    const target = names.linked(url);
    if (target === undefined) return all;
    const [, hash = ''] = /(#.*)$/s.exec(url) ?? [];
    if (target === file && hash !== '') return `${before}${hash}`;
    return `${before}${relativePath(file, target)}${hash}`;
  });
}

function yaml(text: string): string {
  // A JSON string is a valid YAML scalar.
  return JSON.stringify(text.replace(/[\u2028\u2029]/g, ' '));
}
