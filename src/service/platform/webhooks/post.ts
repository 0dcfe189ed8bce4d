import { isSignatureHeader, signatureHeaders } from '../../../contract/webhooks/webhook-signature.ts';
import { orAborted } from '../async.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { RefusedTarget } from '../network/address-policy/address-policy.ts';
import type { Dispatchers } from '../network/dispatchers.ts';

/** The outcome of an attempt: any status from 200 to 299 acknowledges the delivery. */
export type Outcome =
  | { acknowledged: true }
  | { acknowledged: false; reason: string }
  /** The service is shutting down: the attempt doesn't count. */
  | { acknowledged: false; stopped: true };

export interface PostRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  signature: string | undefined;
  timeoutMs: number;
  /** Cancels the attempt when the service shuts down. */
  stop: AbortSignal;
}

/** Maximum number of bytes of a response body that are read and discarded, so that the connection can be reused. */
const bodyLimit = 64 * 1024;
/** Headers that a webhook can't set, because HTTP itself or every delivery sets them. */
const reservedHeaders = new Set([
  ...['host', 'connection', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'],
  ...['expect', 'keep-alive', 'te', 'trailer', 'upgrade'],
]);

/** Makes one attempt, without following redirects, for at most `timeoutMs`. Never rejects. */
export type Post = (post: PostRequest) => Promise<Outcome>;

export function createPost(dispatchers: Dispatchers, clock: Clock, userAgent: string): Post {
  return async ({ url, headers, body, signature, timeoutMs, stop }) => {
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort());
    const signal = AbortSignal.any([timeout.signal, stop]);
    try {
      const target = new URL(url);
      const dispatcher = await orAborted(dispatchers.for(target, false), signal);
      const response = await dispatcher.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST',
        headers: {
          'user-agent': userAgent,
          ...Object.fromEntries(
            Object.entries(headers).filter(
              ([name]) =>
                !reservedHeaders.has(name.toLowerCase()) && !isSignatureHeader(name) && !/^proxy-/i.test(name),
            ),
          ),
          'content-type': 'application/json',
          ...(signature !== undefined && Object.fromEntries(signatureHeaders.map((name) => [name, signature]))),
        },
        body,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      // The timer keeps running, to cut off an endless body.
      response.body
        .dump({ limit: bodyLimit, signal })
        .catch(() => undefined)
        .finally(cancel);
      const status = response.statusCode;
      if (status >= 200 && status <= 299) return { acknowledged: true };
      return { acknowledged: false, reason: status < 400 ? `status ${status} (redirect)` : `status ${status}` };
    } catch (error) {
      cancel();
      if (stop.aborted) return { acknowledged: false, stopped: true };
      if (timeout.signal.aborted) return { acknowledged: false, reason: `no response within ${timeoutMs / 1000} s` };
      return { acknowledged: false, reason: reasonOf(error) };
    }
  };
}

/** Returns why there was no response. Doesn't contain any part of the URL, because its path may be a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedTarget) return messageOf(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'connection failed';
}
