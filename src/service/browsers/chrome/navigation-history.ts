import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../platform/errors.ts';
import type { CdpResult } from './protocol.ts';

/** What Chrome answers for a tab that is on its way from one document to the next, although it has told of the next one. */
const between = /: Not attached to an active page/;
/** How often a tab is asked again then, and after how many milliseconds. */
const [maxTries, againMs] = [200, 50];

/**
 * Returns the history of a tab as soon as the tab is at a document. Throws what `ask` throws: at once, or if the tab is still
 * on its way after ten seconds.
 * @param ask sends `Page.getNavigationHistory` to the tab
 */
export async function navigationHistory(
  ask: (command: 'Page.getNavigationHistory') => Promise<CdpResult<'Page.getNavigationHistory'>>,
): Promise<CdpResult<'Page.getNavigationHistory'>> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask('Page.getNavigationHistory');
    } catch (error) {
      if (tries === maxTries || !between.test(messageOf(error))) throw error;
      await wait(againMs);
    }
  }
}
