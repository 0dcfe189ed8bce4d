import { decodeHTML } from 'entities';
import { ownNames } from '../../../../platform/own-names.ts';
import type { Attributes } from '../page-tree/page-tree.ts';

/** A page's metadata, as it declares it: a list where it gives a name several values. */
export type PageMetadata = Record<string, string | string[]>;

const maxValueLength = 2000;
const maxFields = 100;

/** Names of `meta` elements, and their fields in a document's metadata. */
const fields: Record<string, string> = ownNames({
  description: 'description',
  keywords: 'keywords',
  robots: 'robots',
  author: 'author',
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:image': 'ogImage',
  'og:audio': 'ogAudio',
  'og:video': 'ogVideo',
  'og:locale': 'ogLocale',
  'og:determiner': 'ogDeterminer',
  'og:site_name': 'ogSiteName',
  'article:section': 'articleSection',
  'article:tag': 'articleTag',
  'article:published_time': 'publishedTime',
  'article:modified_time': 'modifiedTime',
});
/** Fields that the service sets and pages can't. */
const reserved = new Set([
  'url',
  'sourceURL',
  'statusCode',
  'contentType',
  'scrapeId',
  'error',
  'numPages',
  'totalPages',
  'proxyUsed',
]);

/** Fields of which a page has one, whatever it declares. */
const single = new Set([...Object.values(fields), 'title', 'language', 'favicon', 'canonical']);

/** Collects a page's metadata in the pass that reads the page. */
export function collectMetadata() {
  const found: PageMetadata = Object.create(null);
  let count = 0;
  const put = (name: string, raw: string) => {
    const known = found[name];
    if (count >= maxFields || (known !== undefined && single.has(name))) return;
    const value = clean(raw);
    if (value === '') return;
    found[name] = known === undefined ? value : [known, value].flat();
    count++;
  };
  return {
    found,
    html({ lang }: Attributes): void {
      if (lang) put('language', lang);
    },
    meta({ name, property, content, 'http-equiv': equivalent }: Attributes): void {
      if (content === undefined) return;
      if (equivalent?.toLowerCase() === 'content-language') put('language', content);
      const key = (property ?? name)?.toLowerCase().slice(0, 200);
      if (!key) return;
      const field = fields[key];
      if (field) put(field, content);
      if (key === 'og:locale:alternate')
        found.ogLocaleAlternate = [found.ogLocaleAlternate ?? [], clean(content)].flat().slice(0, maxFields);
      if (!reserved.has(key) && field !== key && /^[\w:.-]+$/.test(key) && !key.startsWith('__')) put(key, content);
    },
    link({ rel, href }: Attributes, resolve: (written: string) => string | undefined): void {
      if (!rel || !href) return;
      const rels = rel.toLowerCase().split(/\s+/);
      const url = rels.includes('icon') || rels.includes('canonical') ? resolve(href) : undefined;
      if (url) put(rels.includes('icon') ? 'favicon' : 'canonical', url);
    },
    title: (text: string): void => put('title', text),
  };
}

function clean(raw: string): string {
  const short = raw.slice(0, maxValueLength * 2);
  return (short.includes('&') ? decodeHTML(short) : short).replace(/\s+/g, ' ').trim().slice(0, maxValueLength);
}
