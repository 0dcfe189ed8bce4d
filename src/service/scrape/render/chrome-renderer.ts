import type { CdpClient } from '../../chrome/cdp-client.ts';
import { type AddressPolicy, RefusedTarget } from '../../fetch/address-policy/address-policy.ts';
import { connectionProblem } from '../../fetch/connection-problems.ts';
import type { EgressProxy, Lane } from '../../fetch/egress-proxy.ts';
import { bodySteps } from '../../fetch/fetch.ts';
import { runActions } from '../../page/actions.ts';
import { confineTab } from '../../page/confinement.ts';
import { applyAppearance, invalidateAppearance } from '../../page/emulation.ts';
import { takeScreenshot } from '../../page/screenshot.ts';
import { type Deadline, delay, watchQuietness } from '../../page/settle.ts';
import { attachTab, attempt, authenticateToProxy, type Tab } from '../../page/tab.ts';
import { ScrapeError } from '../scrape-errors.ts';
import { isAdHost } from './ads.ts';
import { NotAPage, type RenderedPage, type Renderer, type RenderRequest } from './render.ts';
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
/** Maximum number of characters of a page's HTML. */
const maxHtmlLength = 10 * 1024 * 1024;

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
    const browser = await inTime(opening, deadline).catch((error: unknown) => {
      void attempt(opening.then((late) => late.close()));
      throw error;
    });
    const lane = egress?.lane();
    let page: RenderedPage;
    try {
      const tab = await inTime(openTab(browser.client, lane), deadline);
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
    const { targetId } = (await client.send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
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
    // A browser context that has accepted a certificate keeps trusting it.
    const trust = request.skipTlsVerification ? 'any certificate' : 'valid certificates';
    const tab = await pool.acquire(
      { team: request.team, name: `${request.team}, ${trust}` },
      deadline.signal,
      visitOf(request),
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
      const deadline = deadlineOf(request);
      try {
        policy.checkUrl(new URL(request.url));
        return await (request.profile ? inProfile(request, deadline) : inPool(request, deadline));
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

function deadlineOf({ timeoutMs, signal }: RenderRequest): Deadline {
  const until = performance.now() + timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  return {
    signal: AbortSignal.any([signal, timeout]),
    left: () => Math.max(1, Math.floor(until - performance.now())),
    check() {
      signal.throwIfAborted();
      if (timeout.aborted || performance.now() >= until) {
        throw new ScrapeError('SCRAPE_TIMEOUT', `The page didn't render within ${timeoutMs / 1000} s.`);
      }
    },
  };
}

/** Waits for `work`, or rejects when the deadline passes. */
async function inTime<Result>(work: Promise<Result>, { signal }: Deadline): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Waits for `work`, or rejects when the tab crashes or the deadline passes. */
async function whileAlive<Result>(tab: Tab, deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
  const { promise: failure, reject } = Promise.withResolvers<never>();
  const stop = tab.on('Inspector.targetCrashed', () =>
    reject(new ScrapeError('SCRAPE_SITE_ERROR', 'The page crashed.')),
  );
  try {
    return await inTime(Promise.race([work(), failure]), deadline);
  } finally {
    stop();
  }
}

async function load(
  tab: Tab,
  request: RenderRequest,
  policy: AddressPolicy,
  deadline: Deadline,
): Promise<RenderedPage> {
  const blocks = request.blockAds ? isAdHost : () => false;
  if (tab.lane) tab.lane.blocks = blocks;
  const [release] = await Promise.all([
    confineTab(tab, {
      policy: request.policy ?? (tab.lane ? undefined : policy),
      blocks,
      headers: request.headers,
      origin: new URL(request.url).origin,
    }),
    applyAppearance(tab, request),
  ]);
  const quietness = watchQuietness(tab);
  const documents = followDocuments(tab);
  try {
    const isEmpty = await navigate(tab, request, documents);
    await quietness.loaded(deadline);
    await quietness.settled(deadline);
    if (request.waitFor > 0) await delay(request.waitFor, deadline);
    const actions =
      request.actions.length > 0 ? await runActions(tab, request.actions, quietness, deadline) : undefined;
    if (request.screenshot?.viewport) invalidateAppearance(tab);
    const screenshot = request.screenshot && (await takeScreenshot(tab, request.screenshot));
    const { url, html } = isEmpty
      ? { url: documents.lastUrl() ?? request.url, html: '' }
      : await contentOf(tab, (bytes) => request.reserve(bytes, deadline.signal));
    const main = documents.main();
    return {
      url,
      html,
      status: main?.status ?? 200,
      contentType: main?.headers['content-type'] ?? (main?.mimeType || undefined),
      retryAfter: main?.headers['retry-after'],
      screenshot,
      actions,
    };
  } finally {
    quietness.stop();
    documents.stop();
    await attempt(release());
  }
}

interface Documents {
  /** The response that the tab shows. */
  main(): MainResponse | undefined;
  /** The last URL that the tab navigated to. */
  lastUrl(): string | undefined;
  stop(): void;
}

function followDocuments(tab: Tab): Documents {
  let main: MainResponse | undefined;
  let lastUrl: string | undefined;
  let lastRequest: unknown;
  const stops = [
    tab.on('Network.requestWillBeSent', ({ requestId, type, frameId, request }) => {
      if (type !== 'Document' || frameId !== tab.frameId) return;
      lastUrl = (request as { url: string }).url;
      lastRequest = requestId;
    }),
    // The only event of a 304 if Chrome has no copy.
    tab.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
      if (requestId !== lastRequest || statusCode !== 304) return;
      main = { url: lastUrl ?? '', status: 304, mimeType: '', headers: {} };
    }),
    tab.on('Network.responseReceived', ({ type, frameId, response }) => {
      if (type !== 'Document' || frameId !== tab.frameId) return;
      const { url, status, mimeType, headers } = response as MainResponse;
      const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      main = { url, status, mimeType, headers: Object.fromEntries(lowerCased) };
    }),
  ];
  return {
    main: () => main,
    lastUrl: () => lastUrl,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** No Content, Reset Content, and Not Modified, which a site may answer although nothing is cached here. */
const emptyStatuses = new Set([204, 205, 304]);
const pageTypes = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;

/** Navigates the tab. Returns whether the response had no body, in which case the browser shows its own error page. */
async function navigate(tab: Tab, request: RenderRequest, documents: Documents): Promise<boolean> {
  const { errorText, isDownload } = await tab.send<{ errorText?: string; isDownload?: boolean }>('Page.navigate', {
    url: request.url,
  });
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
  if (main && !pageTypes.test(main.mimeType) && plain) throw new NotAPage();
  return false;
}

const codes = {
  tls: 'SCRAPE_SSL_ERROR',
  timeout: 'SCRAPE_TIMEOUT',
  unreachable: 'SCRAPE_SITE_ERROR',
  connection: 'SCRAPE_SITE_ERROR',
} as const;

function navigationError(errorText: string, tab: Tab, url: string): ScrapeError {
  const host = URL.parse(url)?.host ?? '';
  const failure = tab.lane?.failure(host);
  if (failure?.kind === 'refused') return new ScrapeError('SCRAPE_TARGET_REFUSED', failure.message);
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

async function contentOf(
  tab: Tab,
  reserve: (bytes: number) => Promise<void> | undefined,
): Promise<{ url: string; html: string }> {
  /** Returns only the length of a longer page. */
  const read = (longest: number) =>
    tab.evaluate<{ url: string; html: string } | number>(`(() => {
      const html = document.documentElement?.outerHTML ?? '';
      return html.length > ${longest} ? html.length : { url: location.href, html: '<!doctype html>' + html };
    })()`);
  const short = await read(bodySteps[0]);
  if (typeof short !== 'number') return short;
  await reserve(short);
  const long = await read(maxHtmlLength);
  if (typeof long === 'number') throw new ScrapeError('SCRAPE_SITE_ERROR', 'The rendered page exceeds the size limit.');
  return long;
}
