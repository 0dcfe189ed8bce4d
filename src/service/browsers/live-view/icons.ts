import { setTimeout as sleep } from 'node:timers/promises';
import { keepLast } from '../../platform/last-used.ts';
import type { CdpSend } from '../chrome/protocol.ts';
import { evaluateIn } from './page-objects.ts';

/** Maximum size of an icon in bytes; larger icons aren't shown. */
const maxIconBytes = 48 * 1024;
/** Maximum number of cached icons. */
const maxCached = 100;

/** First bytes of the supported image formats. */
const signatures: readonly [type: string, prefix: string][] = [
  ['image/png', '\x89PNG'],
  ['image/x-icon', '\x00\x00\x01\x00'],
  ['image/gif', 'GIF8'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/webp', 'RIFF'],
];

/** Asks for a resource over the browser's network, without cookies. */
async function request(send: CdpSend, frameId: string, url: string, disableCache: boolean) {
  const options = { disableCache, includeCredentials: false };
  return (await send('Network.loadNetworkResource', { frameId, url, options })).resource;
}

async function close(send: CdpSend, handle: string | undefined): Promise<void> {
  if (handle) await send('IO.close', { handle }).catch(() => undefined);
}

/** Returns whether anything answers at an http or https URL. Asks again if the page's frame was replaced meanwhile. */
export async function answers(send: CdpSend, frameId: string, url: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const answered = await answersOnce(send, frameId, url).catch(() => false);
    if (answered || attempt === 3) return answered;
    await sleep(200);
  }
}

async function answersOnce(send: CdpSend, frameId: string, url: string): Promise<boolean> {
  const { httpStatusCode, netErrorName, stream } = await request(send, frameId, url, true);
  await close(send, stream);
  // Chrome keeps public and error pages from local servers, but only once it has connected to them.
  if (netErrorName === 'net::ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS') return true;
  return httpStatusCode !== undefined && httpStatusCode > 0;
}

/** Loads the icons of pages. */
export class Icons {
  #cache = new Map<string, Promise<string | undefined>>();

  /** Returns a page's icon as a `data:` URL, or undefined if it has none that can be shown. */
  async of(send: CdpSend, frameId: string, pageUrl: string): Promise<string | undefined> {
    if (!/^https?:/.test(pageUrl)) return undefined;
    const url = (await declared(send, frameId)) ?? new URL('/favicon.ico', pageUrl).href;
    if (url.startsWith('data:')) return fromDataUrl(url);
    const cached = this.#cache.get(url);
    if (cached) return await cached;
    const loaded = load(send, frameId, url).catch(() => undefined);
    keepLast(this.#cache, url, loaded, maxCached);
    return await loaded;
  }
}

async function declared(send: CdpSend, frameId: string): Promise<string | undefined> {
  const expression = `document.querySelector('link[rel~="icon" i]')?.href`;
  const { value } = await evaluateIn(send, frameId, { expression, returnByValue: true, timeout: 1_000 });
  return typeof value === 'string' && value.length <= 100_000 && /^(https?|data):/.test(value) ? value : undefined;
}

async function load(send: CdpSend, frameId: string, url: string): Promise<string | undefined> {
  const { success, httpStatusCode, stream } = await request(send, frameId, url, false);
  try {
    return stream && success && httpStatusCode === 200 ? dataUrl(await read(send, stream)) : undefined;
  } finally {
    await close(send, stream);
  }
}

async function read(send: CdpSend, handle: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let size = 0; size <= maxIconBytes; ) {
    const { data, base64Encoded, eof } = await send('IO.read', { handle, size: 16 * 1024 });
    const piece = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
    pieces.push(piece);
    size += piece.length;
    if (eof) return Buffer.concat(pieces);
  }
  return Buffer.alloc(0);
}

/** Returns an image as a `data:` URL, with the type detected from its content. */
function dataUrl(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 8).toString('latin1');
  const found = signatures.find(([, prefix]) => start.startsWith(prefix))?.[0];
  // SVG runs no scripts when shown as an image.
  const type = found ?? (/^\s*(<\?xml|<svg|<!--)/.test(bytes.toString('utf8', 0, 200)) ? 'image/svg+xml' : undefined);
  return type && `data:${type};base64,${bytes.toString('base64')}`;
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
