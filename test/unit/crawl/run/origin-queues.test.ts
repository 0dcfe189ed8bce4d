import assert from 'node:assert/strict';
import { createOriginQueues } from '../../../../src/service/web/crawl/run/waiting-pages/origin-queues.ts';
import type { WaitingPage } from '../../../../src/service/web/crawl/store/frontier.ts';

describe('the origins of a job', () => {
  const pageOf = (origin: string, id: number): WaitingPage => ({
    id,
    url: `${origin}/`,
    identity: origin,
    depth: 0,
    found_on: null,
    hidden: 0,
    for_links: 0,
  });

  it('are open a hundred at a time, and all of them get their turn (TRN-03)', async () => {
    const origins = Array.from({ length: 1000 }, (_, index) => `https://host-${index}.test`);
    const asked: string[] = [];
    const frontier = {
      async waiting(_job: number, origin: string, after: number) {
        asked.push(origin);
        return after > 0 ? [] : [pageOf(origin, origins.indexOf(origin) + 1)];
      },
    };
    const queues = createOriginQueues(frontier, 1, {
      onLoaded: () => undefined,
      onFailed: (error) => assert.fail(String(error)),
      after: () => undefined,
    });
    for (const origin of origins) queues.note(origin);

    const fetched: string[] = [];
    let most = 0;
    while (fetched.length < origins.length) {
      let looked = 0;
      for (const queue of queues.all()) {
        looked++;
        const page = queue.peek();
        if (!page || page === 'loading') continue;
        queue.shift();
        queues.served(queue);
        fetched.push(page.url);
        break;
      }
      most = Math.max(most, looked);
      await new Promise(setImmediate);
    }
    // Those that are being closed are looked at once more.
    assert.ok(most <= 200, `${most} origins were looked at for one page`);
    assert.deepEqual(new Set(fetched).size, origins.length);
    assert.equal(queues.more, false);
  });

  it('are left out while their host asks to wait, and others open meanwhile', async () => {
    const back: (() => void)[] = [];
    const queues = createOriginQueues({ waiting: async (_job, origin) => [pageOf(origin, 1)] }, 1, {
      onLoaded: () => undefined,
      onFailed: (error) => assert.fail(String(error)),
      after: (_ms, callback) => void back.push(callback),
    });
    for (let index = 0; index < 150; index++) queues.note(`https://host-${index}.test`);
    for (const queue of [...queues.all()]) queue.defer(1000);
    assert.equal(back.length, 100);
    assert.equal([...queues.all()].length, 50);
    assert.equal(queues.more, true);
    for (const callback of back) callback();
    assert.equal([...queues.all()].length, 150);
    assert.equal(queues.more, false);
  });
});
