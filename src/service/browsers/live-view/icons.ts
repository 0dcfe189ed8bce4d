import { decodeXML } from 'entities';
import { keepLast } from '../../platform/maps.ts';
import { type AddressPolicy, isLoopbackHost, literalOf } from '../../platform/network/address-policy/address-policy.ts';
import { kindOf } from '../../platform/network/address-policy/addresses.ts';
import type { Fetched, Fetcher, FetchRequest } from '../../platform/network/fetch.ts';
import { publicOrNamed } from '../../platform/network/public-or-named.ts';
import type { CdpSend } from '../chrome/protocol.ts';
import { evaluateIn } from './page-objects.ts';

/** Maximum size of an icon in bytes; larger icons aren't shown. */
const maxIconBytes = 48 * 1024;
/** Maximum number of cached icons. */
const maxCached = 100;
/** Maximum number of icons of a page that are tried until one is shown. */
const maxTried = 3;

/** First bytes of the supported image formats. */
const signatures: readonly [type: string, prefix: string][] = [
  ['image/png', '\x89PNG'],
  ['image/x-icon', '\x00\x00\x01\x00'],
  ['image/gif', 'GIF8'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/webp', 'RIFF'],
];

/** Milliseconds that a server has to answer. */
const loadMs = 10_000;

/** Fetches a URL as the browser may; `page` is that of a page that names it. */
export type FetchAsBrowser = (url: string, request: Omit<FetchRequest, 'policy'>, page?: string) => Promise<Fetched>;

/** A browser, and what its pages may connect to. */
export interface PagesAccess {
  fetcher: Fetcher;
  /** The service's own policy. */
  policy: AddressPolicy;
  /** What the browser may connect to, if that is less. */
  under: AddressPolicy | undefined;
  /** Whether it uses the network of this machine. */
  local: boolean;
  /** Origins that it has visited. */
  origins: ReadonlySet<string>;
}

/**
 * Fetches from this machine what a live view shows beside the pages of a browser. As in Chrome, a public page reaches nothing
 * that only this machine can reach, and neither does a browser elsewhere.
 */
export function fetchAsBrowser({ fetcher, policy, under, local, origins }: PagesAccess): FetchAsBrowser {
  const isVisited = (host: string, port: number) =>
    local && ['http', 'https'].some((scheme) => origins.has(URL.parse(`${scheme}://${host}:${port}`)?.origin ?? ''));
  const forPages = publicOrNamed(policy, isVisited, "it is a private address that the browser hasn't visited");
  return (url, request, page) => {
    const isFromHere = local && (page === undefined || isPrivateAddress(new URL(page).hostname));
    return fetcher.fetch(url, { ...request, policy: under ?? (isFromHere ? undefined : forPages) });
  };
}

/** Not for names that only look like addresses: whoever has the name `10.example.com` may publish pages there. */
function isPrivateAddress(host: string): boolean {
  const literal = literalOf(host);
  return isLoopbackHost(host) || (literal !== undefined && kindOf(literal) !== 'public');
}

/**
 * Loads the icons of pages, without cookies, and tries addresses. Not in the browser: its command for that keeps a body of any
 * length in memory, and an endless one would end the browser.
 */
export class Icons {
  #fetch: FetchAsBrowser;
  #cache = new Map<string, Promise<string | undefined>>();
  #closed = new AbortController();

  constructor(fetch: FetchAsBrowser) {
    this.#fetch = fetch;
  }

  /** Loads nothing more. */
  close(): void {
    this.#closed.abort();
  }

  /** Returns a page's icon as a `data:` URL, or undefined if it has none that can be shown. */
  async of(send: CdpSend, frameId: string, pageUrl: string): Promise<string | undefined> {
    if (!/^https?:/.test(pageUrl)) return undefined;
    const urls = await declared(send, frameId);
    for (const url of urls.length > 0 ? urls : [new URL('/favicon.ico', pageUrl).href]) {
      const icon = url.startsWith('data:') ? fromDataUrl(url) : await this.#cached(url, pageUrl);
      if (icon !== undefined) return icon;
    }
    return undefined;
  }

  /** Returns whether anything answers at an http or https URL. */
  async answers(url: string): Promise<boolean> {
    const start = { maxBytes: 1, onOverflow: 'truncate', maxRedirects: 0 } as const;
    return await this.#get(url, start).then(
      () => true,
      () => false,
    );
  }

  #cached(url: string, page: string): Promise<string | undefined> {
    const cached = this.#cache.get(url);
    if (cached) return cached;
    const loaded = this.#load(url, page).catch(() => undefined);
    keepLast(this.#cache, url, loaded, maxCached);
    return loaded;
  }

  async #load(url: string, page: string): Promise<string | undefined> {
    const { status, body } = await this.#get(url, { maxBytes: maxIconBytes }, page);
    return status === 200 ? dataUrl(Buffer.from(body)) : undefined;
  }

  #get(url: string, limits: Pick<FetchRequest, 'maxBytes' | 'onOverflow' | 'maxRedirects'>, page?: string) {
    return this.#fetch(url, { ...limits, timeoutMs: loadMs, signal: this.#closed.signal }, page);
  }
}

/** Returns the icons that a page declares, the first to try first: SVGs are last, since only simple ones are shown. */
async function declared(send: CdpSend, frameId: string): Promise<string[]> {
  const [icon, svg] = ['link[rel~="icon" i]', '[type*="svg" i], [href*="svg" i]'];
  const expression = `['${icon}:not(${svg})', '${icon}:is(${svg})']
    .flatMap((links) => [...document.querySelectorAll(links)].slice(0, ${maxTried - 1}))
    .slice(0, ${maxTried}).map(({ href }) => href)`;
  const { value } = await evaluateIn(send, frameId, { expression, returnByValue: true, timeout: 1_000 });
  return (Array.isArray(value) ? value : []).filter(
    (url) => typeof url === 'string' && url.length <= 100_000 && /^(https?|data):/.test(url),
  );
}

/** Returns an image as a `data:` URL, with the type detected from its content. */
function dataUrl(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 8).toString('latin1');
  const found = signatures.find(([, prefix]) => start.startsWith(prefix))?.[0];
  const type = found ?? (isQuickSvg(bytes.toString()) ? 'image/svg+xml' : undefined);
  return type && `data:${type};base64,${bytes.toString('base64')}`;
}

/** Parts of SVG that repeat, move or filter what is drawn, contain another document, or hide such parts. Icons seldom have them. */
const slowSvg =
  /\\|data:|dasharray(?!\s*(?::|=\s*["'])\s*none)|(?<!color-interpolation-)filter|animat|@import|image-set|[^:="'\s]\s*url\(|1999\/xhtml|encoding\s*=\s*["'](?!(?:utf-?8|iso-8859-1)["'])|<!ENTITY|<\?xml-stylesheet|<(?:[^\s<>:]*:)?(?:set|image|pattern|marker|foreignObject)(?![\w-])/i;
/** An entity that XML has only by its document type: it may stand for anything. */
const foreignEntity = /&(?!(?:amp|lt|gt|quot|apos);)\w+;/;
/** A reference to something that is drawn anew: all but those to gradients. */
const reference = /<(?:[^\s<>:]*:)?use(?![\w-])|(?:clip-path|mask(?:-image)?)\s*(?:[=:]|\/\*)/gi;
/** The longest icon with a style sheet, since each rule may be compared with each element. */
const longestStyled = 8 * 1024;

/**
 * Returns whether a text is an SVG that is drawn in no time. It runs no scripts as an image, but viewers of a session draw it
 * in the process of their page: a small one may need hours, and nothing can be done in the page until then.
 */
function isQuickSvg(text: string): boolean {
  if (!/^\ufeff?\s*(?:<\?xml|<svg|<!--|<!DOCTYPE svg)/.test(text)) return false;
  const svg = decodeXML(text);
  const references = svg.match(reference)?.length ?? 0;
  const isStyled = /<(?:[^\s<>:]*:)?style(?![\w-])/i.test(svg);
  if (foreignEntity.test(text) || slowSvg.test(svg) || (isStyled && svg.length > longestStyled)) return false;
  if (references > 0 && (isStyled || /var\(/i.test(svg))) return false;
  // Things that refer to things multiply: with n references, each is drawn up to 3^(n/3) times.
  return svg.length * 3 ** (references / 3) <= 6 * maxIconBytes;
}

function fromDataUrl(url: string): string | undefined {
  const [, type, base64, content = ''] =
    /^data:(image\/[a-z0-9.+-]{1,100})[^,]{0,200}?(;base64)?,(.*)$/is.exec(url) ?? [];
  if (!type || content.length > maxIconBytes * 2) return undefined;
  try {
    return dataUrl(base64 ? Buffer.from(content, 'base64') : Buffer.from(decodeURIComponent(content), 'utf8'));
  } catch {
    return undefined;
  }
}
