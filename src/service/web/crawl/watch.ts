import { type WebSocket, WebSocketServer } from 'ws';
import { jobId } from '../../../contract/fields.ts';
import { limits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Watches } from '../../platform/http/http.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { storageError } from '../../platform/storage/storage.ts';
import { jobPaths, stateOf, withDocuments } from './job-state.ts';
import type { Jobs } from './jobs.ts';
import type { JobKind } from './store/job-table.ts';

/** Maximum number of documents, and of bytes of documents, read from storage at a time. */
const readAtATime = { count: 50, bytes: 2 * 1024 * 1024 };
const pingEveryMs = 30_000;
/** How long a client has to close its side. */
const closeTimeoutMs = 1000;

/** Streams the documents of crawls and batches over WebSockets, on the same paths as their state. */
export function createJobWatches(jobs: Jobs, clock: Clock): Watches & { close(): void } {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: 4096,
    // A client that offers a subprotocol disconnects unless the server selects it.
    handleProtocols: (protocols) => [...protocols][0] ?? false,
  });

  const find = (path: string) => {
    for (const [kind, folder] of Object.entries(jobPaths) as [JobKind, string][]) {
      const id = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : '';
      if (/^[^/]+$/.test(id)) return { kind, id };
    }
    return undefined;
  };

  return {
    serves: (path) => find(path) !== undefined,
    async upgrade(request, socket, head, path, caller) {
      const wanted = find(path);
      if (!wanted) return { status: 404, error: 'There is no WebSocket at this path.' };
      const checked = jobId.safeParse(wanted.id);
      if (!checked.success) return { status: 400, error: checked.error.issues[0]?.message ?? 'Invalid job ID format.' };
      try {
        await jobs.find(caller, wanted.kind, wanted.id);
      } catch (failure) {
        const error = storageError(failure) ?? failure;
        return { status: error instanceof ServiceError ? error.status : 500, error: messageOf(error) };
      }
      if (socket.destroyed) return undefined;
      server.handleUpgrade(request, socket, head, (client) => {
        void watch(client, jobs, caller, wanted, clock);
      });
      return undefined;
    },
    close() {
      for (const client of server.clients) {
        closeWithError(client, 1001, 'The service is shutting down.');
        clock.after(closeTimeoutMs, () => client.terminate());
      }
    },
  };
}

/** Sends the documents so far, then each new document, then the final state. Never rejects. */
async function watch(
  client: WebSocket,
  jobs: Jobs,
  caller: Caller,
  { kind, id }: { kind: JobKind; id: string },
  clock: Clock,
): Promise<void> {
  let wake: () => void = () => undefined;
  let changed = true;
  const unfollow = jobs.follow(id, () => {
    changed = true;
    wake();
  });
  const stopPings = keepAlive(client, clock);
  client.on('error', () => client.terminate());
  client.once('close', () => wake());
  try {
    let sent = 0;
    let caughtUp = false;
    while (client.readyState === client.OPEN) {
      changed = false;
      const job = await jobs.find(caller, kind, id);
      const documents = await jobs.texts(job, sent, readAtATime.count, readAtATime.bytes);
      sent += documents.length;
      const over = job.status !== 'scraping' && sent >= job.completed;
      const state = (read: number) =>
        stateOf(
          { ...job, status: over ? job.status : 'scraping' },
          { skip: sent - read, read, limit: limits.documentsPage.default, jobUrl: '', now: clock.now() },
        );
      if (!caughtUp) {
        const { next: _next, ...catchup } = state(documents.length);
        await send(client, '{"type":"catchup","data":', ...withDocuments(catchup, documents), '}');
        caughtUp = true;
      } else {
        for (const document of documents) await send(client, '{"type":"document","data":', document, '}');
      }
      if (over) return await sendEnd(client, state(0));
      if (documents.length > 0 || changed || client.readyState !== client.OPEN) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  } catch (error) {
    closeWithError(client, 1011, messageOf(storageError(error) ?? error));
  } finally {
    unfollow();
    stopPings();
  }
}

async function sendEnd(client: WebSocket, state: { status: string; error?: string | null | undefined }): Promise<void> {
  const data = { ...state, data: [] };
  if (state.status === 'completed') {
    await send(client, JSON.stringify({ type: 'done', data }));
    client.close(1000, JSON.stringify({ type: 'done' }));
    return;
  }
  await send(client, JSON.stringify({ type: 'status', data }));
  closeWithError(client, 1000, state.error ?? `The job was ${state.status}.`);
}

/** Closes with an error, cut to fit a close frame's reason of 123 bytes. */
function closeWithError(client: WebSocket, code: number, error: string): void {
  const plain = error.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 80);
  client.close(code, JSON.stringify({ type: 'error', error: plain.replaceAll(/["\\]/g, "'") }));
}

/** Sends the parts of a message and resolves when the socket has accepted it, so that a slow client delays only itself. */
function send(client: WebSocket, ...parts: (string | Buffer)[]): Promise<void> {
  const message = parts.every((part) => typeof part === 'string')
    ? parts.join('')
    : Buffer.concat(parts.map((part) => Buffer.from(part)));
  return new Promise((resolve) => client.send(message, { binary: false }, () => resolve()));
}

function keepAlive(client: WebSocket, clock: Clock): () => void {
  let alive = true;
  client.on('pong', () => {
    alive = true;
  });
  let cancel = clock.after(pingEveryMs, ping);
  function ping(): void {
    if (!alive) return client.terminate();
    alive = false;
    client.ping();
    cancel = clock.after(pingEveryMs, ping);
  }
  return () => cancel();
}
