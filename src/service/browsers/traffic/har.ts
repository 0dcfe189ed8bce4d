import type { HttpArchive } from '../../../contract/sessions/traffic.ts';
import { createTurn, type Turn } from '../../platform/async.ts';
import type { RecordedRequest } from './requests.ts';
import { phasesOf, shownExchange } from './shown.ts';

/** Returns requests as an HTTP archive. Secrets are masked unless they are wanted. */
export async function archiveOf(
  requests: readonly RecordedRequest[],
  version: string,
  secrets: boolean,
): Promise<HttpArchive> {
  const entries: Record<string, unknown>[] = [];
  const turn = createTurn();
  for (const request of requests) {
    if (turn.isOver) await turn.end();
    entries.push(await entryOf(request, secrets, turn));
  }
  return {
    log: {
      version: '1.2',
      creator: { name: 'Web Data', version },
      pages: [],
      entries,
    },
  };
}

async function entryOf(request: RecordedRequest, secrets: boolean, turn: Turn): Promise<Record<string, unknown>> {
  const exchange = await shownExchange(request, request.responseBody, secrets, turn);
  const { requestHeaders, responseHeaders, responseBody, requestBody, status = -1, mimeType, url } = exchange;
  const phases = request.timing && phasesOf(request.timing, request);
  const find = (headers: typeof requestHeaders, wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
  const protocol = protocolName(exchange.protocol ?? undefined);
  const { headerBytes = -1, transferredBytes } = request;
  return {
    startedDateTime: exchange.startedAt,
    time: exchange.durationMs ?? -1,
    request: {
      method: exchange.method,
      url,
      httpVersion: protocol,
      cookies: [],
      headers: requestHeaders,
      queryString: [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: requestBody === undefined ? 0 : Buffer.byteLength(request.requestBody ?? ''),
      ...(requestBody !== undefined && {
        postData: { mimeType: find(requestHeaders, 'content-type') ?? '', params: [], text: requestBody },
      }),
    },
    response: {
      status,
      statusText: exchange.statusText ?? '',
      httpVersion: protocol,
      cookies: [],
      headers: responseHeaders,
      content: {
        // Browsers don't read the body of a redirect.
        size: request.redirected ? -1 : request.bodyBytes,
        mimeType: find(responseHeaders, 'content-type') ?? mimeType ?? 'x-unknown',
        ...(responseBody && { text: responseBody.text, ...(responseBody.base64 && { encoding: 'base64' }) }),
      },
      redirectURL: find(responseHeaders, 'location') ?? '',
      headersSize: headerBytes,
      bodySize: headerBytes < 0 ? -1 : Math.max(0, transferredBytes - headerBytes),
      _transferSize: transferredBytes,
      ...(exchange.error && { _error: exchange.error }),
    },
    cache: {},
    timings: phases ? timingsOf(phases) : { send: -1, wait: -1, receive: -1 },
    _resourceType: exchange.type,
    ...(request.remoteAddress && { serverIPAddress: request.remoteAddress.replace(/:\d*$/, '') }),
  };
}

const timingsOf = ({ tls: ssl, ...others }: ReturnType<typeof phasesOf>) => ({ ...others, ssl });

function protocolName(protocol = 'HTTP/1.1'): string {
  return { h2: 'HTTP/2.0', h3: 'HTTP/3.0' }[protocol] ?? protocol.toUpperCase();
}
