import { parseUrl, routeOf } from '../../../../../contract/addresses.ts';

/** What a `link` element, or an entry of a `Link` header, says of the page that it leads to. */
export type DeclaredLink = Readonly<Record<string, string>>;

/** Whether it leads to another page: the next or previous one of a list, or the same in another language. */
export function isPageLink({ rel = '', hreflang, type = 'text/html' }: DeclaredLink): boolean {
  return (
    /(?:^|\s)(?:next|prev|previous)(?:\s|$)/i.test(rel) ||
    (hreflang !== undefined && /html/i.test(type) && /(?:^|\s)alternate(?:\s|$)/i.test(rel))
  );
}

/** Whether it leads to an RSS, Atom or JSON feed. */
export function isFeedLink({ rel = '', type = '' }: DeclaredLink): boolean {
  return /(?:^|\s)alternate(?:\s|$)/i.test(rel) && /^\s*application\/(?:(?:rss|atom)\+xml|feed\+json)\b/i.test(type);
}

/** Longest script of an attribute that is read. */
const maxScript = 2000;
/**
 * A script that leads to an address which is written in it as a whole, without a question. A function of the site leads there if
 * its name says so and it is given nothing else: others send, delete or play what has the address.
 */
export const namesAddress =
  /^(?!.*\bconfirm\()(?:[^"'`]|"[^"]*"|'[^']*'|`[^`]*`)*?\b(?:location(?:\.href)?\s*=(?!=)|location\.(?:assign|replace)\(|window\.open\(|(?:go(?:[tT]o)?|navigate(?:To)?|redirect(?:To)?|visit)(?:Page|Url|URL)?\((?=\s*["'`](?:\/|https?:)[^"'`]*["'`]\s*\))|[rR]outer\.(?:push|replace)\((?=\s*["'`]\/[^"'`]*["'`]\s*\)))\s*(["'`])((?:(?!\$\{)[^"'`\\])+)\1(?!\s*\+)/;

/** Returns where a script in an attribute leads when its element is clicked; undefined if that isn't written in it. */
export function targetOfClick(script: string): string | undefined {
  return namesAddress.exec(script.slice(0, maxScript))?.[2];
}

const chosen =
  /\b(?:location(?:\.href)?\s*=(?!=)|location\.(?:assign|replace)\(|window\.open\()\s*(?:(["'])([^"'\\]*)\1\s*\+)?[^;,+]*(?:\+\s*(["'])([^"'\\]*)\3)?/;

/** What a list's script puts before and after the value that is chosen, to lead to its page; undefined if it leads to none. */
export function addressOfChoice(script: string): { before: string; after: string } | undefined {
  if (!/\b(?:location|window\.open)\b/.test(script)) return undefined;
  const [, , before = '', , after = ''] = chosen.exec(script.slice(0, maxScript)) ?? [];
  return { before, after };
}

/** Names of files that browsers or viewers show in a frame. */
const documentName = /\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|epub)$/i;

/** Whether a value is an address, and not the name of something. */
export const isPath = (value: string) => /^(?:https?:\/)?\.{0,2}\//i.test(value);

/** Returns the documents that a frame shows: its own, or those that its address gives to a viewer. */
export function documentsOfFrame(frame: URL, type = ''): string[] {
  if (/^application\/pdf\b/i.test(type) || documentName.test(frame.pathname)) return [frame.href];
  // To that of PDF.js, `file` is an address in any case.
  const isViewer = frame.pathname.endsWith('/viewer.html');
  return [...frame.searchParams, ...new URLSearchParams(frame.hash.slice(1))].flatMap(([name, value]) => {
    const url = URL.parse(value, frame);
    const isFile = isViewer && name === 'file' && value !== '';
    return url && (isFile || (isPath(value) && documentName.test(url.pathname))) ? [url.href] : [];
  });
}

const entry = /<([^<>]*)>((?:\s*;\s*[^\s;,="<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<>]*))?)*)/g;
const parameter = /;\s*([^\s;,="<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<>]*)))?/g;
const maxEntries = 200;

/** Returns the web page to which a link leads, without a fragment that isn't a route. */
export function addressOf(written: string, base: string): string | undefined {
  const url = parseUrl(written, base);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = routeOf(url.hash);
  return url.href;
}

/** Reads a `Link` header (RFC 8288): the pages that it declares, and the one that it names as the original. */
export function readLinkHeader(header: string | undefined, pageUrl: string): { links: string[]; canonical?: string } {
  const links: string[] = [];
  let canonical: string | undefined;
  for (const [, written = '', parameters = ''] of [...(header ?? '').matchAll(entry)].slice(0, maxEntries)) {
    const link: Record<string, string> = Object.create(null);
    // Of two parameters with a name, the first one counts.
    for (const [, name = '', quoted, plain = ''] of parameters.matchAll(parameter))
      link[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? plain;
    const url = addressOf(written, pageUrl);
    // With an anchor, it says something of another page.
    if (url === undefined || link.anchor !== undefined) continue;
    if (isPageLink(link)) links.push(url);
    if (/(?:^|\s)canonical(?:\s|$)/i.test(link.rel ?? '')) canonical ??= url;
  }
  return { links, ...(canonical !== undefined && { canonical }) };
}
