import type { Connection } from '../connection/connection.ts';
import { targetName } from '../connection/target.ts';
import { abortable } from '../ui/lifecycle.ts';
import { label } from '../ui/text/text.ts';
import { visibleText } from '../ui/text/visible-text.ts';

/** The parts of a connection that questions need. */
export type DocsConnection = Pick<Connection, 'rateLimit' | 'access'>;

/** A server's answer, with invisible characters made visible. */
export type DocsReply = Awaited<ReturnType<typeof askDocs>>;

const maxAnswerLength = 200_000;
const maxEvidence = 30;

/**
 * Sends a question to the target (specification, POST /v2/support/docs-search). A 429 slows the polling of all views.
 * @throws ClientError, UserError, or the signal's reason as soon as it is aborted
 */
export async function askDocs(connection: DocsConnection, question: string, signal: AbortSignal) {
  const { client, target, embedded } = await abortable(connection.access(), signal);
  try {
    const reply = await client.searchDocs({ body: { question } }, { signal });
    const { answer, usage, durationMs } = reply;
    const evidence = (reply.evidence ?? []).filter(({ pathOrUrl }) => pathOrUrl !== '').slice(0, maxEvidence);
    return {
      /** False if the docs don't answer the question. */
      answered: evidence.length > 0,
      /** Untrusted markdown. */
      text: visibleText(answer.length > maxAnswerLength ? `${answer.slice(0, maxAnswerLength)}…` : answer),
      evidence: evidence.map(({ pathOrUrl, reason }) => ({
        pathOrUrl,
        reason: reason ? visibleText(reason) : undefined,
      })),
      embedded: embedded !== undefined,
      /** The name of the server. */
      server: label(targetName(target), 60),
      /** Milliseconds, as measured by the server. */
      durationMs: durationMs ?? undefined,
      /** Tokens used by a language model. */
      tokens: usage?.totalTokens || undefined,
    };
  } catch (error) {
    connection.rateLimit.note(error);
    throw error;
  }
}
