import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../platform/errors.ts';
import type { CdpParams, CdpResult } from '../chrome/protocol.ts';
import { attempt, maxLeft, type Tab } from './tab.ts';

type Capture = 'Page.captureScreenshot' | 'Page.printToPDF';

/** How long a picture of a page may take once the page is left, in milliseconds. Often it never comes then. */
const leftMs = 1000;
/** How long a page may be held, in milliseconds: meanwhile, nobody can lead it elsewhere. */
const maxHeldMs = 10_000;
/** What Chrome says if the page was left in between. */
const lost = /: (?:Unable to capture screenshot|Not attached to an active page|Printing failed)/;

/** Takes a picture of a page, also if the page loads itself again and again. */
export async function capture<Command extends Capture>(
  tab: Tab,
  command: Command,
  params: CdpParams<Command>,
): Promise<CdpResult<Command>> {
  const take = () => tab.send(command, params);
  return (await unlessLeft(tab, take)) ?? (await ofHeldPage(tab, take));
}

/** Returns a picture, or undefined if its page was left meanwhile. */
async function unlessLeft<Picture>(tab: Tab, take: () => Promise<Picture>): Promise<Picture | undefined> {
  const { promise: left, resolve } = Promise.withResolvers<undefined>();
  const stop = tab.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === tab.frameId) setTimeout(resolve, leftMs, undefined).unref();
  });
  const picture = take().catch((error: unknown) => {
    if (!lost.test(messageOf(error))) throw error;
    return undefined;
  });
  try {
    return await Promise.race([picture, left]);
  } finally {
    stop();
  }
}

/** Returns a picture of a page that is kept from leading to another one while it is taken. */
async function ofHeldPage<Picture>(tab: Tab, take: () => Promise<Picture>): Promise<Picture> {
  const { client, frameId: targetId } = tab;
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const stop = client.on('Fetch.requestPaused', ({ requestId, frameId }, from) => {
    if (from !== sessionId) return;
    const answered =
      frameId === targetId
        ? client.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId)
        : client.send('Fetch.continueRequest', { requestId }, sessionId);
    answered.catch(() => undefined);
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  late.catch(() => undefined);
  const timer = setTimeout(reject, maxHeldMs, new Error('The page gave no picture in time.')).unref();
  try {
    await client.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }, sessionId);
    for (let tries = 0; tries < maxLeft; tries++) {
      const picture = await Promise.race([unlessLeft(tab, take), late]);
      if (picture !== undefined) return picture;
      // A page that was on its way may still come.
      await wait(50);
    }
    throw new Error('No picture of the page could be taken: it may load itself again and again.');
  } finally {
    clearTimeout(timer);
    stop();
    await attempt(client.send('Target.detachFromTarget', { sessionId }));
  }
}
