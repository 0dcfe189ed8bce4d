import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { StorageState } from '../../../contract/sessions/logins.ts';
import { shorten } from '../../../contract/shorten.ts';
import { within } from '../../platform/async.ts';
import { ServiceError } from '../../platform/errors.ts';
import { readLargeJson } from '../../platform/read-large-json.ts';
import { type CdpClient, NoAnswer } from '../chrome/cdp-client.ts';
import type { Protocol } from '../chrome/protocol.ts';
import { readOwnJson, writeOwnJson } from './own-files.ts';

/** Saved state of a browser whose folder isn't accessible: cookies, and the local storage of each origin. */
const state = z.object({
  cookies: z.array(z.record(z.string(), z.unknown())),
  localStorage: z.record(z.string(), z.record(z.string(), z.string())),
});
const fileName = 'portable-state.json';
const cookiesName = 'session-cookies.json';

/** Saves session cookies with the profile: Chrome drops them when it exits, and many sites store a login in them. */
export async function saveSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const { cookies } = await client.send('Storage.getCookies');
  const kept = cookies
    .filter(({ session }) => session)
    .map(({ session: _, expires: __, size: ___, ...cookie }) => cookie);
  await writeOwnJson(join(userDataDir, cookiesName), kept);
}

/** Restores the session cookies that Chrome dropped. */
export async function restoreSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const cookies = (await readOwnJson(join(userDataDir, cookiesName))) as Protocol.Network.CookieParam[] | undefined;
  if (cookies && cookies.length > 0) await client.send('Storage.setCookies', { cookies });
}

/** Saves the state of a remote browser in `folder`, however much it is; `visited` are the origins that it visited. */
export async function savePortableState(client: CdpClient, folder: string, visited: Iterable<string>): Promise<void> {
  const { cookies } = await client.send('Storage.getCookies');
  const saved = await read(folder);
  const origins = [...Object.keys(saved?.localStorage ?? {}), ...visited];
  const localStorage: Record<string, Record<string, string>> = {};
  for (const { origin, localStorage: items } of await readLocalStorage(client, origins, Number.POSITIVE_INFINITY))
    localStorage[origin] = Object.fromEntries(items.map(({ name, value }) => [name, value]));
  const kept = cookies.map(({ size: _, session, expires, ...cookie }) => (session ? cookie : { ...cookie, expires }));
  await writeOwnJson(join(folder, fileName), { cookies: kept, localStorage });
}

/** Restores the state in `folder`, if there is one, to a remote browser. */
export async function restorePortableState(client: CdpClient, folder: string): Promise<void> {
  const saved = await read(folder);
  if (!saved) return;
  if (saved.cookies.length > 0)
    await client.send('Storage.setCookies', { cookies: saved.cookies as unknown as Protocol.Network.CookieParam[] });
  await withBlankPages(client, async (visit) => {
    for (const [origin, items] of Object.entries(saved.localStorage)) {
      await visit(origin, `Object.assign(localStorage, ${JSON.stringify(items)}); 'done'`);
    }
  });
}

async function read(folder: string): Promise<z.output<typeof state> | undefined> {
  return state.optional().parse(await readOwnJson(join(folder, fileName)));
}

/**
 * Reads the local storage of origins, one after another, and returns it without those that have none. Throws 400 if there is
 * more than that of a login that is saved or exported: the browser doesn't send what is beyond `most` characters.
 */
export async function readLocalStorage(
  client: CdpClient,
  origins: Iterable<string>,
  most: number = limits.loginStorage,
): Promise<StorageState['origins']> {
  const visited = [...new Set(origins)];
  const found: StorageState['origins'] = [];
  if (visited.length === 0) return found;
  let [size, largest, largestOrigin] = [0, 0, ''];
  await withBlankPages(client, async (visit) => {
    for (const origin of visited) {
      const read = 'JSON.stringify(Object.entries(localStorage).map(([name, value]) => ({ name, value })))';
      const json = await visit(origin, `(json => json.length > ${most - size} ? String(json.length) : json)(${read})`);
      const length = json.startsWith('[') ? json.length : Number(json);
      size += length;
      if (length > largest) [largest, largestOrigin] = [length, origin];
      if (size > most || json === '[]') continue;
      found.push({
        origin,
        localStorage: (await readLargeJson([Buffer.from(json)])) as (typeof found)[0]['localStorage'],
      });
    }
  });
  if (size <= most) return found;
  const millions = (characters: number) => (characters / 1e6).toFixed(1);
  throw new ServiceError(
    400,
    `The localStorage of the sites has ${millions(size)} million characters, of which ${shorten(largestOrigin, 200)} has ${millions(largest)} million; at most ${millions(most)} million can be saved or exported. In a session with this login, run localStorage.clear() on a page of each site that you don't need, then try again.`,
    { code: 'LOGIN_TOO_LARGE' },
  );
}

/** How long a blank page may take to load, in milliseconds. */
const mostLoadMs = 30_000;

/**
 * Evaluates expressions on blank pages of any origin; requests are fulfilled locally, so that no code of the site runs. Rejects
 * with a NoAnswer if one doesn't load.
 */
export async function withBlankPages(
  client: CdpClient,
  work: (visit: (origin: string, expression: string) => Promise<string>) => Promise<void>,
  loadMs = mostLoadMs,
): Promise<void> {
  const { targetId } = await client.send('Target.createTarget', { url: 'about:blank', background: true });
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const stopFulfilling = client.on('Fetch.requestPaused', ({ requestId }, from) => {
    if (from !== sessionId) return;
    const response = {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'content-type', value: 'text/html' }],
      body: '',
    };
    client.send('Fetch.fulfillRequest', response, sessionId).catch(() => undefined);
  });
  const loaded = new Set<string | undefined>();
  let onLoad: () => void = () => undefined;
  const stopListening = client.on('Page.lifecycleEvent', ({ name, loaderId }, from) => {
    if (from !== sessionId || name !== 'load') return;
    loaded.add(loaderId);
    onLoad();
  });
  try {
    await client.send('Page.enable', {}, sessionId);
    await client.send('Page.setLifecycleEventsEnabled', { enabled: true }, sessionId);
    // A service worker of the site would answer instead, or never.
    await client.send('Network.enable', {}, sessionId);
    await client.send('Network.setBypassServiceWorker', { bypass: true }, sessionId);
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId);
    await work(async (origin, expression) => {
      const page = await client.send('Page.navigate', { url: `${origin}/` }, sessionId);
      if (page.errorText) throw new Error(`Chrome can't open a page of ${origin}: ${page.errorText}.`);
      // The first page of the tab may load late, too, and has no storage.
      const loading = new Promise<void>((resolve) => {
        onLoad = () => {
          if (loaded.has(page.loaderId)) resolve();
        };
        onLoad();
      });
      if (!(await within(loadMs, loading)))
        throw new NoAnswer(`Page.navigate: the browser didn't load a page of ${origin} within ${loadMs / 1000} s`);
      const options = { expression, returnByValue: true };
      const { result, exceptionDetails } = await client.send('Runtime.evaluate', options, sessionId);
      if (exceptionDetails) throw new Error(`Chrome refuses the local storage of ${origin}: ${result.description}`);
      return result.value;
    });
  } finally {
    stopFulfilling();
    stopListening();
    await client.send('Target.closeTarget', { targetId });
  }
}

/** Limits for pages that don't respond, in milliseconds. */
const answerMs = 1000;
const closingMs = 2000;

/**
 * Closes all pages, without the code that they run as they close, and resolves once Chrome has written their local storage to the
 * disk: as it exits, it drops large values that were stored shortly before.
 */
export async function closePages(client: CdpClient): Promise<void> {
  const targets = await targetsOf(client);
  // The answer of a page's process also says that what the page stored last has left it.
  await Promise.all(targets.map((target) => within(answerMs, stopScripts(client, target))));
  // Chrome may exit with its last page.
  await client.send('Target.createTarget', { url: 'about:blank', background: true });
  const pages = targets.filter(({ type }) => type === 'page').map(({ targetId }) => targetId);
  await Promise.all(pages.map((targetId) => client.send('Target.closeTarget', { targetId }).catch(() => undefined)));
  const end = Date.now() + closingMs;
  while (Date.now() < end && (await targetsOf(client)).some(({ targetId }) => pages.includes(targetId))) await wait(10);
  // Chrome writes the storage of an origin when its last page closes, and reads that of one without pages after that. This one is
  // in no history.
  await withBlankPages(client, async (visit) => void (await visit('chrome://version', 'String(localStorage.length)')));
}

async function targetsOf(client: CdpClient): Promise<Protocol.Target.TargetInfo[]> {
  const { targetInfos } = await client.send('Target.getTargets');
  return targetInfos.filter(({ type }) => type === 'page' || type === 'iframe');
}

async function stopScripts(client: CdpClient, { targetId }: Protocol.Target.TargetInfo): Promise<void> {
  try {
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    await client.send('Emulation.setScriptExecutionDisabled', { value: true }, sessionId);
  } catch {
    // It has closed.
  }
}
