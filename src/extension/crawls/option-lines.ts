import { startCrawlBody } from '../../contract/crawl-jobs.ts';
import { limits } from '../../contract/limits.ts';
import { ago, count, duration, label } from '../ui/text.ts';

type Values = Readonly<Record<string, unknown>>;
type Formatter = (value: unknown, all: Values) => string | undefined;

/** The contract's defaults for a crawl and its scrapeOptions. */
const { scrapeOptions: scrapeDefaults, ...crawlSchemaDefaults } = startCrawlBody.parse({ url: 'https://example.com' });
const crawlDefaults: Values = {
  ...crawlSchemaDefaults,
  sitemap: 'include',
  deduplicateSimilarURLs: true,
  limit: limits.crawlPages.default,
};
const on = (text: string) => (value: unknown) => (value === true ? text : undefined);
const off = (text: string) => (value: unknown) => (value === false ? text : undefined);
const list = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).map((item) => label(nameOf(item), 60)).join(', ');
const milliseconds = (text: string) => (value: unknown) =>
  typeof value === 'number' ? text.replace('#', duration(value)) : undefined;
const amount = (one: string, several: string, text: string) => (value: unknown) =>
  typeof value === 'number' ? text.replace('#', count(value, one, several)) : undefined;

const crawlFormatters: Readonly<Record<string, Formatter>> = {
  includePaths: (value) => `Only ${list(value)}`,
  excludePaths: (value) => `Excluding ${list(value)}`,
  regexOnFullURL: on('Patterns match full URLs'),
  maxDepth: amount('path segment', 'path segments', 'At most # deep'),
  maxDiscoveryDepth: amount('link', 'links', 'At most # away'),
  crawlEntireDomain: on('Entire domain'),
  allowExternalLinks: on('External links included'),
  allowSubdomains: on('Subdomains included'),
  sitemap: (value) => (value === 'skip' ? 'Sitemap ignored' : value === 'only' ? 'Sitemap only' : undefined),
  ignoreQueryParameters: on('Query parameters ignored'),
  ignoreRobotsTxt: on('robots.txt ignored'),
  robotsUserAgent: (value) => `robots.txt rules for ${list(value)}`,
  deduplicateSimilarURLs: off('Similar URLs not deduplicated'),
  delay: (value) => (typeof value === 'number' ? `${duration(value * 1000)} between requests` : undefined),
  limit: amount('page', 'pages', 'At most #'),
  maxConcurrency: amount('page', 'pages', '# at a time'),
  prompt: (value) => `Prompt: ${list(value)}`,
  webhook: () => 'With a webhook',
};

const scrapeFormatters: Readonly<Record<string, Formatter>> = {
  formats: (value) => `Formats: ${list(value)}`,
  onlyMainContent: off('Full pages, including navigation'),
  onlyCleanContent: on('Article text only'),
  includeTags: (value) => `Only elements ${list(value)}`,
  excludeTags: (value) => `Excluding elements ${list(value)}`,
  maxAge: (value) => (typeof value === 'number' && value > 0 ? `Cached pages up to ${age(value)} old` : undefined),
  minAge: (value) => (typeof value === 'number' ? `Cached pages at least ${age(value)} old` : undefined),
  // Header values may be secrets.
  headers: (value) => (isObject(value) ? `With headers ${list(Object.keys(value))}` : undefined),
  waitFor: milliseconds('# wait after loading'),
  mobile: on('Mobile device'),
  skipTlsVerification: (value, all) => {
    const skippedByDefault = !['headers', 'actions', 'profile'].some((name) => hasContent(all[name]));
    if (typeof value !== 'boolean' || value === skippedByDefault) return undefined;
    return value ? 'Any certificate accepted' : 'Certificates verified';
  },
  timeout: milliseconds('Timeout #'),
  fastMode: on('Not rendered in a browser'),
  parsers: (value) => (hasContent(value) ? `Parsers ${list(value)}` : 'No parsers'),
  actions: (value) => (Array.isArray(value) ? `Actions: ${list(value)}` : undefined),
  location: (value) => (isObject(value) ? place(value) : undefined),
  removeBase64Images: off('Embedded images kept'),
  blockAds: off('Ads not blocked'),
  proxy: (value) => `Proxy ${list(value)}`,
  storeInCache: off('Pages not cached'),
  lockdown: on('Cache only'),
  profile: (value) => `Profile ${list(value)}`,
};

/** Describes the options of a crawl that differ from the defaults, one per line. Unknown options are shown by name and value. */
export function optionLines(options: Values | null | undefined): string[] {
  const { scrapeOptions, ...crawl } = options ?? {};
  return [
    ...linesFor(crawl, crawlFormatters, crawlDefaults),
    ...linesFor(isObject(scrapeOptions) ? scrapeOptions : {}, scrapeFormatters, scrapeDefaults),
  ];
}

const notOptions = new Set(['url', 'origin', 'integration', 'zeroDataRetention']);
const maxLines = 40;

function linesFor(values: Values, table: Readonly<Record<string, Formatter>>, defaults: Values): string[] {
  return Object.entries(values)
    .filter(([name, value]) => !notOptions.has(name) && differs(name, value, defaults))
    .map(([name, value]) => (Object.hasOwn(table, name) ? table[name]?.(value, values) : unknownLine(name, value)))
    .filter((line) => line !== undefined)
    .slice(0, maxLines)
    .map((line) => label(line, 160));
}

function differs(name: string, value: unknown, defaults: Values): boolean {
  if (value === null || value === undefined) return false;
  if (!hasContent(value) && name !== 'parsers') return false;
  return JSON.stringify(names(value)) !== JSON.stringify(names(defaults[name]));
}

/** Formats and parsers are given as strings or objects. */
function names(value: unknown): unknown {
  return Array.isArray(value) ? value.map(nameOf) : value;
}

function unknownLine(name: string, value: unknown): string | undefined {
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
  const text = [country && `from ${label(country, 20)}`, languages].filter(Boolean).join(', ');
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : undefined;
}

/** An age without "ago": `2 h`. */
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
