import { keepLast } from '../../platform/maps.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import { keptText } from '../chrome/messages.ts';
import type { Protocol } from '../chrome/protocol.ts';
import { type Kept, keepEntries } from './kept.ts';
import type { Header } from './masking.ts';

/** A body, as text or in Base64. */
export interface Body {
  text: string;
  base64: boolean;
}

/** A request of a session and what was answered. */
export interface RecordedRequest extends Kept {
  url: string;
  method: string;
  /** What it was for, such as document, script or xhr. */
  type: string;
  /** URL of the document that sent it. */
  page: string;
  initiator?: { url: string; line: number };
  /** Wall-clock milliseconds. */
  startedAt: number;
  /** Monotonic seconds of Chrome. */
  start: number;
  state: 'pending' | 'finished' | 'failed';
  durationMs?: number;
  requestHeaders: Header[];
  requestBody?: string;
  status?: number;
  statusText?: string;
  responseHeaders: Header[];
  mimeType?: string;
  protocol?: string;
  remoteAddress?: string;
  fromCache?: boolean;
  /** Whether it was answered with another URL, which is the next request. */
  redirected?: boolean;
  timing?: Timing;
  /** Length of the response's header, if known. */
  headerBytes?: number;
  /** What was transferred, with the header. */
  transferredBytes: number;
  /** Length of the decoded body. */
  bodyBytes: number;
  responseBody?: Body;
  error?: string;
}

/** Times of a request, in milliseconds since its start; -1 where there is none. */
export type Timing = Protocol.Network.ResourceTiming;

/** What Chrome reports of a response apart from the rest. */
type Received = Pick<RecordedRequest, 'responseHeaders' | 'headerBytes' | 'status'>;

/** A request that Chrome hasn't finished: its redirects are requests of the same ID, in order. */
interface Chain {
  steps: RecordedRequest[];
  /** The headers as they were sent. */
  sent: (Header[] | undefined)[];
  received: (Received | undefined)[];
}

const maxEntries = 1000;
/** Characters of all bodies and headers. */
const maxBodies = 50_000_000;
/** Bytes of one body: larger ones aren't kept. */
const maxBody = 5_000_000;
const maxPostBody = 65_536;
const maxUrl = 8_000;
/** Characters of all headers of a request, or of a response, and of other texts. */
const [maxHeaders, maxWord] = [65_536, 1_000];
/** Chains that Chrome may still report about. */
const maxChains = 2 * maxEntries;
/** Bodies that are read as soon as they are there: the others are read when somebody wants to see them. */
const readAtOnce = new Set(['document', 'xhr', 'fetch']);
const maxReading = 8;

/** What is recorded of the network. */
export type NetworkRecord = ReturnType<typeof recordRequests>;

/**
 * Records the requests of the targets that it follows.
 * @param onKept called when more of their bodies and headers is kept
 */
export function recordRequests(client: CdpClient, onKept: () => void = () => undefined) {
  /** The requests whose bodies and headers are kept, with their characters. */
  const kept = new Map<RecordedRequest, number>();
  let total = 0;
  const forget = (entry: RecordedRequest) => {
    total -= kept.get(entry) ?? 0;
    if (!kept.delete(entry)) return;
    delete entry.responseBody;
    delete entry.requestBody;
    Object.assign(entry, { requestHeaders: [], responseHeaders: [] });
    const { steps = [], sent = [], received = [] } = chainOfEntry.get(entry) ?? {};
    const index = steps.indexOf(entry);
    if (index in sent) sent[index] = undefined;
    if (index in received) received[index] = undefined;
  };
  const entries = keepEntries<RecordedRequest>('r', maxEntries, forget);
  const chains = new Map<string, Chain>();
  /** The chain of each request: it has headers of it, too. */
  const chainOfEntry = new WeakMap<RecordedRequest, Chain>();
  /** Where Chrome has the body of a response. */
  const sources = new WeakMap<RecordedRequest, { requestId: string; sessionId: string | undefined }>();
  let reading = 0;

  function chainOf(requestId: string): Chain {
    const chain = chains.get(requestId) ?? { steps: [], sent: [], received: [] };
    keepLast(chains, requestId, chain, maxChains);
    return chain;
  }

  const currentOf = (requestId: string) => chains.get(requestId)?.steps.at(-1);

  /** Counts what is kept of an entry anew, and forgets that of the oldest ones beyond the limit. */
  function count(entry: RecordedRequest): void {
    const size = sizeOf(entry);
    total += size - (kept.get(entry) ?? 0);
    kept.set(entry, size);
    for (const oldest of kept.keys()) {
      if (total <= maxBodies) break;
      forget(oldest);
    }
    onKept();
  }

  /** Adds what Chrome reports apart from the rest. */
  function applyExtra({ steps, sent, received }: Chain): void {
    for (const [index, entry] of steps.entries()) {
      if (!entries.find(entry.id)) continue;
      const [out, back] = [sent[index], received[index]];
      if (out) entry.requestHeaders = out;
      const { status = entry.status, ...rest } = back ?? {};
      Object.assign(entry, rest, entry.status !== undefined && { status });
      if (out || back) count(entry);
    }
  }

  function take(entry: RecordedRequest, response: Protocol.Network.Response): void {
    const { timing, protocol, remoteIPAddress: address, remotePort } = response;
    entry.status = response.status;
    entry.statusText = keptText(response.statusText, maxWord);
    entry.mimeType = keptText(response.mimeType, maxWord);
    entry.responseHeaders = headersOf(response.headers);
    if (response.requestHeaders) entry.requestHeaders = headersOf(response.requestHeaders);
    if (protocol) entry.protocol = protocol;
    if (address) entry.remoteAddress = `${address}:${remotePort ?? ''}`;
    if (response.fromDiskCache || response.fromPrefetchCache) entry.fromCache = true;
    if (timing) entry.timing = timing;
    entry.transferredBytes = response.encodedDataLength;
  }

  function finish(entry: RecordedRequest, state: 'finished' | 'failed', timestamp: number): void {
    entry.state = state;
    entry.durationMs = Math.max(0, (timestamp - entry.start) * 1000);
    entries.changed(entry);
    if (entries.find(entry.id)) count(entry);
  }

  client.on('Network.requestWillBeSent', (params) => {
    const { requestId, request, redirectResponse, redirectHasExtraInfo, timestamp, wallTime, type, initiator } = params;
    const { url, method, headers, postData } = request;
    if (url.startsWith('data:')) return;
    const chain = chainOf(requestId);
    const previous = chain.steps.at(-1);
    if (previous) {
      if (!redirectResponse) return;
      take(previous, redirectResponse);
      previous.redirected = true;
      if (!redirectHasExtraInfo) chain.received[chain.steps.length - 1] = undefined;
      finish(previous, 'finished', timestamp);
    }
    const { url: from, lineNumber = 0, stack } = initiator;
    const caller = stack?.callFrames[0];
    const entry = entries.add({
      url: keptText(url, maxUrl),
      method: keptText(method, maxWord),
      type: (type ?? 'other').toLowerCase(),
      page: keptText(params.documentURL, maxUrl),
      ...(caller?.url
        ? { initiator: { url: keptText(caller.url, maxUrl), line: caller.lineNumber + 1 } }
        : from && { initiator: { url: keptText(from, maxUrl), line: lineNumber + 1 } }),
      startedAt: wallTime * 1000,
      start: timestamp,
      state: 'pending',
      requestHeaders: headersOf(headers),
      responseHeaders: [],
      transferredBytes: 0,
      bodyBytes: 0,
    });
    if (postData !== undefined) entry.requestBody = keptText(postData, maxPostBody);
    chain.steps.push(entry);
    chainOfEntry.set(entry, chain);
    count(entry);
    applyExtra(chain);
  });
  client.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
    const chain = chainOf(requestId);
    chain.sent.push(headersOf(headers));
    applyExtra(chain);
  });
  client.on('Network.responseReceivedExtraInfo', (params) => {
    const chain = chainOf(params.requestId);
    const { headers, headersText, statusCode: status } = params;
    chain.received.push({
      responseHeaders: headersOf(headers),
      ...(headersText !== undefined && { headerBytes: headersText.length }),
      ...(status !== undefined && { status }),
    });
    applyExtra(chain);
  });
  client.on('Network.requestServedFromCache', ({ requestId }) => {
    const entry = currentOf(requestId);
    if (entry) entry.fromCache = true;
  });
  client.on('Network.responseReceived', ({ requestId, response, type }) => {
    const entry = currentOf(requestId);
    if (!entry) return;
    take(entry, response);
    entry.type = type.toLowerCase();
    applyExtra(chainOf(requestId));
    entries.changed(entry);
  });
  client.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const entry = currentOf(requestId);
    if (entry) entry.bodyBytes += dataLength;
  });
  client.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }, sessionId) => {
    const entry = currentOf(requestId);
    if (!entry) return;
    entry.transferredBytes = encodedDataLength;
    finish(entry, 'finished', timestamp);
    sources.set(entry, { requestId, sessionId });
    if (readAtOnce.has(entry.type) && reading < maxReading) void read(entry);
  });
  client.on('Network.loadingFailed', ({ requestId, timestamp, errorText, canceled, blockedReason }) => {
    const entry = currentOf(requestId);
    if (!entry) return;
    entry.error = blockedReason ? `blocked: ${blockedReason}` : canceled ? 'canceled' : errorText;
    finish(entry, 'failed', timestamp);
  });

  /** Reads the body of a response from the browser, and keeps it. */
  async function read(entry: RecordedRequest): Promise<Body | undefined> {
    const source = sources.get(entry);
    if (!source || entry.bodyBytes > maxBody) return undefined;
    reading++;
    try {
      const { requestId, sessionId } = source;
      const { body, base64Encoded } = await client.send('Network.getResponseBody', { requestId }, sessionId);
      const read: Body = { text: body, base64: base64Encoded };
      // It may have gone meanwhile.
      if (entries.find(entry.id)) {
        entry.responseBody = read;
        count(entry);
      }
      return read;
    } catch {
      // The page has left, or the body was too large for Chrome to keep.
      return undefined;
    } finally {
      reading--;
    }
  }

  return {
    entries,
    /** Characters of the bodies and headers that are kept. */
    get length(): number {
      return total;
    },
    /** Forgets them. The browser may still have bodies. */
    forget(): void {
      for (const entry of kept.keys()) forget(entry);
    },
    /** Makes a target report. */
    follow: (sessionId: string): Promise<unknown> =>
      client.send(
        'Network.enable',
        { maxPostDataSize: maxPostBody, maxResourceBufferSize: maxBody, maxTotalBufferSize: maxBodies },
        sessionId,
      ),
    /** Returns the body of a response, while it is kept or the browser has it. */
    bodyOf: async (entry: RecordedRequest): Promise<Body | undefined> => entry.responseBody ?? (await read(entry)),
  };
}

function sizeOf({ requestBody = '', responseBody, requestHeaders, responseHeaders }: RecordedRequest): number {
  const headers = [...requestHeaders, ...responseHeaders];
  const bodies = requestBody.length + (responseBody?.text.length ?? 0);
  return headers.reduce((sum, { name, value }) => sum + name.length + value.length, bodies);
}

/** Chrome joins the values of a header with line breaks. */
function headersOf(headers: Record<string, string>): Header[] {
  let left = maxHeaders;
  const kept = (text: string) => {
    const most = Math.max(left, 1);
    left -= text.length;
    return text.length > most ? `${keptText(text, most - 1)}…` : text;
  };
  return Object.entries(headers).flatMap(([name, values]) =>
    left <= 0
      ? []
      : kept(values)
          .split('\n')
          .map((value) => ({ name: keptText(name, maxWord), value })),
  );
}
