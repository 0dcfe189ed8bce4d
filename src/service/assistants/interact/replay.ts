import { runActions, waitForSelector } from '../../browsers/page/actions.ts';
import { confineTab } from '../../browsers/page/confinement.ts';
import { createDeadline } from '../../browsers/page/deadline.ts';
import { applyAppearance } from '../../browsers/page/emulation.ts';
import { languagesOf } from '../../browsers/page/languages.ts';
import {
  type Deadline,
  delay,
  maxLoadMs,
  type SettleTiming,
  settle,
  watchQuietness,
} from '../../browsers/page/settle.ts';
import { attachTab, attempt, type Tab } from '../../browsers/page/tab.ts';
import type { BrowserHost } from '../../browsers/sessions/host.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { ReplayContext } from '../../web/scrape/scrape.ts';

/** Actions that only produce output and leave the page unchanged. */
const withoutEffect = new Set(['screenshot', 'pdf', 'scrape']);
/** The page stays open, so a step waits only for what it needs, not for everything the page still does. */
const brisk: SettleTiming = { start: 50, quiet: 50 };
/** Milliseconds that a new tab may be blank. */
const blankMs = 1000;
/** Milliseconds until the element of an action counts as missing. */
const missingMs = 5000;
/** Milliseconds for a replay: `spare` more than the scrape itself waited, between `least` and `most`. */
const budget = { spare: 45_000, least: 30_000, most: 300_000 } as const;

/**
 * Restores the state that a scrape left its page in, in a new browser: the URL, the wait, the actions in order. When an
 * action opens a tab, the next action runs in it; only the last tab stays open. Throws when a step fails. Returns whether
 * the last tab is another one than the first.
 */
export async function replay(
  host: BrowserHost,
  context: ReplayContext,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<{ inOtherTab: boolean }> {
  const actions = context.actions.filter(({ type }) => !withoutEffect.has(type));
  const waits = actions.reduce(
    (sum, action) => sum + (action.type === 'wait' ? (action.milliseconds ?? 0) : 0),
    context.waitFor,
  );
  const deadline = createDeadline(Math.min(budget.most, Math.max(budget.least, waits + budget.spare)), signal);
  const languages = languagesOf(context.location);
  const appearance = { mobile: context.mobile, languages, skipTlsVerification: context.skipTlsVerification };

  const enter = async (targetId: string): Promise<Tab> => {
    const tab = await attachTab(host.client, targetId, { close: async () => undefined });
    await applyAppearance(tab, appearance);
    return tab;
  };
  const first = host.tabs.list()[0];
  if (!first) throw new Error('the browser has no tab');
  let tab = await enter(first.targetId);
  const { origin } = new URL(context.url);
  const release = await confineTab(tab, { policy, headers: context.headers, origin });
  const quietness = watchQuietness(tab, brisk);
  try {
    policy.checkUrl(new URL(context.url));
    const { errorText } = await tab.send('Page.navigate', { url: context.url });
    if (errorText) throw new Error(`the page could not be loaded: ${errorText}`);
    await quietness.loaded(deadline);
    await quietness.settled(deadline);
    if (context.waitFor > 0) await delay(context.waitFor, deadline);
    let current = { targetId: first.targetId, quietness };
    for (const action of actions) {
      if (action.type === 'click') await attempt(waitForSelector(tab, action.selector, deadline, missingMs));
      const before = new Set(host.tabs.list().map(({ targetId }) => targetId));
      await runActions(tab, [action], current.quietness, deadline);
      await waitForUrl(host, before, deadline);
      const newest = host.tabs.list().findLast(({ url }) => url !== '' && url !== 'about:blank');
      if (!newest || newest.targetId === current.targetId) continue;
      tab = await enter(newest.targetId);
      current = { targetId: newest.targetId, quietness: watchQuietness(tab, brisk) };
      await settle(current.quietness, deadline);
    }
    await host.client.send('Target.activateTarget', { targetId: current.targetId });
    for (const { targetId } of host.tabs.list()) {
      if (targetId !== current.targetId) await attempt(host.client.send('Target.closeTarget', { targetId }));
    }
    if (current.quietness !== quietness) current.quietness.stop();
    return { inOtherTab: current.targetId !== first.targetId };
  } finally {
    quietness.stop();
    await attempt(release());
  }
}

/** Waits for the first answer to a tab that was just opened: until then, it has no URL. A blank one may be filled by a script. */
async function waitForUrl(host: BrowserHost, before: ReadonlySet<string>, deadline: Deadline): Promise<void> {
  const start = performance.now();
  const isAwaited = (url: string) => {
    const most = url === '' ? maxLoadMs : url === 'about:blank' ? blankMs : 0;
    return performance.now() - start < most;
  };
  while (host.tabs.list().some(({ targetId, url }) => !before.has(targetId) && isAwaited(url)))
    await delay(10, deadline);
}
