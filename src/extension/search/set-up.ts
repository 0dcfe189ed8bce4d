import * as l10n from '@vscode/l10n';
import { jsonIn } from '../../contract/lenient-texts.ts';
import { ReceivedBytes } from '../../contract/received-bytes.ts';
import { searchBaseUrl } from '../../contract/search.ts';
import { fieldOf } from '../../webviews/common/messages.ts';
import type { Verdict } from '../connection/connect/live-check.ts';
import { askChecked } from '../connection/connect/server-inputs.ts';
import { say } from '../ui/dialogs.ts';
import { readSetting, writeSetting } from '../ui/settings.ts';
import { hostOf, label, messageOf, shortAddress } from '../ui/text/text.ts';

/**
 * Asks for the URL of a SearXNG server, checks it while it is typed, and saves it. Returns whether one is set up.
 * @param pass passes the setting to the embedded service
 */
export async function setUpSearch(pass: () => void): Promise<boolean> {
  const current = readSetting('searchEndpoint').trim();
  const outcome = await askChecked({
    title: l10n.t('Set Up Search'),
    prompt:
      current === ''
        ? l10n.t('Base URL of a SearXNG server')
        : l10n.t('Base URL of a SearXNG server. Leave it empty to remove the search engine.'),
    placeholder: 'http://127.0.0.1:8888',
    value: current || (await findSearxng(globalThis.fetch)) || '',
    help: { tooltip: l10n.t('Install SearXNG'), url: 'https://docs.searxng.org/admin/installation.html' },
    ...(current !== '' && { emptyText: '' }),
    problemOf: (text) =>
      text.trim() === '' || searchBaseUrl(text) !== undefined
        ? undefined
        : l10n.t('Enter an http or https URL without a user name, such as http://127.0.0.1:8888.'),
    ask: async (text, signal) => {
      const baseUrl = searchBaseUrl(text);
      return baseUrl === undefined ? { problem: undefined } : await engineVerdict(baseUrl, signal, globalThis.fetch);
    },
  });
  if (outcome.kind !== 'text') return false;
  const baseUrl = searchBaseUrl(outcome.text);
  await writeSetting('searchEndpoint', baseUrl);
  pass();
  say(
    baseUrl === undefined
      ? l10n.t('$(check) Search engine removed')
      : l10n.t('$(check) Search engine: {0}', label(hostOf(baseUrl) ?? baseUrl, 60)),
  );
  return baseUrl !== undefined;
}

type Fetch = typeof globalThis.fetch;

/** Where SearXNG listens by default: installed, and in a container as its guide starts it. */
const localServers = ['http://127.0.0.1:8888', 'http://127.0.0.1:8080'];
const timeoutMs = 20_000;
const maxCharacters = 2_000_000;

/**
 * Returns the base URL of a SearXNG server on this machine; undefined if none answers. Nothing is searched for.
 * @param withinMs how long servers may take: somebody waits for a dialog meanwhile
 */
export async function findSearxng(
  fetch: Fetch,
  candidates = localServers,
  withinMs = 300,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(withinMs);
  const found = await Promise.all(
    candidates.map(async (baseUrl) => ((await isServer(baseUrl, fetch, signal)) ? baseUrl : undefined)),
  );
  return found.find((baseUrl) => baseUrl !== undefined);
}

/** Asks for the public configuration, for which SearXNG sends no request to other sites. */
async function isServer(baseUrl: string, fetch: Fetch, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/config`, { redirect: 'error', signal });
    const config = jsonIn(await startOf(response));
    return response.ok && ['engines', 'categories'].some((name) => Array.isArray(fieldOf(config, name)));
  } catch {
    return false;
  }
}

/** Asks a server for a search in JSON, as the embedded service will. */
async function engineVerdict(baseUrl: string, signal: AbortSignal, fetch: Fetch): Promise<Verdict> {
  const host = shortAddress(baseUrl, 60);
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${baseUrl}/search?q=web&format=json`, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, timeout]),
    });
    text = await startOf(response);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { problem: l10n.t("{0} didn't respond within {1} s.", host, timeoutMs / 1000) };
    const { cause } = error as { cause?: unknown };
    return { problem: l10n.t("Can't reach {0}: {1}.", host, messageOf(cause ?? error)) };
  }
  const { status } = response;
  if (status >= 300 && status < 400) {
    const location = response.headers.get('location');
    const target = location ? URL.parse(location, `${baseUrl}/search`) : null;
    if (!target) return { problem: l10n.t("{0} redirects. Enter SearXNG's base URL.", host) };
    return {
      problem: l10n.t(
        "{0} redirects to {1}. Enter SearXNG's base URL.",
        host,
        shortAddress(target.origin + target.pathname, 80),
      ),
    };
  }
  if (status === 403) {
    return {
      problem: l10n.t(
        'SearXNG refused the JSON format (status 403). Add json to search.formats in its settings.yml, and restart it.',
      ),
    };
  }
  if (status === 401) return { problem: l10n.t("{0} asks for a login, which isn't supported.", host) };
  if (status === 429)
    return { problem: l10n.t('{0} limits requests (status 429). Turn off server.limiter in its settings.yml.', host) };
  if (status >= 500) return { problem: l10n.t('{0} returned status {1}.', host, status) };
  if (status === 200 && isSearxng(text)) return { problem: undefined };
  return {
    problem: l10n.t("{0} responded, but it isn't a SearXNG server. Check its address and path.", host),
  };
}

/** Reads the start of an answer, which may never end. */
async function startOf({ body }: Response): Promise<string> {
  const received = new ReceivedBytes();
  for await (const chunk of body ?? []) {
    received.push(chunk);
    // None of its characters has more bytes. Leaving the loop ends the transfer.
    if (received.length > 4 * maxCharacters) break;
  }
  return new TextDecoder().decode(received.whole()).slice(0, maxCharacters);
}

function isSearxng(text: string): boolean {
  const answer = jsonIn(text);
  // A long answer is cut; SearXNG starts with its query.
  if (answer === undefined) return text.length === maxCharacters && text.startsWith('{"query"');
  return Array.isArray(fieldOf(answer, 'results'));
}
