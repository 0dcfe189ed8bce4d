import { setTimeout as sleep } from 'node:timers/promises';
import { keepLast } from '../../platform/last-used.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';

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

/** Loads the icons of pages over the browser's network, without cookies, and tries addresses there. */
export class Icons {
  #client: CdpClient;
  #cache = new Map<string, Promise<string | undefined>>();

  constructor(client: CdpClient) {
    this.#client = client;
  }

  /** Returns a page's icon as a `data:` URL, or undefined if it has none that can be shown. */
  async of(session: string, frameId: string, pageUrl: string): Promise<string | undefined> {
    if (!/^https?:/.test(pageUrl)) return undefined;
    const declared = await this.#declared(session, frameId);
    const url = declared ?? new URL('/favicon.ico', pageUrl).href;
    if (url.startsWith('data:')) return fromDataUrl(url);
    const cached = this.#cache.get(url);
    if (cached) return await cached;
    const loaded = this.#load(url, session, frameId).catch(() => undefined);
    keepLast(this.#cache, url, loaded, maxCached);
    return await loaded;
  }

  /** Returns whether anything answers at an http or https URL. Asks again if the page's frame was replaced meanwhile. */
  async answers(session: string, frameId: string, url: string): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const answered = await this.#answersOnce(session, frameId, url).catch(() => false);
      if (answered || attempt === 3) return answered;
      await sleep(200);
    }
  }

  async #answersOnce(session: string, frameId: string, url: string): Promise<boolean> {
    const { resource } = await this.#client.send(
      'Network.loadNetworkResource',
      { frameId, url, options: { disableCache: true, includeCredentials: false } },
      session,
    );
    const { httpStatusCode, netErrorName, stream } = resource;
    if (stream) await this.#client.send('IO.close', { handle: stream }, session).catch(() => undefined);
    // Chrome keeps public and error pages from local servers, but only once it has connected to them.
    if (netErrorName === 'net::ERR_BLOCKED_BY_LOCAL_NETWORK_ACCESS_CHECKS') return true;
    return httpStatusCode !== undefined && httpStatusCode > 0;
  }

  async #declared(session: string, frameId: string): Promise<string | undefined> {
    const world = await this.#client.send('Page.createIsolatedWorld', { frameId, worldName: 'live-view' }, session);
    const { result } = await this.#client.send(
      'Runtime.evaluate',
      {
        contextId: world.executionContextId,
        expression: `document.querySelector('link[rel~="icon" i]')?.href`,
        returnByValue: true,
        timeout: 1_000,
      },
      session,
    );
    const { value } = result;
    return typeof value === 'string' && value.length <= 100_000 && /^(https?|data):/.test(value) ? value : undefined;
  }

  async #load(url: string, session: string, frameId: string): Promise<string | undefined> {
    const { resource } = await this.#client.send(
      'Network.loadNetworkResource',
      { frameId, url, options: { disableCache: false, includeCredentials: false } },
      session,
    );
    const { success, httpStatusCode, stream } = resource;
    if (!stream) return undefined;
    try {
      if (!success || httpStatusCode !== 200) return undefined;
      return dataUrl(await this.#read(stream, session));
    } finally {
      await this.#client.send('IO.close', { handle: stream }, session).catch(() => undefined);
    }
  }

  async #read(handle: string, session: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let size = 0; size <= maxIconBytes; ) {
      const read = await this.#client.send('IO.read', { handle, size: 16 * 1024 }, session);
      const piece = Buffer.from(read.data, read.base64Encoded ? 'base64' : 'utf8');
      pieces.push(piece);
      size += piece.length;
      if (read.eof) return Buffer.concat(pieces);
    }
    return Buffer.alloc(0);
  }
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
