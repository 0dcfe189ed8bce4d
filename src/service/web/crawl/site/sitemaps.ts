import { setTimeout as wait } from 'node:timers/promises';
import { constants, createInflateRaw } from 'node:zlib';
import { parseUrl } from '../../../../contract/addresses.ts';
import { isObject, jsonIn } from '../../../../contract/lenient-texts.ts';
import { createTurn } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import { decodeInTurns } from '../../../platform/network/charset.ts';
import type { Fetcher, FetchRequest } from '../../../platform/network/fetch.ts';
import { retryAfterMs } from '../../scrape/scrape-errors.ts';
import { httpUrl, linksOfXml, maxLocation, type XmlLink } from './xml-links.ts';

/** Limits of a walk through a site's sitemaps. */
export interface SitemapLimits {
  /** Maximum number of URLs returned. */
  urls: number;
  /** Maximum number of sitemap files fetched. */
  files: number;
  /** Maximum number of levels of nested sitemap indexes. */
  depth: number;
}

export const sitemapLimits: SitemapLimits = { urls: 100_000, files: 200, depth: 3 };

/** Maximum number of bytes read of a file, compressed or not: enough for 50,000 URLs of common length. Longer files are truncated. */
const maxBytes = 12 * 1024 * 1024;
const timeoutMs = 30_000;
/** Waits before a site that fails is asked once more. */
const retryMs = { usual: 1000, most: 10_000 };
/** Bytes of a file from which it is large: its text takes much memory while it is read. */
const largeFile = 1024 * 1024;
/** Links read of a file for language models: many more than a site has. */
const maxLinks = 2_000_000;
/** Characters of all URLs of a walk, beyond which no more are read: those of common sites have a third of this. */
const maxCharacters = 30_000_000;
/** URLs that are yielded together. */
const chunk = 500;
/** Characters of a JSON feed: it is parsed at once. */
const longestJsonFeed = 512 * 1024;

/** How sitemaps are walked. */
export interface WalkOptions extends Pick<FetchRequest, 'skipTlsVerification' | 'policy'> {
  limits?: SitemapLimits;
  /** Files that the site doesn't name: it need not have them. */
  guessed?: ReadonlySet<string>;
  /** Called before the text of a large file is kept in memory, which waits for it. */
  beforeLarge?(): Promise<void>;
  /** Called with each file that has URLs, before the first of them are yielded. */
  onUrls?(file: string): void;
  /** Called with a file that was loaded as a whole, before anything else is said of it. */
  onLoaded?(url: string): void;
  /** Called with a file that could not be read as a whole, and why. */
  onLacking?(url: string, why: string): void;
}

/** Yields the URLs in sitemaps, in the sitemaps they list and in files for language models, some hundred at a time. Skips files that can't be read. */
export async function* walkSitemaps(
  fetcher: Pick<Fetcher, 'fetch'>,
  start: readonly string[],
  signal: AbortSignal,
  {
    limits = sitemapLimits,
    guessed,
    beforeLarge,
    onUrls,
    onLoaded,
    onLacking = () => undefined,
    ...how
  }: WalkOptions = {},
): AsyncGenerator<string[]> {
  const seen = new Set<string>(start);
  let queue = [...seen].map((url) => ({ url, depth: 0 }));
  let files = 0;
  let urls = 0;
  let characters = 0;
  /** The first file that was left out for a limit. */
  let beyond: string | undefined;
  while (queue.length > 0 && files < limits.files && urls < limits.urls && characters < maxCharacters) {
    const [{ url, depth } = { url: '', depth: 0 }, ...rest] = queue;
    queue = rest;
    files++;
    const { text: xml, base, lacks, isMissing } = await load(fetcher, url, { signal, ...how }, beforeLarge);
    const isNamed = !guessed?.has(url);
    if (lacks === undefined) onLoaded?.(url);
    if (lacks !== undefined && (isNamed || (!isMissing && !isForModels(url)))) onLacking(url, lacks);
    if (xml === undefined) continue;
    if (isNamed && isPage(xml)) onLacking(url, 'it is a web page');
    let found: string[] = [];
    let isFirst = true;
    const turn = createTurn();
    const onCut = () => onLacking(url, 'some of its XML could not be read');
    for (const location of isForModels(url) ? markdownLinks(xml, base) : locations(xml, base, onCut)) {
      if (turn.isOver) await turn.end();
      if (location === undefined) continue;
      const link = typeof location === 'string' ? location : location.url;
      if (typeof location === 'object' && location.isSitemap) {
        if (seen.has(link)) continue;
        if (depth >= limits.depth || queue.length >= limits.files) beyond ??= link;
        else {
          // Only what will be read is remembered: an index can name millions.
          seen.add(link);
          queue.push({ url: link, depth: depth + 1 });
        }
      } else if (urls < limits.urls && characters < maxCharacters) {
        if (isFirst) onUrls?.(url);
        isFirst = false;
        urls++;
        characters += link.length;
        found.push(link);
        if (found.length < chunk) continue;
        signal.throwIfAborted();
        yield found;
        found = [];
      } else beyond ??= url;
    }
    signal.throwIfAborted();
    if (found.length > 0) yield found;
  }
  beyond ??= queue[0]?.url;
  if (beyond !== undefined)
    onLacking(
      beyond,
      `at most ${limits.files} files, ${limits.depth} levels and ${limits.urls} URLs of ${maxCharacters / 1e6} million characters are read`,
    );
}

/** Loads a file; if the site fails, once more after a while. `lacks` says why it is missing or cut; `isMissing`: there is none. */
async function load(
  fetcher: Pick<Fetcher, 'fetch'>,
  url: string,
  request: Pick<FetchRequest, 'signal' | 'skipTlsVerification' | 'policy'>,
  beforeLarge?: WalkOptions['beforeLarge'],
): Promise<{ text?: string; base: string; lacks?: string; isMissing?: boolean }> {
  try {
    const how = { ...request, timeoutMs, maxBytes, onOverflow: 'truncate' as const };
    let fetched = await fetcher.fetch(url, how);
    if (isBusy(fetched.status)) {
      const waitMs = retryAfterMs(fetched.headers['retry-after'], Date.now()) ?? retryMs.usual;
      await wait(Math.min(waitMs, retryMs.most), undefined, { signal: request.signal, ref: false });
      fetched = await fetcher.fetch(url, how);
    }
    const { status, body, headers, truncated, url: base } = fetched;
    if (status !== 200) return { base, lacks: `it returned status ${status}`, isMissing: !isBusy(status) };
    const file = await unpacked(body);
    if (file.length > largeFile) await beforeLarge?.();
    const text = await decodeInTurns(file, headers['content-type']);
    if (isJson(text) && text.length > longestJsonFeed)
      return { text: '', base, lacks: `it is JSON of more than ${longestJsonFeed} characters` };
    if (truncated || file.length >= maxBytes)
      return { text, base, lacks: `it is longer than ${maxBytes / 1024 / 1024} MB` };
    return { text, base, ...(isCut(text) && { lacks: 'its end is missing' }) };
  } catch (error) {
    request.signal.throwIfAborted();
    return { base: url, lacks: messageOf(error) };
  }
}

const isBusy = (status: number) => status === 429 || status >= 500;

/** Decompresses as much as is intact and within the limit, also of what a server has compressed once more. */
async function unpacked(body: Uint8Array): Promise<Uint8Array> {
  let unpacked = body;
  for (let times = 0; times < 2 && dataStart(unpacked, 0) !== undefined; times++) unpacked = await gunzip(unpacked);
  return unpacked;
}

/**
 * Unpacks the members of a gzip file one by one: whatever follows the last one, such as a comment that a cache has appended,
 * isn't part of it. A wrong checksum doesn't matter, since what is in the file is checked anyway.
 */
async function gunzip(file: Uint8Array): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  let start = dataStart(file, 0);
  for (let members = 0; start !== undefined && size < maxBytes && members < maxMembers; members++) {
    const unpacking = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
    unpacking.end(file.subarray(start));
    try {
      for await (const part of unpacking as AsyncIterable<Buffer>) {
        parts.push(part.subarray(0, maxBytes - size));
        size += part.length;
        if (size >= maxBytes) break;
      }
    } catch {
      // Damaged: what was decompressed before that is usable.
      break;
    }
    start = dataStart(file, start + unpacking.bytesWritten + trailerLength);
  }
  return Buffer.concat(parts);
}

const maxMembers = 2000;
/** A checksum and a length. */
const trailerLength = 8;
const flags = { checksum: 2, extra: 4, name: 8, comment: 16 } as const;

/** Returns where the data of a gzip member starts (RFC 1952, section 2.3); undefined if there is none at `at`. */
function dataStart(file: Uint8Array, at: number): number | undefined {
  if (file[at] !== 0x1f || file[at + 1] !== 0x8b || file[at + 2] !== 8) return undefined;
  const has = file[at + 3] ?? 0;
  let start = at + 10;
  if (has & flags.extra) start += 2 + (file[start] ?? 0) + 256 * (file[start + 1] ?? 0);
  for (const flag of [flags.name, flags.comment]) if (has & flag) start = file.indexOf(0, start) + 1 || file.length;
  return has & flags.checksum ? start + 2 : start;
}

/**
 * Yields the URLs in a sitemap; none if it is an HTML page, which some sites return for any path. Yields undefined for
 * what isn't a URL: each step takes little time, whatever the text is.
 */
function* locations(text: string, base: string, onCut: () => void): Generator<string | XmlLink | undefined> {
  if (isJson(text)) {
    for (const link of linksOfJsonFeed(text)) yield link === undefined ? undefined : httpUrl(link, base);
    return;
  }
  if (!/^\s*</.test(text.slice(0, 2000))) return yield* lines(text);
  if (!isPage(text)) yield* linksOfXml(text, base, onCut);
}

/** Whether a sitemap was opened and isn't closed. */
function isCut(text: string): boolean {
  if (isJson(text)) return jsonIn(text) === undefined;
  const [, prefix = '', root] = /<([\w-]{1,40}:)?(urlset|sitemapindex)[\s>]/i.exec(text.slice(0, 10_000)) ?? [];
  return root !== undefined && !text.slice(-10_000).toLowerCase().includes(`</${prefix}${root}`.toLowerCase());
}

function isJson(text: string): boolean {
  return /^\s*\{/.test(text.slice(0, 2000));
}

function isPage(text: string): boolean {
  return /^\s*(?:<!doctype html|<html)/i.test(text.slice(0, 2000));
}

/** Files that list the pages of a site for language models, in Markdown. */
export const filesForModels = ['/llms.txt', '/llms-full.txt'] as const;

/** Whether a URL is that of a file for language models. */
function isForModels(url: string): boolean {
  const path = URL.parse(url)?.pathname;
  return filesForModels.some((file) => file === path);
}

/**
 * Yields the links of a Markdown file; none if it is HTML. Copies of pages in Markdown are left out: the pages themselves are
 * wanted.
 */
function* markdownLinks(text: string, base: string): Generator<string | undefined> {
  if (/^\s*</.test(text.slice(0, 2000))) return;
  const link = /\]\(\s{0,10}<?([^\s()<>]{1,5000})/g;
  for (let found = link.exec(text), count = 0; found && count < maxLinks; found = link.exec(text), count++) {
    const url = parseUrl(found[1] ?? '', base);
    yield url && /^https?:$/.test(url.protocol) && !/\.(md|mdx|txt)$/i.test(url.pathname) ? url.href : undefined;
  }
}

/** A plain list of URLs is a sitemap too. */
function* lines(text: string): Generator<string | undefined> {
  for (let at = 0; at < text.length; ) {
    const next = /[\r\n]/g;
    next.lastIndex = at;
    const end = next.exec(text)?.index ?? text.length;
    const line = text.slice(at, Math.min(end, at + maxLocation)).trim();
    yield /^https?:\/\/\S+$/.test(line) ? line : undefined;
    at = end + 1;
  }
}

/**
 * Yields where the items of a JSON feed lead, as they are written: to their URL, or to the one by which they are known.
 * Yields undefined for others, and nothing for what is no such feed, or not a whole one.
 */
function* linksOfJsonFeed(text: string): Generator<string | undefined> {
  const feed = jsonIn(text);
  const items: unknown[] = isObject(feed) && Array.isArray(feed.items) ? feed.items : [];
  for (const item of items) {
    const { url, id } = isObject(item) ? item : {};
    yield typeof url === 'string' ? url : typeof id === 'string' && /^https?:/i.test(id) ? id : undefined;
  }
}
