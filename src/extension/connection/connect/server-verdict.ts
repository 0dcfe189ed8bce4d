/** Loaded when a server is entered, never at activation. */
import * as l10n from '@vscode/l10n';
import { createClient } from '../../../client/client.ts';
import { httpInstead } from '../../ui/ask-url/http-instead.ts';
import { capitalized, messageOf, shortAddress } from '../../ui/text/text.ts';
import { failureKind, failureStatus } from '../failures.ts';
import type { Verdict } from './live-check.ts';

/**
 * Asks whether a server accepts a key; without one, whether a web data server is at a base URL: any server of the API
 * refuses that, or answers.
 */
export async function serverVerdict(baseUrl: string, signal: AbortSignal, apiKey?: string): Promise<Verdict> {
  const { host } = new URL(baseUrl);
  try {
    const client = createClient({ baseUrl, apiKey, fetch: globalThis.fetch });
    await client.listBrowserSessions({}, { signal, retries: 0 });
    return { problem: undefined };
  } catch (error) {
    const status = failureStatus(error);
    if (apiKey !== undefined && (status === 401 || status === 403))
      return { problem: l10n.t('{0} rejected this API key (status {1}).', host, status) };
    return await verdictOf(error, baseUrl, host);
  }
}

async function verdictOf(error: unknown, baseUrl: string, host: string): Promise<Verdict> {
  const status = failureStatus(error);
  const kind = failureKind(error);
  if (kind === 'unexpected-response' || status === 404 || status === 405) {
    return {
      problem: l10n.t(
        "{0} responded, but it isn't a web data server. Check its address and path.",
        shortAddress(baseUrl, 60),
      ),
    };
  }
  // Refused without a key, or busy: it speaks the API.
  if (status !== undefined) return { problem: undefined };
  if (kind !== 'connection') return { problem: sentenceOf(error) };
  const http = await httpInstead(baseUrl);
  if (http === undefined) return { problem: sentenceOf(error) };
  return { problem: l10n.t("{0} doesn't support HTTPS, but answers over HTTP.", host), instead: http };
}

/** Returns the reason in the client's message, which starts with what it wanted to do. */
function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  return capitalized(message.slice(message.indexOf(': ') + 2));
}
