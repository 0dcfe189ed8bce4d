import { availableParallelism } from 'node:os';
import type { Tab } from '../../../browsers/page/tab.ts';

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
 * Counts the windows, workers and frames that the page of a tab opens, and the requests
 * that its documents send, without those of its workers. Returns a function that stops this.
 * @param onTooMany called with a sentence when there are too many, even if they are gone already
 */
export function countOpenings(tab: Tab, onTooMany: (reason: string) => void): () => void {
  const counts = { window: 0, worker: 0, frame: 0, request: 0 };
  const count = (what: Opened) => {
    if (++counts[what] > most[what])
      onTooMany(
        `The page was closed, because it ${what === 'request' ? 'sent' : 'opened'} more than ${most[what]} ${what}s.`,
      );
  };
  const stops = [
    tab.client.on('Target.targetCreated', ({ targetInfo: { type, browserContextId } }) => {
      const what = kinds[type];
      if (what && (tab.contextId === undefined || tab.contextId === browserContextId)) count(what);
    }),
    tab.on('Page.frameAttached', () => count('frame')),
    tab.on('Network.requestWillBeSent', ({ request }) => {
      if (/^https?:/.test(request.url)) count('request');
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
