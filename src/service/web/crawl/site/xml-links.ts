import { decodeXML } from 'entities';
import { parseUrl } from '../../../../contract/addresses.ts';

/** Characters of a URL; longer ones are truncated. */
export const maxLocation = 5000;
/** Characters of a tag: what isn't closed within these is text. */
const longestTag = 64 * 1024;
/** More than any sitemap or feed has. What an element beyond these says of namespaces and bases isn't read. */
const most = { depth: 50, attributes: 1000 };

/** Where a file leads: to a page, or to a sitemap. */
export interface XmlLink {
  readonly url: string;
  readonly isSitemap: boolean;
}

/** An open element that says what a URL in it is, or has namespaces or a base. */
interface Open {
  /** As written, in lower case. */
  readonly written: string;
  /** Without a prefix. */
  readonly name: string;
  readonly namespace: string;
  /** What its URLs are relative to (XML Base). */
  readonly base: string;
  readonly namespaces: ReadonlyMap<string, string>;
}

/** A URL that is being read. */
interface Reading {
  readonly of: 'page' | 'sitemap' | 'id';
  readonly base: string;
  text: string;
}

/** What has URLs of its own that aren't those of pages of the site. */
const foreign = /^(source|image|video|news)$/;
const foreignNamespace = /^(?:image|video|news):|\/sitemap-(?:image|video|news)\//;
const containers = /^(urlset|sitemapindex|url|sitemap|rss|rdf|channel|feed|item|entry|source|image|video|news)$/;
const tag = /<(\/?)((?:[\p{L}_][\p{L}\d_.-]{0,99}:)?([\p{L}_][\p{L}\d_.-]{0,99}))(?=[\s/>])/uy;

/**
 * Yields the URLs in a sitemap, in an index of sitemaps, and of the items of an RSS or Atom feed, whatever prefixes their
 * names have. XML of sites is often broken, so every `<` may start a tag, and only elements that matter are kept open. Yields
 * undefined in between: each step takes little time, whatever the text is. Calls `onLacking` once if some of it wasn't read.
 */
export function* linksOfXml(xml: string, address: string, onLacking = () => {}): Generator<XmlLink | undefined> {
  const open: Open[] = [];
  let found: XmlLink[] = [];
  let reading: Reading | undefined;
  let isFeed = false;
  let isWhole = true;
  let hasOpenCdata = false;
  /** Of the item of a feed: the absolute URL by which it is known (RSS 2.0, `guid`), and whether it has a link. */
  let id: string | undefined;
  let hasLink = false;

  for (let at = xml.indexOf('<'); at !== -1; ) {
    const isComment = xml.startsWith('<!--', at);
    const isCdata = !hasOpenCdata && xml.startsWith('<![CDATA[', at);
    let start = at + 1;
    if (isComment || isCdata) {
      const end = xml.indexOf(isComment ? '-->' : ']]>', at + 4);
      if (end === -1) isWhole = false;
      if (end === -1 && isComment) break;
      if (end === -1) hasOpenCdata = true;
      else {
        if (isCdata) addText(xml.slice(at + '<![CDATA['.length, Math.min(end, at + 2 * maxLocation)));
        start = end + 3;
      }
    }
    const next = xml.indexOf('<', start);
    const end = next === -1 ? xml.length : next;
    if (start === at + 1) {
      const part = xml.slice(at, Math.min(end, at + longestTag + maxLocation));
      if (part.length < end - at && !part.includes('>')) isWhole = false;
      readTag(part, at);
    } else addText(decodeXML(xml.slice(start, Math.min(end, start + maxLocation))));
    yield* found;
    yield undefined;
    found = [];
    at = next;
  }
  // The text of an unfinished last element isn't a complete URL.
  endItem();
  yield* found;
  if (!isWhole) onLacking();

  /** Reads a tag and the text after it, up to the next `<`. */
  function readTag(part: string, at: number): void {
    const end = endOfTag(part);
    tag.lastIndex = at;
    const [head, closing, name, local = ''] = (end !== undefined && tag.exec(xml)) || [];
    // A `<` that starts nothing is text.
    if (end === undefined || (head === undefined && !/^<[!?]/.test(part)))
      return addText(decodeXML(part.slice(0, maxLocation)));
    if (head !== undefined && name !== undefined) {
      endText();
      if (closing) close(name.toLowerCase());
      else openElement(name.toLowerCase(), local.toLowerCase(), part.slice(head.length, end));
    }
    addText(decodeXML(part.slice(end + 1, end + 1 + maxLocation)));
  }

  function openElement(written: string, name: string, rest: string): void {
    const isContainer = containers.test(name);
    const isLink = name === 'loc' || name === 'link' || name === 'guid';
    if (!isContainer && !isLink && !/\bxml(ns|:base)\b/i.test(rest)) return;
    const attributes = attributesOf(rest);
    const namespaces = new Map<string, string>();
    for (const [key, value] of attributes)
      if (/^xmlns(:|$)/.test(key)) namespaces.set(key === 'xmlns' ? '' : `${key.slice('xmlns:'.length)}:`, value);
    const prefix = written.slice(0, written.indexOf(':') + 1);
    const namespace =
      namespaces.get(prefix) ?? open.findLast((each) => each.namespaces.has(prefix))?.namespaces.get(prefix);
    const outer = open.at(-1)?.base ?? address;
    const base = httpUrl(attributes.get('xml:base') ?? '', outer) ?? outer;
    const element: Open = { written, name, namespace: namespace ?? prefix, base, namespaces };
    if (isLink) return readLink(element, attributes);
    // An item isn't in an item: extensions have elements of that name.
    if (isItem(name) && open.some((each) => isItem(each.name) && each.written !== written)) return;
    isFeed ||= /^(rss|rdf|channel|feed)$/.test(name);
    if (rest.endsWith('/')) return;
    // Nor is anything else in one of its name: that one isn't closed.
    if (isContainer) close(written);
    if (open.length < most.depth) open.push(element);
    else isWhole = false;
  }

  function readLink(element: Open, attributes: ReadonlyMap<string, string>): void {
    const { name, namespace, base } = element;
    const isForeign = ({ name: outer, namespace: own }: Open) => foreign.test(outer) && own === namespace;
    if (name === 'loc') {
      const parent = open.findLast((each) => /^(url|sitemap)$/.test(each.name) || isForeign(each));
      if (isFeed || foreignNamespace.test(`${element.written} ${namespace}`) || (parent && isForeign(parent))) return;
      const isSitemap = open[0]?.name === 'sitemapindex' || (parent?.name === 'sitemap' && parent !== open[0]);
      reading = { of: isSitemap ? 'sitemap' : 'page', base, text: '' };
      return;
    }
    const parent = open.findLast((each) => /^(item|entry|channel|feed)$/.test(each.name) || isForeign(each));
    if (!parent || !isItem(parent.name) || (element.written !== name && namespace !== parent.namespace)) return;
    const href = attributes.get('href');
    if (name === 'guid') {
      if (attributes.get('ispermalink')?.toLowerCase() !== 'false')
        reading = { of: 'id', base: 'about:blank', text: '' };
    } else if (href === undefined) reading = { of: 'page', base, text: '' };
    else if ((attributes.get('rel') ?? 'alternate').toLowerCase() === 'alternate') add(httpUrl(href, base));
  }

  /** Closes an element, and those in it that aren't closed. */
  function close(written: string): void {
    const at = open.findLastIndex((each) => each.written === written);
    if (at === -1) return;
    if (open.splice(at).some((each) => isItem(each.name))) endItem();
  }

  function attributesOf(written: string): Map<string, string> {
    const attributes = new Map<string, string>();
    const attribute = /(?<![^\s"'])([^\s=/"'<>]{1,100})\s{0,100}=\s{0,100}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
    for (const [, name = '', ...values] of written.matchAll(attribute)) {
      if (attributes.size >= most.attributes) {
        isWhole = false;
        break;
      }
      const key = name.toLowerCase();
      const value = values.find((each) => each !== undefined) ?? '';
      if (!attributes.has(key)) attributes.set(key, decodeXML(value.slice(0, maxLocation)));
    }
    return attributes;
  }

  function addText(text: string): void {
    if (reading && reading.text.length < maxLocation) reading.text += text;
  }

  function endText(): void {
    if (!reading) return;
    const { of, text, base } = reading;
    reading = undefined;
    if (of === 'id') id = httpUrl(text, base);
    else add(httpUrl(text, base), of === 'sitemap');
  }

  function add(url: string | undefined, isSitemap = false): void {
    if (url === undefined) return;
    found.push({ url, isSitemap });
    hasLink = true;
  }

  function endItem(): void {
    if (!hasLink) add(id);
    hasLink = false;
    id = undefined;
  }
}

/** Where a tag ends: at the first `>` outside of values, or, if a quote isn't closed, at the first one. */
function endOfTag(part: string): number | undefined {
  const first = part.indexOf('>');
  if (first === -1) return undefined;
  if (!/["']/.test(part.slice(0, first))) return first;
  for (const { 0: found, index } of part.matchAll(/=\s{0,100}(?:"[^"]*"|'[^']*')|>/g)) if (found === '>') return index;
  return first;
}

function isItem(name: string): boolean {
  return name === 'item' || name === 'entry';
}

/** Returns a written URL if it is one of a page. */
export function httpUrl(written: string, base: string): string | undefined {
  const location = written.slice(0, maxLocation).trim();
  const url = location === '' ? null : parseUrl(location, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
