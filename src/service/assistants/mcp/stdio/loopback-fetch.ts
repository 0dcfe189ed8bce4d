import { type IncomingMessage, request } from 'node:http';
import { loopbackAgent } from '../../../../discovery/discovery.ts';

type OnEnd = (end: { isWhole: boolean }) => void;

/**
 * Sends a request to a service on this machine, as `fetch` does. Unlike `fetch`, it never uses a proxy, which would get the
 * key, and a response may take as long as it needs: calls of tools run for minutes. `onEnd` is called after everything of
 * the response has been read, or when it breaks off: then it isn't whole. Rejects with a TypeError whose `cause` says why.
 */
export async function loopbackFetch(url: URL, init: RequestInit = {}, onEnd: OnEnd = () => {}): Promise<Response> {
  const { method = 'GET', body, signal } = init;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = request(
    url,
    { method, headers: Object.fromEntries(new Headers(init.headers)), agent: loopbackAgent, ...(signal && { signal }) },
    resolve,
  );
  call.on('error', (cause) => reject(signal?.aborted ? cause : new TypeError('fetch failed', { cause })));
  call.end(typeof body === 'string' ? body : undefined);
  const message = await promise;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const status = message.statusCode ?? 502;
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : bodyOf(message, onEnd), { status, headers });
}

function bodyOf(message: IncomingMessage, onEnd: OnEnd): ReadableStream<Uint8Array> {
  const chunks = message[Symbol.asyncIterator]();
  // The reader has used what it has read by then.
  const ended = (isWhole: boolean) => void setImmediate(onEnd, { isWhole });
  return new ReadableStream<Uint8Array>(
    {
      // With no queue of its own, it is asked for more only when all before it has been read.
      async pull(controller) {
        try {
          const { value, done } = await chunks.next();
          if (!done) return controller.enqueue(value);
          controller.close();
          ended(true);
        } catch (error) {
          controller.error(error);
          ended(false);
        }
      },
      cancel() {
        message.destroy();
        ended(true);
      },
    },
    { highWaterMark: 0 },
  );
}
