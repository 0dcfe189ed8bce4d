import { shorten, withoutHidden } from '../../../../contract/shorten.ts';
import type { CdpClient } from '../../../browsers/chrome/cdp-client.ts';
import { aheadOfHogs, closeForRoom } from '../../../browsers/chrome/hogs.ts';
import { runActions } from '../../../browsers/page/actions.ts';
import { linksOfClosedMenus } from '../../../browsers/page/closed-menus.ts';
import { confineTab } from '../../../browsers/page/confinement.ts';
import { createDeadline } from '../../../browsers/page/deadline.ts';
import { applyAppearance, invalidateAppearance } from '../../../browsers/page/emulation.ts';
import { noteLateWork, showsLoading } from '../../../browsers/page/late-work.ts';
import { type MoreButton, nextRows, type StepResult } from '../../../browsers/page/next-rows.ts';
import { maxHtmlLength, type PageHtml, pageHtml } from '../../../browsers/page/page-html.ts';
import { takeScreenshot } from '../../../browsers/page/screenshot.ts';
import { type Deadline, delay, type Quietness, watchQuietness } from '../../../browsers/page/settle.ts';
import { type ShownByClick, shownByClick } from '../../../browsers/page/shown-by-click.ts';
import { attachTab, attempt, authenticateToProxy, type Tab } from '../../../browsers/page/tab.ts';
import { currentAsker } from '../../../platform/asker.ts';
import { orAborted, within } from '../../../platform/async.ts';
import { type AddressPolicy, RefusedTarget } from '../../../platform/network/address-policy/address-policy.ts';
import { connectionProblem } from '../../../platform/network/connection-problems.ts';
import type { EgressProxy, Lane } from '../../../platform/network/egress-proxy.ts';
import { bodySteps } from '../../../platform/network/fetch.ts';
import { namesAddress } from '../convert/notes/declared-links.ts';
import { adviceOf, type Lack } from '../lack.ts';
import { ScrapeError } from '../scrape-errors.ts';
import { isAdHost } from './ads.ts';
import { failedPartsText, followParts } from './failed-parts.ts';
import { countOpenings } from './openings.ts';
import { NotAPage, type RenderedPage, type Renderer, type RenderRequest } from './render.ts';
import { hasReplaced, type Look, lookAt, type Scrolled, scrollDown } from './scroll-down.ts';
import type { TabPool } from './tab-pool.ts';

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

/** A navigation of the previous page interrupted this one. */
class Interrupted extends Error {
  constructor() {
    super("The page couldn't be loaded: another navigation interrupted it.");
  }
}

const maxTries = 3;

const tooLate = (limitMs: number) =>
  new ScrapeError('SCRAPE_TIMEOUT', `The page didn't render within ${limitMs / 1000} s.`);

interface MainResponse {
  url: string;
  status: number;
  mimeType: string;
  headers: Record<string, string>;
}

/** Creates a renderer that reuses tabs from page to page. */
export function createChromeRenderer(options: ChromeRendererOptions): Renderer {
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
    async render(request) {
      const deadline = createDeadline(request.timeoutMs, request.signal, tooLate);
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
    const before = request.actions.length > 0 && onlyScrolls(request) ? await lookAt(tab) : undefined;
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
    const { url, html, isGrowing, next } = isEmpty
      ? { url: documents.lastUrl() ?? request.url, html: '', isGrowing: false, next: undefined }
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
      lacks,
      besides,
      failedParts,
      isGrowing,
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
    const longestMs = Math.min(maxBesidesMs, deadline.left() / 2);
    return { ...page, menuLinks: (await lookBesides<string[]>(tab, linksOfClosedMenus(url), longestMs)) ?? [] };
  } finally {
    quietness.stop();
    documents.stop();
    parts.stop();
    await attempt(release());
  }
}

type Documents = ReturnType<typeof followDocuments>;

function followDocuments(tab: Tab) {
  let main: MainResponse | undefined;
  let lastUrl: string | undefined;
  let lastRequest: unknown;
  let failure: string | undefined;
  const stops = [
    tab.on('Network.requestWillBeSent', ({ requestId, type, frameId, request }) => {
      if (type !== 'Document' || frameId !== tab.frameId) return;
      lastUrl = request.url;
      lastRequest = requestId;
      failure = undefined;
    }),
    tab.on('Network.loadingFailed', ({ requestId, errorText }) => {
      if (requestId === lastRequest) failure = errorText;
    }),
    // The only event of a 304 if Chrome has no copy.
    tab.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
      if (requestId !== lastRequest || statusCode !== 304) return;
      main = { url: lastUrl ?? '', status: 304, mimeType: '', headers: {} };
    }),
    tab.on('Network.responseReceived', ({ type, frameId, response }) => {
      if (type !== 'Document' || frameId !== tab.frameId) return;
      const { url, status, mimeType, headers } = response;
      const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      main = { url, status, mimeType, headers: Object.fromEntries(lowerCased) };
    }),
  ];
  return {
    /** The response that the tab shows. */
    main: (): MainResponse | undefined => main,
    /** The last URL that the tab navigated to. */
    lastUrl: (): string | undefined => lastUrl,
    /** Chrome's error for it, if it failed. */
    failure: (): string | undefined => failure,
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}

/** No Content, Reset Content, and Not Modified, which a site may answer although nothing is cached here. */
const emptyStatuses = new Set([204, 205, 304]);
const pageTypes = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;

/** Navigates the tab. Returns whether the response had no body, in which case the browser shows its own error page. */
async function navigate(tab: Tab, request: RenderRequest, documents: Documents): Promise<boolean> {
  const { errorText, isDownload } = await tab.send('Page.navigate', { url: request.url });
  const main = documents.main();
  // Chrome stays where it is if the response has no page by definition.
  if (errorText?.includes('ERR_ABORTED') && main && emptyStatuses.has(main.status)) return true;
  if (errorText?.includes('ERR_ABORTED') && !isDownload) throw new Interrupted();
  if (isDownload) throw new NotAPage();
  if (errorText !== undefined && errorText !== '') {
    // An error status without a body is still a response.
    const isResponse = errorText.includes('ERR_HTTP_RESPONSE_CODE_FAILURE') && main;
    if (!isResponse) throw navigationError(errorText, tab, documents.lastUrl() ?? request.url);
    return true;
  }
  const plain = request.actions.length === 0 && request.screenshot === undefined;
  // Asked again, the site may send the page itself, which would count as a file then.
  const isRefusal = main && (main.status === 429 || main.status >= 500);
  if (main && !pageTypes.test(main.mimeType) && plain && !isRefusal) throw new NotAPage();
  return false;
}

const codes = {
  tls: 'SCRAPE_SSL_ERROR',
  timeout: 'SCRAPE_TIMEOUT',
  unreachable: 'SCRAPE_SITE_ERROR',
  connection: 'SCRAPE_SITE_ERROR',
} as const;

function navigationError(errorText: string, tab: Tab, url: string): ScrapeError {
  const host = URL.parse(url)?.host || shorten(url);
  const failure = tab.lane?.failure(host);
  if (failure?.kind === 'refused') return new ScrapeError('SCRAPE_TARGET_REFUSED', failure.message);
  if (failure?.kind === 'proxy') return new ScrapeError('SCRAPE_SITE_ERROR', failure.message);
  if (failure?.kind === 'dns' || /ERR_NAME_NOT_RESOLVED/.test(errorText)) {
    return new ScrapeError(
      'SCRAPE_DNS_RESOLUTION_ERROR',
      `The host name ${host} couldn't be resolved. Check its spelling.`,
    );
  }
  if (/ERR_BLOCKED_BY_CLIENT|ERR_UNSAFE_PORT|ERR_DISALLOWED/.test(errorText)) {
    return new ScrapeError('SCRAPE_TARGET_REFUSED', `${host} is blocked.`);
  }
  const problem = connectionProblem(failure?.code ?? errorText, url);
  if (problem) return new ScrapeError(codes[problem.reason], problem.message);
  const reason = failure?.message ?? errorText;
  return new ScrapeError('SCRAPE_SITE_ERROR', `The page couldn't be loaded from ${host}: ${reason}`);
}

/** How long a page that hasn't loaded may take to respond, in milliseconds, before its script counts as endless. */
const maxScriptMs = 2000;

/** Stops the script of a page that doesn't respond. Returns whether there was one. */
async function stopEndlessScript(tab: Tab): Promise<boolean> {
  if (await within(maxScriptMs, attempt(tab.evaluate('true')))) return false;
  await attempt(tab.send('Runtime.terminateExecution'));
  return true;
}

/** How long each look for what isn't the content of a page may take, such as to open its menus, in milliseconds. */
const maxBesidesMs = 5000;

/** Looks for what isn't the content of a page, for so long. What that leads to, such as a redirect, is no reason to lose the page. */
async function lookBesides<Found>(tab: Tab, expression: string, longestMs: number): Promise<Found | undefined> {
  if (longestMs <= 0) return undefined;
  const looking = tab.look<Found>(expression).catch(() => undefined);
  if (await within(longestMs, looking)) return await looking;
  await stopEndlessScript(tab);
  return undefined;
}

/** Returns the content of a page, scrolled to its end if that adds to it. Adds what is missing to `lacks` and `besides`. */
async function wholeContentOf(
  tab: Tab,
  { reserve, actions }: RenderRequest,
  quietness: Quietness,
  deadline: Deadline,
  {
    settled,
    lacks,
    besides,
    before,
  }: Pick<RenderedPage, 'lacks' | 'besides'> & { settled: boolean; before: Look | undefined },
): Promise<PageHtml & { isGrowing: boolean; next: MoreButton | undefined }> {
  const read = () => contentOf(tab, (bytes) => reserve(bytes, deadline.signal));
  let top: PageHtml | undefined;
  let scrolled: Scrolled = 'whole';
  if (before && (await hasReplaced(tab, before))) {
    lacks.push({
      what: 'The page removed content as it was scrolled, and only what it showed at the end was read.',
      advice: 'To get the other parts, set actions: [{"type":"scrape"},{"type":"scroll"},{"type":"scrape"}, …].',
    });
  } else if (actions.length === 0 || before) {
    // After other actions, the page is as the caller wants it.
    const isAsked = actions.some(({ type }) => type === 'scroll');
    scrolled = await scrollDown(tab, quietness, deadline, isAsked, async () => {
      top = await read();
    });
  }
  if (scrolled === 'too long') {
    const what = 'The page keeps adding content as it is scrolled, and only as much as fits in a document was read.';
    lacks.push({ what });
  } else if (scrolled === 'replaces') {
    lacks.push({
      what: 'The page removes content as it is scrolled, and only its beginning was read.',
      advice: 'To get other parts, set actions: [{"type":"scroll"},{"type":"scrape"}, …].',
    });
  }
  if (!settled && (await tab.look<boolean>(showsLoading))) {
    const time = 'To give it more time, set waitFor to milliseconds.';
    lacks.push({ what: `The page was still loading content when it was read. ${time}` });
  }
  const page = ((scrolled === 'replaces' || scrolled === 'hides') && top) || (await read());
  let next: StepResult<'find'> | undefined;
  if (actions.length === 0) {
    next = await lookBesides(tab, nextRows('find'), deadline.left() / 2);
    const longestMs = Math.min(maxBesidesMs, deadline.left() / 2 - maxScriptMs);
    const clicks = await lookBesides<ShownByClick>(tab, shownByClick(namesAddress), longestMs);
    if (clicks?.rows) lacks.push(opened(clicks.rows));
    if (clicks?.tabs.length) lacks.push(unseen('Tabs', clicks.tabs, clicks.tabCount));
    if (clicks?.parts.length) lacks.push(unseen('Closed parts', clicks.parts, clicks.partCount));
  }
  const foreign = page.foreignFrames.filter((url) => !isAdHost(new URL(url).hostname)).slice(0, 5);
  if (foreign.length > 0)
    besides.push(
      `The page shows frames of other sites, which aren't part of the document: ${foreign.map((url) => shorten(url)).join(' ')}. Scrape them by their URLs.`,
    );
  return { ...page, isGrowing: scrolled === 'endless', next: next ?? undefined };
}

/** A text of a page, so that it stays one. */
const quoted = (text: string) => `"${shorten(withoutHidden(text).replaceAll('"', "'"), 60)}"`;

function opened({ count, selector, text }: NonNullable<ShownByClick['rows']>): Lack {
  return {
    what: `${count} rows of the page seem to open something when they are clicked, and have no address, so what they open is missing: ${quoted(text)} and others.`,
    advice: adviceOf('what the first one opens', [{ type: 'click', selector: shorten(selector, 200) }]),
  };
}

function unseen(kind: string, parts: ShownByClick['parts'], count: number): Lack {
  const names = parts.map(({ text }) => quoted(text)).join(', ');
  const others = count > parts.length ? ` and ${count - parts.length} more` : '';
  const clicks = parts.flatMap(({ selector }) => [{ type: 'click', selector }, { type: 'scrape' }]);
  return {
    what: `${kind} of the page may load what they show only when they are clicked, so it may be missing: ${names}${others}.`,
    advice: adviceOf('it', clicks),
  };
}

/** Whether actions do no more than to scroll down and to look at the page. */
function onlyScrolls({ actions }: RenderRequest): boolean {
  return actions.every(
    (action) =>
      ['wait', 'scrape', 'screenshot', 'pdf'].includes(action.type) ||
      (action.type === 'scroll' && action.direction !== 'up' && action.selector === undefined),
  );
}

async function contentOf(tab: Tab, reserve: (bytes: number) => Promise<void> | undefined): Promise<PageHtml> {
  /** Returns only the length of a longer page. */
  const read = (longest: number) => tab.look<PageHtml | number>(pageHtml(longest));
  const short = await read(bodySteps[0]);
  if (typeof short !== 'number') return short;
  await reserve(short);
  const long = await read(maxHtmlLength);
  if (typeof long === 'number') throw new ScrapeError('SCRAPE_SITE_ERROR', 'The rendered page exceeds the size limit.');
  return long;
}
