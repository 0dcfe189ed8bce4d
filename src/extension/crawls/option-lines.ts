import { startCrawlBody } from '../../contract/crawl-jobs.ts';
import { limits } from '../../contract/limits.ts';
import { ago, count, duration, label } from '../ui/text.ts';

type Values = Readonly<Record<string, unknown>>;
type Words = (value: unknown, all: Values) => string | undefined;

/** The values of the contract's own defaults, of a crawl and of its scrapeOptions. */
const { scrapeOptions: scrapeDefaults, ...crawlGiven } = startCrawlBody.parse({ url: 'https://example.com' });
const crawlDefaults: Values = {
  ...crawlGiven,
  sitemap: 'include',
  deduplicateSimilarURLs: true,
  limit: limits.crawlPages.default,
};
const on = (words: string) => (value: unknown) => (value === true ? words : undefined);
const off = (words: string) => (value: unknown) => (value === false ? words : undefined);
const list = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).map((item) => label(nameOf(item), 60)).join(', ');
const milliseconds = (words: string) => (value: unknown) =>
  typeof value === 'number' ? words.replace('#', duration(value)) : undefined;
const amount = (one: string, several: string, words: string) => (value: unknown) =>
  typeof value === 'number' ? words.replace('#', count(value, one, several)) : undefined;

const crawlWords: Readonly<Record<string, Words>> = {
  includePaths: (value) => `Only ${list(value)}`,
  excludePaths: (value) => `Without ${list(value)}`,
  regexOnFullURL: on('Patterns match whole URLs'),
  maxDepth: amount('path segment', 'path segments', 'At most # deep'),
  maxDiscoveryDepth: amount('link', 'links', 'At most # away'),
  crawlEntireDomain: on('The whole domain'),
  allowExternalLinks: on('Other sites too'),
  allowSubdomains: on('Subdomains too'),
  sitemap: (value) => (value === 'skip' ? 'Without the sitemap' : value === 'only' ? 'The sitemap alone' : undefined),
  ignoreQueryParameters: on('Query parameters do not tell pages apart'),
  ignoreRobotsTxt: on('robots.txt is not followed'),
  robotsUserAgent: (value) => `Rules of robots.txt for ${list(value)}`,
  deduplicateSimilarURLs: off('Similar URLs are kept apart'),
  delay: (value) => (typeof value === 'number' ? `${duration(value * 1000)} between requests` : undefined),
  limit: amount('page', 'pages', 'At most #'),
  maxConcurrency: amount('page', 'pages', '# at a time'),
  prompt: (value) => `Asked for: ${list(value)}`,
  webhook: () => 'With a webhook',
};

const scrapeWords: Readonly<Record<string, Words>> = {
  formats: (value) => `As ${list(value)}`,
  onlyMainContent: off('Whole pages, navigation included'),
  onlyCleanContent: on('The text of the article alone'),
  includeTags: (value) => `Only elements ${list(value)}`,
  excludeTags: (value) => `Without elements ${list(value)}`,
  maxAge: (value) => (typeof value === 'number' && value > 0 ? `Stored pages up to ${age(value)} old` : undefined),
  minAge: (value) => (typeof value === 'number' ? `From the store, pages at least ${age(value)} old` : undefined),
  // Values of headers may be secrets.
  headers: (value) => (isObject(value) ? `With headers ${list(Object.keys(value))}` : undefined),
  waitFor: milliseconds('# wait after loading'),
  mobile: on('As a phone'),
  skipTlsVerification: (value, all) => {
    const usual = !['headers', 'actions', 'profile'].some((name) => hasContent(all[name]));
    if (typeof value !== 'boolean' || value === usual) return undefined;
    return value ? 'Any certificate is accepted' : 'Certificates are checked';
  },
  timeout: milliseconds('Timeout #'),
  fastMode: on('Never rendered in a browser'),
  parsers: (value) => (hasContent(value) ? `Parsers ${list(value)}` : 'No parsers'),
  actions: (value) => (Array.isArray(value) ? `Before reading: ${list(value)}` : undefined),
  location: (value) => (isObject(value) ? place(value) : undefined),
  removeBase64Images: off('Embedded pictures are kept'),
  blockAds: off('Ads are not blocked'),
  proxy: (value) => `Proxy ${list(value)}`,
  storeInCache: off('Pages are not stored'),
  lockdown: on('From the store alone'),
  profile: (value) => `Profile ${list(value)}`,
};

/** The options of a crawl that differ from the defaults, a line each. Unknown ones are named with their value. */
export function optionWords(options: Values | null | undefined): string[] {
  const { scrapeOptions, ...crawl } = options ?? {};
  return [
    ...wordsFor(crawl, crawlWords, crawlDefaults),
    ...wordsFor(isObject(scrapeOptions) ? scrapeOptions : {}, scrapeWords, scrapeDefaults),
  ];
}

const notOptions = new Set(['url', 'origin', 'integration', 'zeroDataRetention']);
const mostLines = 40;

function wordsFor(values: Values, table: Readonly<Record<string, Words>>, defaults: Values): string[] {
  return Object.entries(values)
    .filter(([name, value]) => !notOptions.has(name) && differs(name, value, defaults))
    .map(([name, value]) => (Object.hasOwn(table, name) ? table[name]?.(value, values) : unknownWords(name, value)))
    .filter((words) => words !== undefined)
    .slice(0, mostLines)
    .map((words) => label(words, 160));
}

function differs(name: string, value: unknown, defaults: Values): boolean {
  if (value === null || value === undefined) return false;
  if (!hasContent(value) && name !== 'parsers') return false;
  return JSON.stringify(named(value)) !== JSON.stringify(named(defaults[name]));
}

/** Servers name formats and parsers by a text or by an object. */
function named(value: unknown): unknown {
  return Array.isArray(value) ? value.map(nameOf) : value;
}

function unknownWords(name: string, value: unknown): string | undefined {
  if (value === false) return undefined;
  return value === true ? label(name, 60) : `${label(name, 60)}: ${label(JSON.stringify(value) ?? '', 80)}`;
}

function nameOf(item: unknown): string {
  if (!isObject(item)) return String(item);
  if (typeof item.type === 'string') {
    return item.type === 'wait' && typeof item.milliseconds === 'number'
      ? `wait ${duration(item.milliseconds)}`
      : item.type;
  }
  return typeof item.name === 'string' ? item.name : JSON.stringify(item);
}

function place(location: Values): string | undefined {
  const country =
    typeof location.country === 'string' && location.country !== 'us-generic' ? location.country : undefined;
  const languages = hasContent(location.languages) ? `in ${list(location.languages)}` : undefined;
  const words = [country && `from ${label(country, 20)}`, languages].filter(Boolean).join(', ');
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : undefined;
}

/** `2 h` of `2 h ago`. */
function age(ms: number): string {
  return ms < 60_000 ? duration(ms) : ago(ms).replace(/ ago$/, '');
}

function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
