import { createGunzip } from 'node:zlib';
import type { Fetcher } from '../../fetch/fetch.ts';
import { ownNames } from '../../own-names.ts';

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
/** Entries parsed before other work gets its turn. */
const yieldEvery = 2000;

/** Yields the URLs in sitemaps and in the sitemaps they list, one file at a time. Skips files that can't be read. */
export async function* walkSitemaps(
  fetcher: Pick<Fetcher, 'fetch'>,
  start: readonly string[],
  signal: AbortSignal,
  {
    skipTlsVerification = false,
    limits = sitemapLimits,
  }: { skipTlsVerification?: boolean; limits?: SitemapLimits } = {},
): AsyncGenerator<string[]> {
  const seen = new Set<string>(start);
  let queue = [...seen].map((url) => ({ url, depth: 0 }));
  let files = 0;
  let urls = 0;
  while (queue.length > 0 && files < limits.files && urls < limits.urls) {
    const [{ url, depth } = { url: '', depth: 0 }, ...rest] = queue;
    queue = rest;
    files++;
    const xml = await load(fetcher, url, { signal, skipTlsVerification });
    if (xml === undefined) continue;
    const found: string[] = [];
    const isIndex = /<(?:[\w-]+:)?sitemapindex[\s>]/i.test(xml.slice(0, 10_000));
    let count = 0;
    for (const location of locations(xml)) {
      if (++count % yieldEvery === 0) await new Promise(setImmediate);
      if (isIndex) {
        if (depth >= limits.depth || seen.has(location) || queue.length >= limits.files) continue;
        seen.add(location);
        queue.push({ url: location, depth: depth + 1 });
      } else if (urls < limits.urls) {
        urls++;
        found.push(location);
      }
    }
    signal.throwIfAborted();
    if (found.length > 0) yield found;
  }
}

async function load(
  fetcher: Pick<Fetcher, 'fetch'>,
  url: string,
  request: { signal: AbortSignal; skipTlsVerification: boolean },
): Promise<string | undefined> {
  try {
    const { status, body } = await fetcher.fetch(url, { ...request, timeoutMs, maxBytes, onOverflow: 'truncate' });
    if (status !== 200) return undefined;
    return decode(isGzip(body) ? await gunzip(body) : body);
  } catch {
    request.signal.throwIfAborted();
    return undefined;
  }
}

function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** Decompresses as much as is intact and within the limit. */
async function gunzip(body: Uint8Array): Promise<Uint8Array> {
  const unpacking = createGunzip();
  unpacking.end(body);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of unpacking as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, maxBytes - size));
      size += part.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // Truncated or damaged: what was decompressed before that is usable.
  }
  return Buffer.concat(parts);
}

function decode(body: Uint8Array): string {
  if (body[0] === 0xff && body[1] === 0xfe) return new TextDecoder('utf-16le').decode(body);
  if (body[0] === 0xfe && body[1] === 0xff) return new TextDecoder('utf-16be').decode(body);
  return new TextDecoder().decode(body);
}

/** Yields the URLs in a sitemap; none if it is an HTML page, which some sites return for any path. */
function* locations(text: string): Generator<string> {
  const head = text.slice(0, 2000).trimStart();
  if (!head.startsWith('<')) {
    // A plain list of URLs is a sitemap too.
    for (const line of text.split(/\r?\n/)) if (/^https?:\/\/\S+$/.test(line.trim())) yield line.trim();
    return;
  }
  if (/^<!doctype html|^<html/i.test(head)) return;
  for (let at = 0; ; ) {
    const start = nextLocation(text, at);
    if (start === undefined) return;
    const end = text.indexOf('</', start);
    // An unfinished last entry isn't a complete URL.
    if (end === -1) return;
    const location = unescapeXml(text.slice(start, Math.min(end, start + 5000))).trim();
    if (/^https?:\/\//i.test(location)) yield location;
    at = end;
  }
}

const openingTag = /<!--|<(?:[\w-]+:)?loc(?:\s[^<>]*)?>/gi;

/** Returns where the text of the next `loc` starts. Skips those of images, videos and news, which have a prefix. */
function nextLocation(text: string, from: number): number | undefined {
  openingTag.lastIndex = from;
  for (let match = openingTag.exec(text); match; match = openingTag.exec(text)) {
    if (match[0] === '<!--') {
      const end = text.indexOf('-->', openingTag.lastIndex);
      if (end === -1) return undefined;
      openingTag.lastIndex = end;
    } else if (!/^<(?:image|video|news):/i.test(match[0])) {
      return openingTag.lastIndex;
    }
  }
  return undefined;
}

const entities: Record<string, string> = ownNames({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });

/** Resolves XML's five entities and character references; any other entity stays as written. */
function unescapeXml(text: string): string {
  const cdata = /^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/.exec(text)?.[1];
  if (cdata !== undefined) return cdata;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
