import * as l10n from '@vscode/l10n';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../../ui/text/text.ts';

/** A server with the OpenAI chat completions API. */
export interface ModelServer {
  /** With its version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
}

/** A server on this machine that answered, with the models that it lists. */
export interface FoundServer extends ModelServer {
  name: string;
  models: string[];
}

type Fetch = typeof globalThis.fetch;

/** Where programs that run models on one's own machine listen by default. */
export const localServers = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
] as const;

const listTimeoutMs = 5_000;
/** A local server loads the model into memory at its first request. */
const testTimeoutMs = 120_000;
const maxModels = 500;
const maxResponseCharacters = 1_000_000;

/** A call to a model server failed. The message can be shown, and never contains the key. */
export class ModelServerError extends Error {
  override name = 'ModelServerError';
  /** The server asks for a key, or refuses the given one. */
  readonly needsKey: boolean;

  constructor(message: string, needsKey = false) {
    super(message);
    this.needsKey = needsKey;
  }
}

/** Returns the servers of `candidates` that run now. */
export async function findModelServers(
  fetch: Fetch,
  candidates: readonly { name: string; baseUrl: string }[] = localServers,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      try {
        return [{ ...candidate, models: await listModels(candidate, fetch) }];
      } catch (error) {
        // It runs, but shows its models only to those who have a key.
        return error instanceof ModelServerError && error.needsKey ? [{ ...candidate, models: [] }] : [];
      }
    }),
  );
  return found.flat();
}

/** Returns the names of a server's models, as it lists them. Rejects with a ModelServerError. */
export async function listModels(server: ModelServer, fetch: Fetch): Promise<string[]> {
  const body = await call(server, 'models', { method: 'GET' }, { fetch, timeoutMs: listTimeoutMs });
  const { data } = body as { data?: unknown };
  if (!Array.isArray(data)) throw new ModelServerError(notThisApi(server));
  const ids = data.map((model: unknown) => (model as { id?: unknown } | null)?.id);
  return ids.filter((id) => typeof id === 'string' && id !== '' && id.length <= 200).slice(0, maxModels) as string[];
}

/** Asks a model for a word, to see that it answers. Rejects with a ModelServerError. */
export async function testModel(
  server: ModelServer & { model: string },
  fetch: Fetch,
  signal?: AbortSignal,
): Promise<void> {
  const body = {
    model: server.model,
    messages: [{ role: 'user', content: 'Reply with the word OK.' }],
    stream: false,
  };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const reply = await call(server, 'chat/completions', init, { fetch, signal, timeoutMs: testTimeoutMs });
  const { choices } = reply as { choices?: { message?: unknown }[] };
  if (!Array.isArray(choices) || typeof choices[0]?.message !== 'object') {
    throw new ModelServerError(notThisApi(server));
  }
}

/** Returns a base URL as it is used: trimmed, with a scheme and without a trailing slash. Undefined if it isn't valid. */
export function modelBaseUrl(text: string): string | undefined {
  const given = text.trim();
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(given);
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `${isLocal ? 'http' : 'https'}://${given}`;
  if (given === '' || /\s/.test(given) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return undefined;
  return `${url.origin}${url.pathname.replace(/\/(chat\/completions|models)\/?$/, '')}`.replace(/\/+$/, '');
}

async function call(
  server: ModelServer,
  path: string,
  init: { method: string; headers?: Record<string, string>; body?: string },
  options: { fetch: Fetch; signal?: AbortSignal | undefined; timeoutMs: number },
): Promise<object> {
  const { host } = new URL(server.baseUrl);
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const headers = { ...init.headers, ...(server.apiKey && { authorization: `Bearer ${server.apiKey}` }) };
  let status: number;
  let text: string;
  try {
    const response = await options.fetch(`${server.baseUrl}/${path}`, {
      ...init,
      headers,
      redirect: 'error',
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
    status = response.status;
    text = (await response.text()).slice(0, maxResponseCharacters);
  } catch (error) {
    options.signal?.throwIfAborted();
    const why = timeout.aborted ? l10n.t('no response within {0} s', options.timeoutMs / 1000) : reasonOf(error);
    throw new ModelServerError(
      l10n.t("Can't reach the language model at {0}: {1}.", host, shorten(hide(why, server.apiKey))),
    );
  }
  if (status === 401 || status === 403) {
    const text = server.apiKey
      ? l10n.t('{0} rejected this key (status {1}).', host, status)
      : l10n.t('{0} needs a key (status {1}).', host, status);
    throw new ModelServerError(text, true);
  }
  if (status !== 200) {
    const message = /"message"\s*:\s*"((?:[^"\\]|\\.)+)/.exec(text)?.[1] ?? text;
    const detail = shorten(hide(message, server.apiKey).replaceAll(/\s+/g, ' ').trim());
    throw new ModelServerError(
      detail === ''
        ? l10n.t('{0} returned status {1}.', host, status)
        : l10n.t('{0} returned status {1}: {2}', host, status, detail),
    );
  }
  const body = jsonIn(text);
  if (typeof body === 'object' && body !== null) return body;
  throw new ModelServerError(notThisApi(server));
}

function notThisApi({ baseUrl }: ModelServer): string {
  return l10n.t(
    "{0} doesn't have the OpenAI chat completions API. Its base URL usually ends with /v1.",
    shorten(baseUrl),
  );
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return messageOf(cause ?? error, Number.POSITIVE_INFINITY);
}

function hide(text: string, apiKey: string | undefined): string {
  return apiKey ? text.replaceAll(apiKey, '…') : text;
}
