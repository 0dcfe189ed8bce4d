import { messageOf } from '../../platform/errors.ts';
import type { CdpParams, CdpResult } from '../chrome/protocol.ts';
import { hold } from './hold.ts';
import type { Tab } from './tab.ts';

type Capture = 'Page.captureScreenshot' | 'Page.printToPDF';

/** How long a picture of a page may take once the page is left, in milliseconds. Often it never comes then. */
const leftMs = 1000;
/** What Chrome says if the page was left in between. */
const lost = /: (?:Unable to capture screenshot|Not attached to an active page|Printing failed)/;

/** Takes a picture of a page, also if the page loads itself again and again. */
export async function capture<Command extends Capture>(
  tab: Tab,
  command: Command,
  params: CdpParams<Command>,
): Promise<CdpResult<Command>> {
  const take = () => tab.send(command, params);
  const picture = (await unlessLeft(tab, take)) ?? (await hold(tab, () => unlessLeft(tab, take)));
  if (picture === undefined)
    throw new Error('No picture of the page could be taken in time: it may load itself again and again.');
  return picture;
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
