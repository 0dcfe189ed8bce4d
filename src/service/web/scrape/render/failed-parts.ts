import { hash } from 'node:crypto';
import { shorten } from '../../../../contract/shorten.ts';
import type { Tab } from '../../../browsers/page/tab.ts';
import { isAdHost } from './ads.ts';

/** A script or data of a page that its site failed to send for a reason that may pass. */
export interface FailedPart {
  /** Shortened. */
  url: string;
  /** The status that was returned; undefined if the connection broke. */
  status: number | undefined;
  /** The Retry-After header, unparsed. */
  retryAfter: string | undefined;
}

const partTypes = new Set(['Script', 'XHR', 'Fetch']);
const passingStatuses = new Set([429, 500, 502, 503, 504]);
const brokenConnection =
  /ERR_(CONNECTION_(RESET|CLOSED|ABORTED|REFUSED|TIMED_OUT)|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING|HTTP2_)/;
/** How many requests of one page are followed at the same time, and how many failures are kept. */
const maxParts = 1_000;
/** How many characters of a request tell it from others. What it sends comes with it if it isn't longer. */
const comparedLength = 10_000;

/**
 * Follows the scripts and the data that the page of a tab asks of its own site: those of others may be gone for good, and rarely
 * are the content. Start it before the navigation, and call `stop` when done.
 */
export function followParts(tab: Tab) {
  const asked = new Map<string, { key: string; url: string; host: string }>();
  const failed = new Map<string, FailedPart>();
  let page: URL | undefined;

  function fail(requestId: string, status: number | undefined, headers: Record<string, string> = {}): void {
    const { key, url } = asked.get(requestId) ?? {};
    if (key === undefined || url === undefined || failed.size >= maxParts) return;
    const [, retryAfter] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
    failed.set(key, { url, status, retryAfter });
  }

  const stops = [
    tab.on('Network.requestWillBeSent', ({ requestId, type, frameId, request }) => {
      const { method, url, hasPostData } = request;
      const from = URL.parse(url) ?? undefined;
      if (type === 'Document' && frameId === tab.frameId) {
        page = from;
        asked.clear();
        failed.clear();
      } else if (
        partTypes.has(String(type)) &&
        from &&
        domainOf(from) === domainOf(page) &&
        !isAdHost(from.hostname) &&
        asked.size < maxParts
      ) {
        // What is too long to come with it isn't known to be the same.
        const { postData = hasPostData ? requestId : '' } = request;
        const key = hash('sha1', `${method} ${url} ${postData}`.slice(0, comparedLength));
        asked.set(requestId, { key, url: shorten(url), host: from.host });
      }
    }),
    tab.on('Network.responseReceived', ({ requestId, response: { status, headers } }) => {
      const { key } = asked.get(requestId) ?? {};
      // The page itself may have asked again.
      if (key !== undefined) failed.delete(key);
      if (passingStatuses.has(status)) fail(requestId, status, headers);
    }),
    // The only event of a response that the page may not read.
    tab.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode, headers }) => {
      if (passingStatuses.has(statusCode)) fail(requestId, statusCode, headers);
    }),
    tab.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
      // Another host may be gone for good.
      const isHost = asked.get(requestId)?.host === page?.host;
      if (isHost && !canceled && brokenConnection.test(errorText)) fail(requestId, undefined);
      asked.delete(requestId);
    }),
    tab.on('Network.loadingFinished', ({ requestId }) => asked.delete(requestId)),
  ];
  return {
    /** Those that the page has not got since. */
    failed: (): FailedPart[] => [...failed.values()],
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}

/** Returns what the names of a site's hosts, such as those of its pages and of its API, have in common. */
function domainOf(url: URL | undefined): string | undefined {
  const { hostname = '' } = url ?? {};
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  if (isAddress) return hostname;
  const labels = hostname.split('.');
  // `example.co.uk`
  const isLong = /^(?:com?|org|net|ac|gov|edu)$/.test(labels.at(-2) ?? '');
  return labels.slice(isLong ? -3 : -2).join('.');
}

/** Returns a sentence on what a page lacks because parts of it failed. */
export function failedPartsText(parts: readonly FailedPart[]): string {
  const [first] = parts;
  const what = parts.length === 1 ? 'A request' : `${parts.length} requests`;
  const how = first?.status === undefined ? 'the connection broke' : `status ${first.status}`;
  return `${what} of the page failed, so content may be missing: ${first?.url} (${how}).`;
}
