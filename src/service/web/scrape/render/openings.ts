import { availableParallelism } from 'node:os';
import { attempt, networkLimits, type Tab } from '../../../browsers/page/tab.ts';

/**
 * How many of each a page may open or send: they take the time of the browser, of its machine, of the service and of the other
 * pages. Pages may have pools with a worker for each processor.
 */
const most = { window: 50, worker: Math.max(50, 4 * availableParallelism()), frame: 500, request: 10_000 };

type Opened = keyof typeof most;

const kinds: Readonly<Record<string, Opened>> = {
  page: 'window',
  worker: 'worker',
  shared_worker: 'worker',
  service_worker: 'worker',
};

/**
 * Counts the windows, workers and frames that the page of a tab opens, and the requests of all of them but the windows, which
 * are closed. Returns a function that stops this.
 * @param onTooMany called with a sentence when there are too many, even if they are gone already
 */
export function countOpenings({ client, contextId, ...tab }: Tab, onTooMany: (reason: string) => void): () => void {
  const counts = { window: 0, worker: 0, frame: 0, request: 0 };
  const count = (what: Opened) => {
    if (++counts[what] > most[what])
      onTooMany(
        `The page was closed, because it ${what === 'request' ? 'sent' : 'opened'} more than ${most[what]} ${what}s.`,
      );
  };
  /** Of the page, and of its workers and frames of other sites: what these request is told only there. */
  const sessions = new Set<string | undefined>([tab.sessionId]);
  let stopped = false;
  const leave = (sessionId: string | undefined) => void attempt(client.send('Target.detachFromTarget', { sessionId }));
  const follow = async (targetId: string) => {
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    if (stopped) return leave(sessionId);
    sessions.add(sessionId);
    await client.send('Network.enable', networkLimits, sessionId);
  };
  const stops = [
    client.on('Target.targetCreated', ({ targetInfo: { targetId, type, browserContextId } }) => {
      if (contextId !== undefined && contextId !== browserContextId) return;
      const what = kinds[type];
      if (what) count(what);
      if (what === 'worker' || type === 'iframe') void attempt(follow(targetId));
    }),
    tab.on('Page.frameAttached', () => count('frame')),
    client.on('Network.requestWillBeSent', ({ request }, from) => {
      if (sessions.has(from) && /^https?:/.test(request.url)) count('request');
    }),
  ];
  return () => {
    stopped = true;
    for (const stop of stops) stop();
    sessions.delete(tab.sessionId);
    for (const sessionId of sessions) leave(sessionId);
  };
}
