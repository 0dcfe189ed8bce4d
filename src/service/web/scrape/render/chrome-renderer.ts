import type { CdpClient } from '../../../browsers/chrome/cdp-client.ts';
import { aheadOfHogs, closeForRoom } from '../../../browsers/chrome/hogs.ts';
import { runActions } from '../../../browsers/page/actions.ts';
import { confineTab } from '../../../browsers/page/confinement.ts';
import { createDeadline } from '../../../browsers/page/deadline.ts';
import { applyAppearance, invalidateAppearance } from '../../../browsers/page/emulation.ts';
import { noteLateWork } from '../../../browsers/page/late-work.ts';
import type { MoreButton } from '../../../browsers/page/next-rows.ts';
import { takeScreenshot } from '../../../browsers/page/screenshot.ts';
import { type Deadline, delay, watchQuietness } from '../../../browsers/page/settle.ts';
import { attachTab, attempt, authenticateToProxy, type Tab } from '../../../browsers/page/tab.ts';
import { currentAsker } from '../../../platform/asker.ts';
import { orAborted } from '../../../platform/async.ts';
import { type AddressPolicy, RefusedTarget } from '../../../platform/network/address-policy/address-policy.ts';
import type { EgressProxy, Lane } from '../../../platform/network/egress-proxy.ts';
import type { Lack } from '../lack.ts';
import { ScrapeError } from '../scrape-errors.ts';
import { isAdHost } from './ads.ts';
import { failedPartsText, followParts } from './failed-parts.ts';
import { followDocuments, Interrupted, navigate, navigationError } from './navigation.ts';
import { countOpenings } from './openings.ts';
import { NotAPage, type RenderedPage, type RenderRequest } from './render.ts';
import { lookAt } from './scroll-down.ts';
import type { TabPool } from './tab-pool.ts';
import { menuLinksOf, stopEndlessScript, wholeContentOf } from './whole-content.ts';

/** A browser that was opened with a profile. */
export interface ProfileBrowser {
  client: CdpClient;
  /** Closes the browser and saves the profile if requested. */
  close(): Promise<void>;
}

export interface ChromeRendererOptions {
  pool: TabPool;
  policy: AddressPolicy;
  /** The egress proxy for local browsers. */
  egress(): Promise<EgressProxy>;
  /** Whether browsers run on this machine. */
  local: boolean;
  /** Absent if profiles aren't supported. */
  openProfile?: OpenProfileBrowser | undefined;
}

/** @param proxyServer URL of the egress proxy, for a local browser */
export type OpenProfileBrowser = (
  team: string,
  profile: { name: string; saveChanges: boolean },
  proxyServer: string | undefined,
) => Promise<ProfileBrowser>;

const maxTries = 3;

const tooLate = (limitMs: number) => () =>
  new ScrapeError('SCRAPE_TIMEOUT', `The page didn't render within ${limitMs / 1000} s.`);

/** Renders pages in a browser. */
export type Renderer = ReturnType<typeof createChromeRenderer>;

/** Creates a renderer that reuses tabs from page to page. */
export function createChromeRenderer(options: ChromeRendererOptions) {
  const { pool, policy, openProfile } = options;

  async function inProfile(request: RenderRequest, deadline: Deadline): Promise<RenderedPage> {
    const { profile } = request;
    if (!profile || !openProfile) {
      throw new ScrapeError('NO_BROWSER', "This service's browsers don't support profiles.");
    }
    const egress = options.local ? await options.egress() : undefined;
    const opening = openProfile(request.team, profile, egress?.url);
    const browser = await orAborted(opening, deadline.signal).catch((error: unknown) => {
      void attempt(opening.then((late) => late.close()));
      throw error;
    });
    const lane = egress?.lane();
    let page: RenderedPage;
    try {
      const tab = await orAborted(openTab(browser.client, lane), deadline.signal);
      page = await whileAlive(tab, deadline, () => load(tab, request, policy, deadline));
    } catch (error) {
      // What went wrong first is reported.
      await attempt(browser.close());
      throw error;
    } finally {
      lane?.close();
    }
    await browser.close();
    return page;
  }

  async function openTab(client: CdpClient, lane: Lane | undefined): Promise<Tab> {
    // Nobody would look for what a page saves.
    await client.send('Browser.setDownloadBehavior', { behavior: 'deny' });
    const { targetId } = await client.send('Target.createTarget', { url: 'about:blank' });
    const close = async () => void (await attempt(client.send('Target.closeTarget', { targetId })));
    const tab = await attachTab(client, targetId, { ...(lane && { lane }), close });
    if (lane) await authenticateToProxy(tab, lane);
    return tab;
  }

  async function inPool(request: RenderRequest, deadline: Deadline): Promise<RenderedPage> {
    for (let tries = 1; ; tries++) {
      try {
        return await inOneTab(request, deadline);
      } catch (error) {
        if (!(error instanceof Interrupted) || tries === maxTries) throw error;
      }
    }
  }

  async function inOneTab(request: RenderRequest, deadline: Deadline): Promise<RenderedPage> {
    // A browser context that has accepted a certificate keeps trusting it, and keeps the connections that it was allowed.
    const trust = request.skipTlsVerification ? 'any certificate' : 'valid certificates';
    const tab = await pool.acquire(
      { team: request.team, name: `${request.team}, ${trust}${request.policy ? ', narrower policy' : ''}` },
      deadline.signal,
      visitOf(request),
      request.onQueued,
    );
    let reusable = false;
    try {
      const page = await whileAlive(tab, deadline, () => load(tab, request, policy, deadline));
      // Actions and headers may leave state behind that cleaning doesn't remove.
      reusable = request.actions.length === 0 && Object.keys(request.headers).length === 0;
      return page;
    } catch (error) {
      reusable = error instanceof NotAPage;
      throw error;
    } finally {
      pool.release(tab, reusable);
    }
  }

  return {
    /** Throws a ScrapeError, or NotAPage if the URL is a file that browsers don't render. */
    async render(request: RenderRequest): Promise<RenderedPage> {
      const deadline = createDeadline(request.timeoutMs, request.signal, tooLate(request.limitMs));
      try {
        policy.checkUrl(new URL(request.url));
        return await aheadOfHogs(() => (request.profile ? inProfile(request, deadline) : inPool(request, deadline)));
      } catch (error) {
        if (error instanceof RefusedTarget) {
          throw new ScrapeError('SCRAPE_TARGET_REFUSED', error.message, { cause: error });
        }
        if (!(error instanceof ScrapeError) && !(error instanceof NotAPage)) deadline.check();
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

/** Returns the key of the visit that the page belongs to. Navigating to a fragment might not reload the page. */
function visitOf({ job, url }: RenderRequest): string | undefined {
  const { origin, hash } = new URL(url);
  return job === undefined || hash !== '' ? undefined : `${job} ${origin}`;
}

/** Waits for `work`, or rejects when the tab crashes, its page opens too much, or the deadline passes. */
async function whileAlive<Result>(tab: Tab, deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
  const { promise: failure, reject } = Promise.withResolvers<never>();
  const fail = (reason: string) => reject(new ScrapeError('SCRAPE_SITE_ERROR', reason));
  const failForMemory = () => fail('The page was closed, because pages used too much memory.');
  const stops = [
    tab.client.on('Target.targetCrashed', ({ targetId, status }) => {
      if (targetId !== tab.frameId) return;
      // By the service, or by a system that has no memory left.
      if (status === 'killed' && process.platform === 'linux') failForMemory();
      else fail('The page crashed.');
    }),
    countOpenings(tab, fail),
    // A page with a profile has a browser of its own.
    ...(tab.sharedPid === undefined ? [] : [closeForRoom(tab.sharedPid, failForMemory)]),
  ];
  try {
    return await orAborted(Promise.race([work(), failure]), deadline.signal);
  } finally {
    for (const stop of stops) stop();
  }
}

const nothing = { html: '', encoding: undefined, isGrowing: false, next: undefined, others: [] };

async function load(
  tab: Tab,
  request: RenderRequest,
  policy: AddressPolicy,
  deadline: Deadline,
): Promise<RenderedPage> {
  const blocks = request.blockAds ? isAdHost : () => false;
  if (tab.lane) Object.assign(tab.lane, { blocks, policy: request.policy, asker: currentAsker() });
  const [release] = await Promise.all([
    confineTab(tab, {
      policy: request.policy ?? (tab.lane ? undefined : policy),
      blocks,
      headers: request.headers,
      origin: new URL(request.url).origin,
    }),
    applyAppearance(tab, request),
    noteLateWork(tab),
  ]);
  const quietness = watchQuietness(tab);
  const documents = followDocuments(tab);
  const parts = followParts(tab);
  try {
    const isEmpty = await navigate(tab, request, documents);
    const [lacks, besides]: [Lack[], string[]] = [[], []];
    const loaded = await quietness.loaded(deadline);
    const settled = loaded && (await quietness.settled(deadline));
    if (!settled && (await stopEndlessScript(tab))) {
      lacks.push({ what: 'A script of the page never ended and was stopped, so content may be missing.' });
      await quietness.loaded(deadline);
    }
    if (!loaded) await quietness.settled(deadline);
    if (request.waitFor > 0) await delay(request.waitFor, deadline);
    const before = request.actions.length > 0 && onlyScrolls(request) ? await lookAt(tab, settled) : undefined;
    let clickedInVain = false;
    let nextButton: MoreButton | undefined;
    const onStop = (rest?: MoreButton) => {
      clickedInVain = rest === undefined;
      nextButton = rest;
    };
    const onCut = (lacking: string) => void (besides.includes(lacking) || besides.push(lacking));
    const onLeft = (lacking: string) => void lacks.push({ what: lacking });
    const actions =
      request.actions.length > 0
        ? await runActions(tab, request.actions, quietness, deadline, { onStop, onCut, onLeft })
        : undefined;
    if (request.screenshot?.viewport) invalidateAppearance(tab);
    const screenshot = request.screenshot && (await takeScreenshot(tab, request.screenshot, onCut, deadline.signal));
    const { url, html, encoding, isGrowing, next, others } = isEmpty
      ? { ...nothing, url: documents.lastUrl() ?? request.url }
      : await wholeContentOf(tab, request, quietness, deadline, { settled, lacks, besides, before });
    // A script of the page led to one that can't be loaded: what Chrome shows instead isn't of the site.
    if (url.startsWith('chrome-error:'))
      throw navigationError(documents.failure() ?? '', tab, documents.lastUrl() ?? request.url);
    if (quietness.isRestless())
      besides.push('The page loads itself again and again, and was read as it was at one time.');
    const main = documents.main();
    const failedParts = parts.failed();
    if (failedParts.length > 0) lacks.push({ what: failedPartsText(failedParts) });
    const opensMenus = request.allLinks && request.actions.length === 0 && !isEmpty;
    const page: RenderedPage = {
      url,
      html,
      encoding,
      lacks,
      besides,
      failedParts,
      isGrowing,
      goesOn: others,
      clickedInVain,
      nextButton: next ?? nextButton,
      status: main?.status ?? 200,
      contentType: main?.headers['content-type'] ?? (main?.mimeType || undefined),
      link: main?.headers.link,
      retryAfter: main?.headers['retry-after'],
      doubt: main && tab.lane?.doubt(main.url, main.status),
      screenshot,
      actions,
    };
    // After all else is read: it changes the page.
    if (!opensMenus) return page;
    return { ...page, menuLinks: [...others, ...(await menuLinksOf(tab, url, deadline))] };
  } finally {
    quietness.stop();
    documents.stop();
    parts.stop();
    await attempt(release());
  }
}

/** Whether actions do no more than to scroll down and to look at the page. */
function onlyScrolls({ actions }: RenderRequest): boolean {
  return actions.every(
    (action) =>
      ['wait', 'scrape', 'screenshot', 'pdf'].includes(action.type) ||
      (action.type === 'scroll' && action.direction !== 'up' && action.selector === undefined),
  );
}
