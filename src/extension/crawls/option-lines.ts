import * as l10n from '@vscode/l10n';
import { startCrawlBody } from '../../contract/crawl/crawl-jobs.ts';
import { isObject } from '../../contract/lenient-texts.ts';
import { limits } from '../../contract/limits.ts';
import { age, count, duration, label, type Noun } from '../ui/text/text.ts';

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
const milliseconds = (pattern: string) => (value: unknown) =>
  typeof value === 'number' ? pattern.replace('{0}', duration(value)) : undefined;
const amount = (noun: Noun, pattern: string) => (value: unknown) =>
  typeof value === 'number' ? pattern.replace('{0}', count(value, noun)) : undefined;

const crawlFormatters: Readonly<Record<string, Formatter>> = {
  includePaths: (value) => l10n.t('Only {0}', list(value)),
  excludePaths: (value) => l10n.t('Excluding {0}', list(value)),
  regexOnFullURL: on(l10n.t('Patterns match full URLs')),
  maxDepth: amount('path segment', l10n.t('At most {0} deep')),
  maxDiscoveryDepth: amount('link', l10n.t('At most {0} away')),
  crawlEntireDomain: on(l10n.t('Entire domain')),
  allowExternalLinks: on(l10n.t('Other websites included')),
  allowSubdomains: on(l10n.t('Subdomains included')),
  sitemap: (value) =>
    value === 'skip' ? l10n.t('Sitemap ignored') : value === 'only' ? l10n.t('Sitemap only') : undefined,
  ignoreQueryParameters: on(l10n.t('Query parameters ignored')),
  ignoreRobotsTxt: on(l10n.t('robots.txt ignored')),
  robotsUserAgent: (value) => l10n.t('robots.txt rules for {0}', list(value)),
  deduplicateSimilarURLs: off(l10n.t('Duplicates kept')),
  delay: (value) => (typeof value === 'number' ? l10n.t('{0} between requests', duration(value * 1000)) : undefined),
  limit: amount('page', l10n.t('At most {0}')),
  maxConcurrency: amount('page', l10n.t('{0} at a time')),
  prompt: (value) => l10n.t('Prompt: {0}', list(value)),
  // The row says how the pages differ.
  since: () => undefined,
  webhook: () => l10n.t('With a webhook'),
  zeroDataRetention: on(l10n.t('Deleted an hour after it ends')),
};

const scrapeFormatters: Readonly<Record<string, Formatter>> = {
  formats: (value) => l10n.t('Formats: {0}', list(value)),
  onlyMainContent: off(l10n.t('Full pages, including navigation')),
  onlyCleanContent: on(l10n.t('Article text only')),
  includeTags: (value) => l10n.t('Only elements {0}', list(value)),
  excludeTags: (value) => l10n.t('Excluding elements {0}', list(value)),
  maxAge: (value) =>
    typeof value === 'number' && value > 0 ? l10n.t('Cached pages up to {0} old', shownAge(value)) : undefined,
  minAge: (value) => (typeof value === 'number' ? l10n.t('Cached pages at least {0} old', shownAge(value)) : undefined),
  // Header values may be secrets.
  headers: (value) => (isObject(value) ? l10n.t('With headers {0}', list(Object.keys(value))) : undefined),
  waitFor: milliseconds(l10n.t('{0} wait after loading')),
  mobile: on(l10n.t('Mobile device')),
  skipTlsVerification: (value, all) => {
    const skippedByDefault = !['headers', 'actions', 'profile'].some((name) => hasContent(all[name]));
    if (typeof value !== 'boolean' || value === skippedByDefault) return undefined;
    return value ? l10n.t('Any certificate accepted') : l10n.t('Certificates verified');
  },
  timeout: milliseconds(l10n.t('Timeout {0}')),
  fastMode: on(l10n.t('Scripts not run')),
  parsers: (value) => (hasContent(value) ? l10n.t('Parsers {0}', list(value)) : l10n.t('No parsers')),
  actions: (value) => (Array.isArray(value) ? l10n.t('Actions: {0}', list(value)) : undefined),
  location: (value) => (isObject(value) ? place(value) : undefined),
  removeBase64Images: off(l10n.t('Embedded images kept')),
  blockAds: off(l10n.t('Ads not blocked')),
  proxy: (value) => l10n.t('Proxy {0}', list(value)),
  storeInCache: off(l10n.t('Pages not cached')),
  lockdown: on(l10n.t('Cache only')),
  profile: (value) => l10n.t('Profile {0}', list(value)),
};

/** Describes the options of a crawl that differ from the defaults, one per line. Unknown options are shown by name and value. */
export function optionLines(options: Values | null | undefined): string[] {
  const { scrapeOptions, ...crawl } = options ?? {};
  return [
    ...linesFor(crawl, crawlFormatters, crawlDefaults),
    ...linesFor(isObject(scrapeOptions) ? scrapeOptions : {}, scrapeFormatters, scrapeDefaults),
  ];
}

const notOptions = new Set(['url', 'origin', 'integration']);
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
      ? l10n.t('wait {0}', duration(item.milliseconds))
      : item.type;
  }
  return typeof item.name === 'string' ? item.name : JSON.stringify(item);
}

function place(location: Values): string | undefined {
  const country =
    typeof location.country === 'string' && location.country !== 'us-generic' ? location.country : undefined;
  const languages = hasContent(location.languages) ? list(location.languages) : undefined;
  if (country === undefined) return languages && l10n.t('In {0}', languages);
  const from = label(country, 20);
  return languages === undefined ? l10n.t('From {0}', from) : l10n.t('From {0}, in {1}', from, languages);
}

function shownAge(ms: number): string {
  return ms < 60_000 ? duration(ms) : age(ms);
}

function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
