import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { CdpClient } from '../chrome/cdp-client.ts';

/** What is kept of a browser whose folder is out of reach: cookies, and the local storage of each origin. */
const state = z.object({
  cookies: z.array(z.record(z.string(), z.unknown())),
  localStorage: z.record(z.string(), z.record(z.string(), z.string())),
});
const fileName = 'portable-state.json';

/** Writes the state of a remote browser into `folder`; `origins` are those that it visited. */
export async function keepPortableState(client: CdpClient, folder: string, origins: Iterable<string>): Promise<void> {
  const { cookies } = (await client.send('Storage.getCookies')) as { cookies: Record<string, unknown>[] };
  const known = await read(folder);
  const localStorage: Record<string, Record<string, string>> = {};
  await withBlankPages(client, async (visit) => {
    for (const origin of new Set([...Object.keys(known?.localStorage ?? {}), ...origins])) {
      const items = JSON.parse(await visit(origin, 'JSON.stringify({ ...localStorage })')) as Record<string, string>;
      if (Object.keys(items).length > 0) localStorage[origin] = items;
    }
  });
  const kept = cookies.map(({ size: _, session, expires, ...cookie }) => (session ? cookie : { ...cookie, expires }));
  await writeFile(join(folder, fileName), JSON.stringify({ cookies: kept, localStorage }), { mode: 0o600 });
}

/** Gives a remote browser the state that is in `folder`, if there is one. */
export async function restorePortableState(client: CdpClient, folder: string): Promise<void> {
  const known = await read(folder);
  if (!known) return;
  if (known.cookies.length > 0) await client.send('Storage.setCookies', { cookies: known.cookies });
  await withBlankPages(client, async (visit) => {
    for (const [origin, items] of Object.entries(known.localStorage)) {
      await visit(origin, `Object.assign(localStorage, ${JSON.stringify(items)}); 'done'`);
    }
  });
}

async function read(folder: string): Promise<z.output<typeof state> | undefined> {
  try {
    return state.parse(JSON.parse(await readFile(join(folder, fileName), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs expressions on empty pages of any origin: the requests are answered here, so that nothing of the site runs. */
async function withBlankPages(
  client: CdpClient,
  work: (visit: (origin: string, expression: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const { targetId } = await client.send('Target.createTarget', { url: 'about:blank', background: true });
  const { sessionId } = (await client.send('Target.attachToTarget', { targetId, flatten: true })) as {
    sessionId: string;
  };
  const stopAnswering = client.on('Fetch.requestPaused', ({ requestId }, from) => {
    if (from !== sessionId) return;
    const answer = {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'content-type', value: 'text/html' }],
      body: '',
    };
    client.send('Fetch.fulfillRequest', answer, sessionId).catch(() => undefined);
  });
  try {
    await client.send('Page.enable', {}, sessionId);
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId);
    await work(async (origin, expression) => {
      const loaded = new Promise<void>((resolve) => {
        const stop = client.on('Page.loadEventFired', (_params, from) => {
          if (from !== sessionId) return;
          stop();
          resolve();
        });
      });
      await client.send('Page.navigate', { url: `${origin}/` }, sessionId);
      await loaded;
      const { result } = (await client.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId)) as {
        result: { value: string };
      };
      return result.value;
    });
  } finally {
    stopAnswering();
    await client.send('Target.closeTarget', { targetId });
  }
}
