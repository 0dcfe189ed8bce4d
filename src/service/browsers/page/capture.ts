import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../platform/errors.ts';
import type { CdpParams, CdpResult } from '../chrome/protocol.ts';
import { hold } from './hold.ts';
import type { Tab } from './tab.ts';

type Capture = 'Page.captureScreenshot' | 'Page.printToPDF';

/** How long a picture of a page may take once the page is left, in milliseconds. Often it never comes then. */
const leftMs = 1000;
/** What Chrome says if the page was left in between. */
const lost = /: (?:Unable to capture screenshot|Not attached to an active page|Printing failed)/;
/** How often a page is tried before it is held, as it may be on its way to another one, and after how many milliseconds. */
const [freeTries, againMs] = [3, 50];
/** How often a picture may fail although the page stays: then, something else is wrong. */
const maxFailures = 5;

/** Takes a picture of a page, also if the page loads itself again and again. */
export async function capture<Command extends Capture>(
  tab: Tab,
  command: Command,
  params: CdpParams<Command>,
): Promise<CdpResult<Command>> {
  let cause: unknown;
  let failures = 0;
  let moves = false;
  const note = (frameId: string) => {
    moves ||= frameId === tab.frameId;
  };
  const stops = [
    tab.on('Page.frameStartedLoading', ({ frameId }) => note(frameId)),
    tab.on('Page.frameNavigated', ({ frame }) => note(frame.id)),
  ];
  const take = () =>
    tab.send(command, params).catch((error: unknown) => {
      if (!lost.test(messageOf(error)) || (!moves && ++failures === maxFailures)) throw error;
      cause = error;
      return undefined;
    });
  try {
    for (let tries = 1; tries <= freeTries; tries++) {
      const picture = await unlessLeft(tab, take);
      if (picture !== undefined) return picture;
      await wait(againMs);
    }
    const picture = await hold(tab, () => unlessLeft(tab, take));
    if (picture !== undefined) return picture;
  } finally {
    for (const stop of stops) stop();
  }
  const why = moves ? ': it may load itself again and again.' : cause === undefined ? '.' : `: ${messageOf(cause)}`;
  throw new Error(`No picture of the page could be taken in time${why}`, { cause });
}

/** Returns a picture, or undefined if its page was left meanwhile. */
async function unlessLeft<Picture>(tab: Tab, take: () => Promise<Picture | undefined>): Promise<Picture | undefined> {
  const { promise: left, resolve } = Promise.withResolvers<undefined>();
  const stop = tab.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === tab.frameId) setTimeout(resolve, leftMs, undefined).unref();
  });
  try {
    return await Promise.race([take(), left]);
  } finally {
    stop();
  }
}
