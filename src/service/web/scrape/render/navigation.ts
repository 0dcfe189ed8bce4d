import { shorten } from '../../../../contract/shorten.ts';
import type { Tab } from '../../../browsers/page/tab.ts';
import { connectionProblem } from '../../../platform/network/connection-problems.ts';
import { ScrapeError } from '../scrape-errors.ts';
import { NotAPage, type RenderRequest } from './render.ts';

/** A navigation of the previous page interrupted this one. */
export class Interrupted extends Error {
  constructor() {
    super("The page couldn't be loaded: another navigation interrupted it.");
  }
}

interface MainResponse {
  url: string;
  status: number;
  mimeType: string;
  headers: Record<string, string>;
}

type Documents = ReturnType<typeof followDocuments>;

/** Follows what a tab loads as its page. Start it before the navigation, and call `stop` when done. */
export function followDocuments(tab: Tab) {
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

/** Navigates the tab. Rejects with Interrupted, NotAPage or a ScrapeError. Returns whether the response had no body, in which case the browser shows its own error page. */
export async function navigate(tab: Tab, request: RenderRequest, documents: Documents): Promise<boolean> {
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

/** Returns why a page can't be loaded. @param errorText Chrome's error */
export function navigationError(errorText: string, tab: Tab, url: string): ScrapeError {
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
