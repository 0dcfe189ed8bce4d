import { request } from 'undici';
import { signatureHeader } from '../../contract/webhook-signature.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { RefusedTarget } from '../fetch/address-policy.ts';
import type { Dispatchers } from '../fetch/dispatchers.ts';

/** What became of an attempt: any status from 200 to 299 acknowledges. */
export type Outcome =
  | { acknowledged: true; status: number }
  | { acknowledged: false; reason: string }
  /** The service ends: the attempt does not count. */
  | { acknowledged: false; stopped: true };

export interface PostRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  signature: string | undefined;
  timeoutMs: number;
  /** Ends the attempt when the service ends. */
  stop: AbortSignal;
}

/** Bytes of an answer's body that are read, and thrown away, so that its connection can be used again. */
const bodyLimit = 64 * 1024;
/** What HTTP itself sets, and what is the same for every delivery, is not a webhook's to give. */
const ownHeaders = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'],
  ...['expect', 'keep-alive', 'te', 'trailer', 'upgrade', signatureHeader.toLowerCase()],
]);

/** One attempt: it follows no redirect and ends after `timeoutMs`. Never rejects. */
export type Post = (post: PostRequest) => Promise<Outcome>;

export function createPost(dispatchers: Dispatchers, clock: Clock, userAgent: string): Post {
  return async ({ url, headers, body, signature, timeoutMs, stop }) => {
    const giveUp = new AbortController();
    const cancel = clock.after(timeoutMs, () => giveUp.abort());
    const signal = AbortSignal.any([giveUp.signal, stop]);
    try {
      const target = new URL(url);
      const dispatcher = await orAborted(dispatchers.for(target, false), signal);
      const answer = await request(target, {
        dispatcher,
        method: 'POST',
        headers: {
          'user-agent': userAgent,
          ...Object.fromEntries(
            Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()) && !/^proxy-/i.test(name)),
          ),
          'content-type': 'application/json',
          ...(signature !== undefined && { [signatureHeader]: signature }),
        },
        body,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      // The timer runs on: whoever sends a body without end is cut off.
      answer.body
        .dump({ limit: bodyLimit, signal })
        .catch(() => undefined)
        .finally(cancel);
      const status = answer.statusCode;
      if (status >= 200 && status <= 299) return { acknowledged: true, status };
      return { acknowledged: false, reason: status < 400 ? `status ${status}, a redirect` : `status ${status}` };
    } catch (error) {
      cancel();
      if (stop.aborted) return { acknowledged: false, stopped: true };
      if (giveUp.signal.aborted) return { acknowledged: false, reason: `no answer within ${timeoutMs / 1000} s` };
      return { acknowledged: false, reason: reasonOf(error) };
    }
  };
}

function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return Promise.race([
    promise,
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
  ]);
}

/** Why there was no answer, in words that hold nothing of the URL: its path may be a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedTarget) return messageOf(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'no connection';
}
