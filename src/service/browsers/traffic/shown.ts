import type * as z from 'zod';
import type {
  ConsoleLine,
  consoleQuery,
  NetworkEntry,
  NetworkExchange,
  networkQuery,
} from '../../../contract/sessions/traffic.ts';
import { createTurn, type Turn } from '../../platform/async.ts';
import type { ConsoleEntry, ConsoleRecord } from './console.ts';
import { maskHeaders, maskText, maskUrl } from './masking.ts';
import type { Body, NetworkRecord, RecordedRequest, Timing } from './requests.ts';

const date = (at: number) => new Date(at).toISOString();

/** Returns a line of the console as it is shown, in short turns: without the secrets in URLs. */
export async function shownLine({ version: _, at, ...entry }: ConsoleEntry, turn: Turn): Promise<ConsoleLine> {
  let text = '';
  for (const part of entry.text.split(/(https?:\/\/[^\s"'<>]+)/i)) {
    text += /^https?:/i.test(part) ? await maskUrl(part, turn) : part;
  }
  return { ...entry, text, ...(entry.url !== undefined && { url: await maskUrl(entry.url, turn) }), at: date(at) };
}

/** Returns what a list says of a request, in short turns. */
export async function shownRequest(entry: RecordedRequest, turn: Turn, secrets = false): Promise<NetworkEntry> {
  const { id, method, type, state, status, mimeType, transferredBytes, fromCache, error, durationMs } = entry;
  const [url, page] = secrets
    ? [entry.url, entry.page]
    : [await maskUrl(entry.url, turn), await maskUrl(entry.page, turn)];
  return {
    id,
    method,
    url,
    type,
    page,
    state,
    startedAt: date(entry.startedAt),
    bytes: entry.bodyBytes,
    transferredBytes,
    ...(durationMs !== undefined && { durationMs: Math.round(durationMs * 10) / 10 }),
    ...(status !== undefined && { status }),
    ...(mimeType && { mimeType }),
    ...(fromCache && { fromCache }),
    ...(error !== undefined && { error }),
  };
}

/** Returns all that is known of a request, in short turns. Secrets are masked unless they are wanted. */
export async function shownExchange(
  entry: RecordedRequest,
  body: Body | undefined,
  secrets: boolean,
  turn: Turn,
): Promise<NetworkExchange> {
  const { statusText, protocol, remoteAddress, initiator, requestBody, timing } = entry;
  const headers = async (each: RecordedRequest['requestHeaders']) => (secrets ? each : await maskHeaders(each, turn));
  const text = async (each: string) => (secrets ? each : await maskText(each, turn));
  return {
    success: true,
    ...(await shownRequest(entry, turn, secrets)),
    ...(statusText && { statusText }),
    ...(protocol && { protocol }),
    ...(remoteAddress && { remoteAddress }),
    ...(initiator && { initiator: secrets ? initiator : { ...initiator, url: await maskUrl(initiator.url, turn) } }),
    requestHeaders: await headers(entry.requestHeaders),
    ...(requestBody !== undefined && { requestBody: await text(requestBody) }),
    responseHeaders: await headers(entry.responseHeaders),
    ...(body && { responseBody: { text: body.base64 ? body.text : await text(body.text), base64: body.base64 } }),
    ...(timing && { timing: phasesOf(timing, entry) }),
  };
}

/** Returns how long each phase of a request took, in milliseconds; -1 where there was none. */
export function phasesOf(timing: Timing, { start, durationMs }: Pick<RecordedRequest, 'start' | 'durationMs'>) {
  const between = (from: number, to: number) => (from < 0 ? -1 : rounded(to - from));
  const total = durationMs === undefined ? -1 : (start - timing.requestTime) * 1000 + durationMs;
  return {
    dns: between(timing.dnsStart, timing.dnsEnd),
    connect: between(timing.connectStart, timing.connectEnd),
    tls: between(timing.sslStart, timing.sslEnd),
    send: Math.max(0, between(timing.sendStart, timing.sendEnd)),
    wait: between(timing.sendEnd, timing.receiveHeadersEnd),
    receive: total < 0 ? -1 : Math.max(0, rounded(total - timing.receiveHeadersEnd)),
  };
}

const rounded = (ms: number) => Math.round(ms * 1000) / 1000;

/** Returns the lines of a console that a query asks for, oldest first. */
export async function listConsole(
  { entries }: Pick<ConsoleRecord, 'entries'>,
  query: z.output<typeof consoleQuery>,
): Promise<ConsoleLine[]> {
  const { level, text, since = 0 } = query;
  const listed: ConsoleLine[] = [];
  const turn = createTurn();
  for (const entry of entries.list()) {
    if (entry.version <= since || (level !== undefined && entry.level !== level)) continue;
    const shown = await shownLine(entry, turn);
    if (contains(`${shown.text}\n${shown.url ?? ''}`, text)) listed.push(shown);
    if (turn.isOver) await turn.end();
  }
  return listed;
}

/** Returns the requests that a query asks for, oldest first. */
export async function listRequests(
  { entries }: Pick<NetworkRecord, 'entries'>,
  query: z.output<typeof networkQuery>,
): Promise<NetworkEntry[]> {
  const { type, failed, text, since = 0 } = query;
  const listed: NetworkEntry[] = [];
  const turn = createTurn();
  for (const entry of entries.list()) {
    const { version, state, status = 0 } = entry;
    if (version <= since || (type !== undefined && entry.type !== type.toLowerCase())) continue;
    if (failed && state !== 'failed' && status < 400) continue;
    const shown = await shownRequest(entry, turn);
    if (contains(shown.url, text)) listed.push(shown);
  }
  return listed;
}

function contains(where: string, text: string | undefined): boolean {
  return text === undefined || where.toLowerCase().includes(text.toLowerCase());
}
