import type { CdpClient } from '../../chrome/cdp-client.ts';
import { type AddressPolicy, RefusedTarget } from '../../fetch/address-policy.ts';
import type { EgressProxy } from '../../fetch/egress-proxy.ts';
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

/** A browser of its own on a profile. */
export interface ProfileBrowser {
  client: CdpClient;
  /** Ends it, and saves the profile if that was asked for. */
  close(): Promise<void>;
}

export interface ChromeRendererOptions {
  pool: TabPool;
  policy: AddressPolicy;
  /** The way out of local browsers. */
  egress(): Promise<EgressProxy>;
  /** Whether browsers run on this machine. */
  local: boolean;
  /** Absent where profiles cannot be had. */
  openProfile?: OpenProfileBrowser | undefined;
}

/** @param proxyServer what a local browser is to ask for everything */
export type OpenProfileBrowser = (
  team: string,
  profile: { name: string; saveChanges: boolean },
  proxyServer: string | undefined,
) => Promise<ProfileBrowser>;

/** Something that the page before had begun came in between. */
class Interrupted extends Error {
  constructor() {
    super('The page could not be loaded: the browser gave it up.');
  }
}

const mostTries = 3;
/** Characters of a page's HTML. */
const longestHtml = 10 * 1024 * 1024;

interface MainResponse {
  url: string;
  status: number;
  mimeType: string;
  headers: Record<string, string>;
}

/** Renders pages in tabs that are kept from one to the next. */
export function createChromeRenderer(options: ChromeRendererOptions): Renderer {
  const { pool, policy, openProfile } = options;

  async function inProfile(request: RenderRequest, deadline: Deadline): Promise<RenderedPage> {
    const { profile } = request;
    if (!profile || !openProfile) {
      throw new ScrapeError('NO_BROWSER', 'Profiles cannot be used with the browsers of this service.');
    }
    const egress = options.local ? await options.egress() : undefined;
    const browser = await openProfile(request.team, profile, egress?.url);
    try {
      const { targetId } = (await browser.client.send('Target.createTarget', { url: 'about:blank' })) as {
        targetId: string;
      };
      const close = async () => void (await attempt(browser.client.send('Target.closeTarget', { targetId })));
      const lane = egress?.lane();
      const tab = await attachTab(browser.client, targetId, { ...(lane && { lane }), close });
      if (lane) await authenticateToProxy(tab, lane);
      return await whileAlive(tab, deadline, () => load(tab, request, policy, deadline));
    } finally {
      await browser.close();
    }
  }

  async function inPool(request: RenderRequest, deadline: Deadline): Promise<RenderedPage> {
    for (let tries = 1; ; tries++) {
      try {
        return await inOneTab(request, deadline);
      } catch (error) {
        if (!(error instanceof Interrupted) || tries === mostTries) throw error;
      }
    }
  }

  async function inOneTab(request: RenderRequest, deadline: Deadline): Promise<RenderedPage> {
    // A context that has trusted a certificate goes on trusting it.
    const trust = request.skipTlsVerification ? 'any certificate' : 'good certificates';
    const tab = await pool.take(`${request.team}, ${trust}`, deadline.signal, visitOf(request));
    let reusable = false;
    try {
      const page = await whileAlive(tab, deadline, () => load(tab, request, policy, deadline));
      // What actions and headers left behind is not worth looking for.
      reusable = request.actions.length === 0 && Object.keys(request.headers).length === 0;
      return page;
    } catch (error) {
      reusable = error instanceof NotAPage;
      throw error;
    } finally {
      pool.giveBack(tab, reusable);
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

/** Pages of one visit follow each other in a tab. One with a fragment might be taken for the page that is there. */
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
        throw new ScrapeError('SCRAPE_TIMEOUT', `The page was not rendered within ${timeoutMs / 1000} s.`);
      }
    },
  };
}

/** Ends with the work, or as soon as the tab has crashed or the time is over. */
async function whileAlive<Result>(tab: Tab, deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(deadline.signal.reason);
  deadline.signal.addEventListener('abort', onAbort, { once: true });
  const stop = tab.on('Inspector.targetCrashed', () =>
    reject(new ScrapeError('SCRAPE_SITE_ERROR', 'The page crashed its browser tab.')),
  );
  try {
    return await Promise.race([work(), end]);
  } finally {
    stop();
    deadline.signal.removeEventListener('abort', onAbort);
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
  const [free] = await Promise.all([
    confineTab(tab, {
      policy: tab.lane ? undefined : policy,
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
    const { url, html } = isEmpty ? { url: documents.lastUrl() ?? request.url, html: '' } : await contentOf(tab);
    const main = documents.main();
    return {
      url,
      html,
      status: main?.status ?? 200,
      contentType: main?.headers['content-type'] ?? main?.mimeType,
      retryAfter: main?.headers['retry-after'],
      screenshot,
      actions,
    };
  } finally {
    quietness.stop();
    documents.stop();
    await attempt(free());
  }
}

interface Documents {
  /** The answer that the tab shows. */
  main(): MainResponse | undefined;
  /** The URL that was last asked for as a page. */
  lastUrl(): string | undefined;
  stop(): void;
}

function followDocuments(tab: Tab): Documents {
  let main: MainResponse | undefined;
  let lastUrl: string | undefined;
  const stops = [
    tab.on('Network.requestWillBeSent', ({ type, frameId, request }) => {
      if (type === 'Document' && frameId === tab.frameId) lastUrl = (request as { url: string }).url;
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

const pageTypes = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;

/** Says whether the answer had no body, in the place of which the browser shows words of its own. */
async function navigate(tab: Tab, request: RenderRequest, documents: Documents): Promise<boolean> {
  const { errorText, isDownload } = await tab.send<{ errorText?: string; isDownload?: boolean }>('Page.navigate', {
    url: request.url,
  });
  if (errorText?.includes('ERR_ABORTED') && !isDownload) throw new Interrupted();
  const main = documents.main();
  if (isDownload) throw new NotAPage();
  if (errorText !== undefined && errorText !== '') {
    // A status without a body is an answer all the same.
    const isAnswer = errorText.includes('ERR_HTTP_RESPONSE_CODE_FAILURE') && main;
    if (!isAnswer) throw navigationError(errorText, tab, documents.lastUrl() ?? request.url);
    return true;
  }
  const plain = request.actions.length === 0 && request.screenshot === undefined;
  if (main && !pageTypes.test(main.mimeType) && plain) throw new NotAPage();
  return false;
}

function navigationError(errorText: string, tab: Tab, url: string): ScrapeError {
  const host = URL.parse(url)?.host ?? '';
  const failure = tab.lane?.failure(host);
  if (failure?.kind === 'refused') return new ScrapeError('SCRAPE_TARGET_REFUSED', failure.message);
  if (failure?.kind === 'dns' || /ERR_NAME_NOT_RESOLVED/.test(errorText)) {
    return new ScrapeError('SCRAPE_DNS_RESOLUTION_ERROR', `The name ${host} could not be resolved. Is it spelt right?`);
  }
  if (/ERR_CERT_|ERR_SSL_|ERR_BAD_SSL/.test(errorText)) {
    return new ScrapeError('SCRAPE_SSL_ERROR', `No secure connection to ${host}: ${errorText}`);
  }
  if (/ERR_BLOCKED_BY_CLIENT|ERR_UNSAFE_PORT|ERR_DISALLOWED/.test(errorText)) {
    return new ScrapeError('SCRAPE_TARGET_REFUSED', `${host} may not be fetched.`);
  }
  if (/ERR_TIMED_OUT/.test(errorText)) return new ScrapeError('SCRAPE_TIMEOUT', `No answer in time from ${host}.`);
  const why = failure?.message ?? errorText;
  return new ScrapeError('SCRAPE_SITE_ERROR', `The page could not be loaded from ${host}: ${why}`);
}

async function contentOf(tab: Tab): Promise<{ url: string; html: string }> {
  const found = await tab.evaluate<{ url: string; html: string } | null>(`(() => {
    const html = document.documentElement?.outerHTML ?? '';
    return html.length > ${longestHtml} ? null : { url: location.href, html: '<!doctype html>' + html };
  })()`);
  if (!found) throw new ScrapeError('SCRAPE_SITE_ERROR', 'The page has grown longer than is read.');
  return found;
}
