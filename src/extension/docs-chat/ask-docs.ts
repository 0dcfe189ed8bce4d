import type { Access } from '../connection/connection.ts';
import { limitOf } from '../connection/server-state.ts';
import { targetName } from '../connection/target.ts';
import type { RateLimit } from '../ui/rate-limit.ts';
import { label } from '../ui/text.ts';
import { visibleText } from './visible-text.ts';

/** What questions need of a connection. */
export interface AskedConnection {
  readonly rateLimit: RateLimit;
  access(): Promise<Access>;
}

/** An answer as a server gave it, with everything invisible in it made visible. */
export interface DocsReply {
  /** False: the texts do not answer the question. */
  answered: boolean;
  /** Markdown, to be trusted with nothing. */
  text: string;
  evidence: { pathOrUrl: string; reason: string | undefined }[];
  embedded: boolean;
  /** Name of the server. */
  server: string;
  /** Milliseconds, as the server measured them. */
  durationMs: number | undefined;
  /** Tokens that a language model used. */
  tokens: number | undefined;
}

const longestAnswer = 200_000;
const mostEvidence = 30;

/**
 * Asks the target (specification, POST /v2/support/docs-search). A 429 slows the polling of all views.
 * @throws ClientError, UserError, and the signal's reason at once when it is aborted
 */
export async function askDocs(connection: AskedConnection, question: string, signal: AbortSignal): Promise<DocsReply> {
  const { client, target, embedded } = await unlessAborted(connection.access(), signal);
  try {
    const reply = await client.searchDocs({ body: { question } }, { signal });
    const { answer, usage, durationMs } = reply;
    const evidence = (reply.evidence ?? []).filter(({ pathOrUrl }) => pathOrUrl !== '').slice(0, mostEvidence);
    return {
      answered: evidence.length > 0,
      text: visibleText(answer.length > longestAnswer ? `${answer.slice(0, longestAnswer)}…` : answer),
      evidence: evidence.map(({ pathOrUrl, reason }) => ({
        pathOrUrl,
        reason: reason ? visibleText(reason) : undefined,
      })),
      embedded: embedded !== undefined,
      server: label(targetName(target), 60),
      durationMs: durationMs ?? undefined,
      tokens: usage?.totalTokens || undefined,
    };
  } catch (error) {
    const limit = limitOf(error);
    if (limit) connection.rateLimit.hit(limit.retryAfterMs);
    throw error;
  }
}

/** Starting the service goes on by itself; the person need not wait for it. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
