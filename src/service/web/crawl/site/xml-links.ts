import { Parser } from 'htmlparser2';
import { parseUrl } from '../../../../contract/addresses.ts';
import { createNamespaces } from '../../scrape/convert/files/xml.ts';

/** Characters of a URL; longer ones are truncated. */
export const maxLocation = 5000;
/** More than any sitemap or feed has: one that is nested more deeply, or has more attributes in an element, is read to there. */
const most = { depth: 500, attributes: 1000 };
/** Characters read in a step. */
const stepLength = 16 * 1024;

/** Where a file leads: to a page, or to a sitemap. */
export interface XmlLink {
  readonly url: string;
  readonly isSitemap: boolean;
}

interface Open {
  /** Without a prefix, in lower case. */
  readonly name: string;
  readonly namespace: string;
  /** What its URLs are relative to (XML Base). */
  readonly base: string;
  /** If its text is a URL: of what. */
  of?: 'page' | 'sitemap' | 'id' | undefined;
  text: string;
}

/**
 * Yields the URLs in a sitemap, in an index of sitemaps, and of the items of an RSS or Atom feed, whatever prefixes their
 * names have. Yields undefined in between: each step takes little time, whatever the text is.
 */
export function* linksOfXml(xml: string, address: string): Generator<XmlLink | undefined> {
  const open: Open[] = [];
  const namespaces = createNamespaces();
  let found: XmlLink[] = [];
  let attributeCount = 0;
  let isOver = false;
  /** Of the item of a feed: the absolute URL by which it is known (RSS 2.0, `guid`), and whether it has a link. */
  let id: string | undefined;
  let hasLink = false;

  const parser = new Parser(
    {
      onopentagname() {
        attributeCount = 0;
      },
      onattribute() {
        isOver ||= ++attributeCount > most.attributes;
      },
      onopentag(written, attributes) {
        const parent = open.at(-1);
        endText(parent);
        namespaces.open(attributes);
        const outer = parent?.base ?? address;
        const base = httpUrl(attributes['xml:base'] ?? '', outer) ?? outer;
        const name = written.slice(written.indexOf(':') + 1);
        const element: Open = { name, namespace: namespaces.of(written), base, text: '' };
        // Those of images and videos are in namespaces of their own.
        const isOwn = element.namespace === '' || element.namespace === parent?.namespace;
        if (parent && isOwn) element.of = urlIn(element, parent.name, attributes);
        open.push(element);
        isOver ||= open.length > most.depth;
      },
      ontext(text) {
        const element = open.at(-1);
        if (element?.of && element.text.length < maxLocation) element.text += text.slice(0, maxLocation);
      },
      onclosetag() {
        namespaces.close();
        const element = open.pop();
        endText(element);
        if (element && isItem(element.name)) endItem();
      },
    },
    { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  for (let at = 0; at < xml.length && !isOver; at += stepLength) {
    parser.write(xml.slice(at, at + stepLength));
    yield* found;
    yield undefined;
    found = [];
  }
  // The parser isn't ended: the text of an unfinished last element isn't a complete URL.
  endItem();
  yield* found;

  /** Takes the URL in an element's attributes, or returns what its text is the URL of. */
  function urlIn({ name, base }: Open, parent: string, attributes: Record<string, string>): Open['of'] {
    const { href, rel = 'alternate', ispermalink } = attributes;
    if (name === 'loc' && /^(url|sitemap)(set|index)?$/.test(parent))
      return parent === 'sitemap' || open[0]?.name === 'sitemapindex' ? 'sitemap' : 'page';
    if (!isItem(parent)) return undefined;
    if (name === 'guid' && ispermalink?.toLowerCase() !== 'false') return 'id';
    if (name !== 'link') return undefined;
    if (href === undefined) return 'page';
    if (rel === 'alternate') add(httpUrl(href, base));
    return undefined;
  }

  function endText(element: Open | undefined): void {
    if (!element?.of) return;
    const { of, text, base } = element;
    element.of = undefined;
    if (of === 'id') id = httpUrl(text, 'about:blank');
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

function isItem(name: string): boolean {
  return name === 'item' || name === 'entry';
}

/** Returns a written URL if it is one of a page. */
export function httpUrl(written: string, base: string): string | undefined {
  const location = written.slice(0, maxLocation).trim();
  const url = location === '' ? null : parseUrl(location, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
