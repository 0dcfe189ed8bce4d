import { setTimeout as wait } from 'node:timers/promises';
import type { CdpClient } from '../chrome/cdp-client.ts';

/** How long a page may be held, in milliseconds: meanwhile, nobody can lead it elsewhere. */
const maxHeldMs = 10_000;
/** A page that was on its way may still come: how often, and after how many milliseconds, it is then tried again. */
const [maxTries, againMs] = [20, 50];

/**
 * Does something with a page that is kept from leading to another one meanwhile. Returns undefined if it couldn't be done within
 * ten seconds.
 * @param act returns undefined if the page was left nevertheless
 */
export async function hold<Result>(
  { client, frameId: targetId }: { client: CdpClient; frameId: string },
  act: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const stop = client.on('Fetch.requestPaused', ({ requestId, frameId }, from) => {
    if (from !== sessionId) return;
    const answered =
      frameId === targetId
        ? client.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId)
        : client.send('Fetch.continueRequest', { requestId }, sessionId);
    answered.catch(() => undefined);
  });
  const until = performance.now() + maxHeldMs;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, maxHeldMs, undefined).unref();
  try {
    await client.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }, sessionId);
    for (let tries = 1; ; tries++) {
      const result = await Promise.race([act(), late]);
      if (result !== undefined || tries === maxTries || performance.now() >= until) return result;
      await wait(againMs);
    }
  } finally {
    clearTimeout(timer);
    stop();
    await client.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
  }
}
