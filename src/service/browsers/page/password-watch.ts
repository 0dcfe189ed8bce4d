import { createTurn, type Turn, within } from '../../platform/async.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import type { CdpEvents, Protocol } from '../chrome/protocol.ts';
import type { TabInfo } from '../chrome/tabs.ts';
import { failRequest } from './confinement.ts';
import { worldName } from './tab.ts';

/** What a page sends. */
type SentRequest = Pick<Protocol.Network.Request, 'url' | 'method' | 'postData' | 'postDataEntries'>;

export interface PasswordWatchOptions {
  client: CdpClient;
  tabs: { list(): TabInfo[] };
  /** Decides about a request that sends a password; it waits until then. */
  allow(url: string): Promise<boolean>;
}

/** Milliseconds after which a page that doesn't answer counts as one without passwords. */
const readMs = 2_000;
const patterns = (['Document', 'XHR', 'Fetch', 'Ping'] as const).map((resourceType) => ({
  urlPattern: '*',
  resourceType,
}));

/**
 * Holds the requests of a browser's tabs that send a field whose name says that it is a password, or what a password field
 * holds, until they are allowed. Frames in processes of their own aren't watched. Returns a function that stops this once all requests are decided.
 */
export async function watchPasswords({ client, tabs, allow }: PasswordWatchOptions): Promise<() => Promise<void>> {
  const watched = new Map<string, string>();
  const pending = new Set<Promise<void>>();

  async function watch(targetId: string): Promise<void> {
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    watched.set(sessionId, targetId);
    await client.send('Fetch.enable', { patterns }, sessionId);
  }

  /** Returns what the password fields of a frame hold. */
  async function passwordsOf(frameId: string, sessionId: string): Promise<string[]> {
    let passwords: string[] = [];
    const reading = (async () => {
      const world = await client.send('Page.createIsolatedWorld', { frameId, worldName }, sessionId);
      const { executionContextId: contextId } = world;
      const options = { expression: passwordsExpression, contextId, returnByValue: true };
      const { result } = await client.send('Runtime.evaluate', options, sessionId);
      passwords = result.value ?? [];
    })();
    await within(readMs, reading).catch(() => undefined);
    return passwords;
  }

  async function decide(paused: CdpEvents['Fetch.requestPaused'], sessionId: string): Promise<void> {
    const { requestId, request, frameId, resourceType } = paused;
    // While it leaves for another page, a page doesn't answer.
    const passwords = resourceType === 'Document' ? [] : await passwordsOf(frameId, sessionId);
    const turn = createTurn();
    const sends = (await namesPassword(request, turn)) || (await areIn(request, passwords, turn));
    if (!sends || (await allow(request.url))) await client.send('Fetch.continueRequest', { requestId }, sessionId);
    else await client.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }, sessionId);
  }

  const stops = [
    client.on('Fetch.requestPaused', (params, from) => {
      if (from === undefined || !watched.has(from)) return;
      const deciding = decide(params, from)
        .catch(() => failRequest(client, params.requestId, from))
        .finally(() => pending.delete(deciding));
      pending.add(deciding);
    }),
    client.on('Target.targetCreated', ({ targetInfo: { type, targetId } }) => {
      if (type === 'page') watch(targetId).catch(() => undefined);
    }),
    client.on('Target.detachedFromTarget', ({ sessionId }) => void watched.delete(sessionId)),
  ];
  await Promise.all(tabs.list().map(({ targetId }) => watch(targetId).catch(() => undefined)));
  return async () => {
    while (pending.size > 0) await Promise.all(pending);
    for (const stop of stops) stop();
    const detaching = [...watched.keys()].map((sessionId) => client.send('Target.detachFromTarget', { sessionId }));
    await Promise.allSettled(detaching);
  };
}

/** Password fields of a frame that are read, characters of what they hold, and characters of a body for all of them: a page decides how many there are. */
const most = { fields: 100, characters: 1_000, compared: 100_000_000 };

const passwordsExpression = `[...document.querySelectorAll('input')]
  .filter((field) => field.type === 'password' || /(^|\\s)(current|new)-password(\\s|$)/.test(field.autocomplete || ''))
  .map((field) => field.value).filter((value) => value !== '').slice(0, ${most.fields + 1})
  .map((value) => value.slice(0, ${most.characters + 1}))`;

/** Whether a request has one of some passwords as a value: of a form, in JSON or in parts. More, or longer ones, than are compared may be. */
export async function areIn(request: SentRequest, passwords: readonly string[], turn: Turn): Promise<boolean> {
  const { query, body } = textOf(request);
  if (passwords.length > most.fields || passwords.some(({ length }) => length > most.characters)) return true;
  if (passwords.length * body.length > most.compared) return true;
  const encoded = new Set<string | undefined>();
  for (const password of passwords) {
    if (body.includes(JSON.stringify(password)) || body.includes(`\r\n\r\n${password}\r\n`)) return true;
    encoded.add(password).add(encodeURIComponent(password.toWellFormed()));
    encoded.add(new URLSearchParams([['', password]]).toString().slice(1));
    if (turn.isOver) await turn.end();
  }
  const isPassword = ([, value]: RegExpExecArray) => encoded.has(value);
  return passwords.length > 0 && (await hasAny([query, body], [values], isPassword, turn));
}

/** The values of a form. */
const values = /(?:^|&)[^&=]*=([^&]*)/g;
const word = /passw|passphrase|kennwort|(?<![a-z])(?:pwd|pass)(?![a-z])/i;
/** The names of values that aren't empty: of a form, in JSON and in parts. A page decides what is read, and must not make it slow. */
const inForm = /(?:^|&)([^"&=\s]+)=(?=[^&])/g;
const inJson = /"([^"&=\s]+)(?="\s*:\s*"[^"])/g;
const inParts = /name="([^"&=\s]+)(?="\r\n\r\n[^\r])/gi;

/** Whether a request sends a field that is called a password and isn't empty. */
export async function namesPassword(request: SentRequest, turn: Turn): Promise<boolean> {
  const { query, body } = textOf(request);
  const isPassword = ([, name = '']: RegExpExecArray) => word.test(name);
  return (
    (await hasAny([query], [inForm], isPassword, turn)) ||
    (await hasAny([body], [inForm, inJson, inParts], isPassword, turn))
  );
}

async function hasAny(
  texts: readonly string[],
  patterns: readonly RegExp[],
  isIt: (found: RegExpExecArray) => boolean,
  turn: Turn,
): Promise<boolean> {
  for (const found of texts.flatMap((text) => patterns.map((pattern) => text.matchAll(pattern)))) {
    for (const each of found) {
      if (isIt(each)) return true;
      if (turn.isOver) await turn.end();
    }
  }
  return false;
}

function textOf({ url, postData, postDataEntries = [] }: SentRequest): { query: string; body: string } {
  const entries = postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64').toString('utf8'));
  return { query: URL.parse(url)?.search.slice(1) ?? '', body: postData ?? entries.join('') };
}
