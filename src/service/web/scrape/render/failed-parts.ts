import { shorten } from '../../../../contract/shorten.ts';
import type { Tab } from '../../../browsers/page/tab.ts';
import { isAdHost } from './ads.ts';

/** A script or data of a page that failed for a reason that may pass. */
export interface FailedPart {
  url: string;
  /** The status that was returned; undefined if the connection broke. */
  status: number | undefined;
  /** The Retry-After header, unparsed. */
  retryAfter: string | undefined;
}

const partTypes = new Set(['Script', 'XHR', 'Fetch']);
const passingStatuses = new Set([429, 500, 502, 503, 504]);
const brokenConnection =
  /ERR_(CONNECTION_(RESET|CLOSED|ABORTED|REFUSED|TIMED_OUT)|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH)/;
/** The failures that are kept of one page. */
const maxFailed = 100;

/** Follows the scripts and the data that the page of a tab asks for. Start it before the navigation, and call `stop` when done. */
export function followParts(tab: Tab) {
  const asked = new Map<string, { key: string; url: string }>();
  const failed = new Map<string, FailedPart>();
  let host: string | undefined;

  function fail(requestId: string, part: Omit<FailedPart, 'url'>): void {
    const { key, url } = asked.get(requestId) ?? {};
    if (key !== undefined && url !== undefined && failed.size < maxFailed) failed.set(key, { url, ...part });
  }

  const stops = [
    tab.on('Network.requestWillBeSent', ({ requestId, type, frameId, request: { method, url, postData } }) => {
      if (type === 'Document' && frameId === tab.frameId) {
        host = URL.parse(url)?.host;
        asked.clear();
        failed.clear();
      } else if (partTypes.has(String(type)) && !isAdHost(URL.parse(url)?.hostname ?? '')) {
        asked.set(requestId, { key: `${method} ${url} ${postData ?? ''}`, url });
      }
    }),
    tab.on('Network.responseReceived', ({ requestId, response: { status, headers } }) => {
      const { key } = asked.get(requestId) ?? {};
      if (key === undefined) return;
      // The page itself may have asked again.
      failed.delete(key);
      const [, retryAfter] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
      if (passingStatuses.has(status)) fail(requestId, { status, retryAfter });
    }),
    tab.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
      // Scripts of other sites that are gone for good are common.
      const isOwn = URL.parse(asked.get(requestId)?.url ?? '')?.host === host;
      if (isOwn && !canceled && brokenConnection.test(errorText))
        fail(requestId, { status: undefined, retryAfter: undefined });
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

/** Whether the host refused a part because it is asked for too much. */
export function isRefused({ status }: FailedPart): boolean {
  return status === 429 || status === 503;
}

/** Returns a sentence on what a page lacks because parts of it failed. */
export function failedPartsText(parts: readonly FailedPart[]): string {
  const [first] = parts;
  const what = parts.length === 1 ? 'A request' : `${parts.length} requests`;
  const how = first?.status === undefined ? 'the connection broke' : `status ${first.status}`;
  return `${what} of the page failed, so content may be missing: ${shorten(first?.url ?? '')} (${how}).`;
}
