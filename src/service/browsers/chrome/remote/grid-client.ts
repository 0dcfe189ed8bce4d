import type { Agent } from 'undici';
import * as z from 'zod';
import { decoded, jsonIn } from '../../../../contract/lenient-texts.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { messageOf } from '../../../platform/errors.ts';
import { whyUnreachable } from '../../../platform/network/connection-problems.ts';
import { readText } from '../../../platform/network/read-text.ts';

/** A browser that a Selenium Grid has started. */
export interface GridSession {
  id: string;
  /** WebSocket URL of its CDP. It may contain a token. */
  cdpUrl: string;
  headers: Record<string, string>;
}

/** What went wrong, which decides what to do about it. */
export type GridFault =
  /** It can't be reached. */
  | 'unreachable'
  /** It refuses the user name and password, or requires them. */
  | 'login'
  /** Something else answers at its address. */
  | 'not a grid'
  /** No browser became free in time. */
  | 'full'
  /** The grid can't reach one of its nodes, and hasn't noticed yet. */
  | 'lost node'
  /** The browser didn't start, or can't be driven. */
  | 'browser';

/** A request that a Selenium Grid didn't fulfill. The message is its answer, without secrets. */
export class GridError extends Error {
  override name = 'GridError';
  readonly fault: GridFault;
  constructor(fault: GridFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** The WebDriver calls of a Selenium Grid. */
export type GridClient = ReturnType<typeof gridClient>;

const answerMs = 5000;
/** Ending a browser takes as long as the browser does. */
const endMs = 10_000;
const maxAnswerMiB = 1;
/** The route of a Selenium Grid itself: whoever reaches the grid reaches it. */
const ownCdpPath = /\/session\/[^/]+\/se\/cdp$/;

const startedSchema = z.looseObject({
  value: z.looseObject({ sessionId: z.string().min(1).max(500), capabilities: z.looseObject({}).catch({}) }),
});
const failedSchema = z.looseObject({
  value: z.looseObject({ error: z.string(), message: z.string().catch('') }),
});
const statusSchema = z.looseObject({
  value: z.looseObject({
    nodes: z.array(
      z.looseObject({
        availability: z.string().catch('UP'),
        maxSessions: z.number(),
        slots: z.array(z.looseObject({ session: z.unknown() })),
      }),
    ),
  }),
});

/** @param endpoint URL of the grid; a user name and a password in it are sent as a header. */
export function gridClient(endpoint: string) {
  const { url: base, headers } = withoutPassword(endpoint);
  const conceal = concealing(endpoint);
  // A request may wait in the grid's queue for longer than undici waits for headers; callers have deadlines.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  let dispatcher: Agent | undefined;

  function at(path: string): URL {
    const url = new URL(base);
    url.pathname = url.pathname.replace(/\/+$/, '') + path;
    return url;
  }

  async function ask(method: string, path: string, signal: AbortSignal, body?: unknown) {
    try {
      const { Agent, fetch } = await import('undici');
      dispatcher ??= new Agent(timeouts);
      const response = await fetch(at(path), {
        method,
        dispatcher,
        signal,
        // A password isn't sent to where a redirect leads.
        redirect: 'manual',
        headers: {
          ...headers,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, answer: jsonIn(await readText(response.body, maxAnswerMiB, 'Its answer')) };
    } catch (error) {
      signal.throwIfAborted();
      throw new GridError('unreachable', whyUnreachable(error, base.origin), error);
    }
  }

  /** The grid names the address that it knows of itself, which may be unreachable from here. */
  function cdpUrlOf(id: string, given: string): Pick<GridSession, 'cdpUrl' | 'headers'> {
    const named = URL.parse(given);
    if (!named || !/^wss?:$/.test(named.protocol))
      throw new GridError('browser', 'its CDP address (se:cdp) is not a ws:// URL');
    const isOwn = ownCdpPath.test(named.pathname);
    const url = isOwn ? at(`/session/${encodeURIComponent(id)}/se/cdp`) : named;
    if (isOwn) url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
    // Only the grid itself gets the password.
    return { cdpUrl: url.href, headers: url.host === base.host ? headers : {} };
  }

  /** Ends a browser, if it still runs. Rejects with a GridError. */
  async function end(id: string): Promise<void> {
    const { status, answer } = await ask(
      'DELETE',
      `/session/${encodeURIComponent(id)}`,
      AbortSignal.timeout(endMs),
    ).catch((error: unknown) => {
      throw error instanceof GridError ? error : new GridError('unreachable', messageOf(error), error);
    });
    if (status !== 200 && status !== 404) throw refused(status, answer, conceal);
  }

  return {
    /** Host and port, for messages. */
    host: base.host,
    /** Removes the secrets of the endpoint from a text. */
    conceal,
    end,
    /** Waits for a browser, in the grid's queue if none is free. Rejects with a GridError, or with the reason of the signal. */
    async start(capabilities: Record<string, unknown>, signal: AbortSignal): Promise<GridSession> {
      const { status, answer } = await ask('POST', '/session', signal, { capabilities: { alwaysMatch: capabilities } });
      const { data } = startedSchema.safeParse(answer);
      if (status !== 200 || !data) throw refused(status, answer, conceal);
      const { sessionId: id, capabilities: granted } = data.value;
      const cdpAddress = granted['se:cdp'];
      try {
        if (typeof cdpAddress !== 'string')
          throw new GridError('browser', 'it has no CDP address (se:cdp), as on nodes with --enable-cdp false');
        return { id, ...cdpUrlOf(id, cdpAddress) };
      } catch (error) {
        await end(id).catch(() => undefined);
        throw error;
      }
    },
    /** Whether a browser is there; undefined if the grid can't say. */
    async isThere(id: string): Promise<boolean | undefined> {
      try {
        // Unlike others, this command reaches the browser, whichever tabs it has.
        const path = `/session/${encodeURIComponent(id)}/window/handles`;
        const { status } = await ask('GET', path, AbortSignal.timeout(answerMs));
        return status === 200 ? true : status === 404 ? false : undefined;
      } catch {
        return undefined;
      }
    },
    /** How many browsers run, and how many may; undefined if the grid doesn't say. */
    async usage(): Promise<{ used: number; size: number } | undefined> {
      try {
        const { answer } = await ask('GET', '/status', AbortSignal.timeout(answerMs));
        const nodes = statusSchema.parse(answer).value.nodes.filter(({ availability }) => availability === 'UP');
        const size = nodes.reduce((sum, { maxSessions, slots }) => sum + Math.min(maxSessions, slots.length), 0);
        const used = nodes.reduce((sum, { slots }) => sum + slots.filter(({ session }) => session).length, 0);
        return { used, size };
      } catch {
        return undefined;
      }
    },
  };
}

function withoutPassword(endpoint: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(endpoint);
  const credentials = [url.username, url.password].map(decoded).join(':');
  url.username = '';
  url.password = '';
  url.hash = '';
  if (credentials === ':') return { url, headers: {} };
  return { url, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}

/** Secrets shorter than this are parts of ordinary words. */
const shortestSecret = 4;

/** Returns a function that removes what an endpoint's URL has of secrets from a text, such as an answer that repeats the headers of its request. */
function concealing(endpoint: string): (text: string) => string {
  const { username, password, searchParams } = new URL(endpoint);
  const [user, word] = [decoded(username), decoded(password)];
  const plain = [word, ...searchParams.values()];
  const secrets = [
    ...plain,
    ...plain.map(encodeURIComponent),
    password,
    Buffer.from(`${user}:${word}`).toString('base64').replace(/=+$/, ''),
  ];
  const longestFirst = [...new Set(secrets)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

/** Says why a request wasn't fulfilled, without secrets, and without repeating what a server other than a grid has written. */
function refused(status: number, answer: unknown, conceal: (text: string) => string): GridError {
  const { data } = failedSchema.safeParse(answer);
  if (status === 401 || status === 403) return new GridError('login', `status ${status}`);
  if (!data || data.value.error === 'unknown command') {
    const what = status >= 300 && status < 400 ? 'a redirect' : answer === undefined ? 'no JSON' : 'unexpected JSON';
    return new GridError('not a grid', `status ${status}, ${what}`);
  }
  const message = conceal(data.value.message);
  const [firstLine = ''] = message.trim().split('\n');
  // Each part of the grid puts its own words before those of ChromeDriver.
  const said = (firstLine.split('Message: ').at(-1) ?? '').replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  const short = shorten(said, 300);
  if (/timed out creating session|new session request timed out|queue was cleared/i.test(message))
    return new GridError('full', short);
  // What Java says when a node doesn't answer; a browser that doesn't start is described in words.
  if (/\bjava\.(net|io|nio)\.|\bConnectException\b/.test(firstLine)) return new GridError('lost node', short);
  return new GridError('browser', short.replace(/\.$/, '') || shorten(conceal(data.value.error), 100));
}
