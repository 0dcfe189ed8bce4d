import assert from 'node:assert/strict';
import { createJobQueue } from '../../src/service/platform/job-queue.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { bodySteps } from '../../src/service/platform/network/fetch.ts';
import type { Database } from '../../src/service/platform/storage/storage.ts';
import { createTurns } from '../../src/service/platform/turns.ts';
import { createSlots } from '../../src/service/web/crawl/run/run-parts.ts';
import { createBodyBudget } from '../../src/service/web/scrape/body-budget.ts';
import { createConverters } from '../../src/service/web/scrape/convert/convert.ts';
import type { ConvertTask } from '../../src/service/web/scrape/convert/tasks.ts';
import { ended, linking, startCrawl } from '../harness/crawl-jobs.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { startFaultySite } from '../harness/faulty-site.ts';
import { startTestService } from '../harness/service.ts';

const { signal } = new AbortController();
const task = (html: string): ConvertTask => ({
  kind: 'html',
  body: Buffer.from(html),
  contentType: 'text/html; charset=utf-8',
  raw: false,
  maxPages: 1,
  lists: { links: true, contentLinks: true, images: true },
  options: {
    url: 'https://site.test/',
    onlyMainContent: true,
    onlyCleanContent: false,
    removeBase64Images: true,
    markdown: true,
    html: false,
  },
});
/** Takes far longer than any test waits. */
const endless = '<'.repeat(9_000_000);

describe('teams that share the service', () => {
  it('F6: take turns', () => {
    const turns = createTurns<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(item.charAt(0), item);
    turns.putBack('a', 'a0');
    assert.equal(turns.remove('b', 'b2'), true);
    assert.equal(turns.remove('b', 'b2'), false);
    assert.equal(
      turns.take((team) => team === 'c'),
      'c1',
    );
    assert.equal(turns.size, 5);
    assert.deepEqual(
      Array.from({ length: 6 }, () => turns.take()),
      ['a0', 'b1', 'a1', 'a2', 'a3', undefined],
    );
  });

  it('F6: have crawl slots in equal shares, and one at once for a team that has none', () => {
    const clock = createFakeClock();
    const slots = createSlots(4, clock);
    for (let number = 0; number < 4; number++) assert.equal(slots.take('a'), true);
    assert.equal(slots.take('a'), false);
    assert.equal(slots.take('b'), true, 'a share');
    assert.equal(slots.take('b'), false);
    slots.release('a');
    slots.release('a');
    assert.equal(slots.take('a'), false, 'the other team has fewer and waits');
    assert.equal(slots.take('b'), true);
    slots.release('a');
    assert.equal(slots.take('b'), false);
    assert.equal(slots.take('a'), true, 'two each');
    // A team that no longer wants one doesn't keep it from the others.
    slots.release('b');
    slots.release('b');
    assert.equal(slots.take('a'), false);
    clock.advance(1001);
    assert.equal(slots.take('a'), true);
    assert.equal(slots.take('a'), true);
  });

  it('F6: have their jobs run in turn, and one at once if a team has none running', async () => {
    const jobs = ['a1', 'a2', 'a3', 'a4', 'b1'].map((id) => ({ id, team: id.charAt(0) }));
    const queue = createJobQueue(
      { stored: async () => jobs, maxRunning: 2 },
      { clock: createFakeClock(), log: silentLog },
    );
    // Not in a transaction.
    const outside = {} as Database;
    const started: string[] = [];
    const running = new Map<string, () => void>();
    const end = async (id: string) => {
      running.get(id)?.();
      await new Promise(setImmediate);
    };
    void queue.push({ id: 'b2', team: 'b' }, outside);
    queue.consume((id) => {
      started.push(id);
      return new Promise<void>((resolve) => running.set(id, resolve));
    });
    await new Promise(setImmediate);
    void queue.push({ id: 'c1', team: 'c' }, outside);
    void queue.push({ id: 'c2', team: 'c' }, outside);
    assert.deepEqual(started.splice(0), ['a1', 'b1', 'c1'], 'a share');
    assert.equal(queue.waits('c2', null), true);
    await end('a1');
    assert.deepEqual(started.splice(0), ['a2'], 'its share, although the others hold the limit');
    await end('b1');
    assert.deepEqual(started.splice(0), ['b2']);
    await end('b2');
    assert.deepEqual(started.splice(0), [], 'two are running');
    for (const id of ['a2', 'c1', 'a3', 'c2', 'a4']) await end(id);
    assert.deepEqual(started, ['c2', 'a3', 'a4']);
    assert.equal(queue.busy(), false);
    queue.close();
  });

  it('F6: crawl, however many slow crawls of the same site another team has', async () => {
    const service = await startTestService();
    const site = await startFaultySite();
    try {
      const links = Array.from({ length: 20 }, (_, number) => `/slow/${number}`);
      site.answer('/slow/', linking('Slow', ...links));
      site.answer('/', linking('Site', '/a', '/b'));
      for (const path of ['/a', '/b']) site.answer(path, linking(path));
      const headers = { authorization: 'Bearer other-team-key-0123456789' };
      const body = { url: `${site.baseUrl}/slow/`, delay: 30, sitemap: 'skip' };
      for (let number = 0; number < 25; number++) {
        assert.equal((await service.call('POST', '/v2/crawl', body, { headers })).status, 200);
      }
      await eventually(async () => {
        const { body: queue } = await service.call('GET', '/v2/team/queue-status', undefined, { headers });
        assert.equal(queue.waitingJobsInQueue, 5, JSON.stringify(queue));
      });
      const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip' });
      assert.equal((await ended(service, id)).completed, 3);
    } finally {
      await service.close();
      await site.close();
    }
  });

  it('F6: have their pages converted in turn, and F4: no later than their timeout', async () => {
    const converters = createConverters({ threads: 1, reserve: 0 });
    const done: string[] = [];
    const convert = (team: string, html: string, timeoutMs: number, deadlineMs: number) =>
      converters.convert(task(html), { team, timeoutMs, deadlineMs, signal }).then(
        () => void done.push(`${team} converted`),
        (error: Error) => void done.push(`${team} ${/timeout/.test(error.message) ? 'out of time' : 'too slow'}`),
      );
    try {
      await convert('a', '<p>warm', patience, patience);
      const slow = Array.from({ length: 4 }, () => convert('a', endless, 400, patience));
      await Promise.all([convert('a', '<p>short', patience, 300), convert('b', '<p>short', patience, patience)]);
      assert.ok(done.includes('a out of time'));
      assert.ok(done.includes('b converted'));
      assert.ok(done.filter((each) => each === 'a too slow').length < 4, done.join());
      await Promise.all(slow);
    } finally {
      await converters.close();
    }
  });

  it('F6: are not converted behind one that takes long, and each is converted once', async () => {
    const limits = { timeoutMs: patience, deadlineMs: patience, signal };
    const converters = createConverters({ threads: 1, reserve: 1, costMs: patience });
    const convert = async (team: string, html: string) =>
      (await converters.convert(task(html), { team, ...limits })).markdown;
    try {
      await convert('a', '<p>warm');
      const long = convert('a', '<p>word '.repeat(60_000));
      assert.equal(await convert('b', '<p>behind it'), 'behind it');
      await long;
      const more = ['one', 'two', 'three', 'four'];
      assert.deepEqual(await Promise.all(more.map((text) => convert('a', `<p>${text}`))), more);
      const longer = convert('a', endless).then(String, String);
      assert.equal(await Promise.race([longer, convert('b', '<p>short')]), 'short');
    } finally {
      await converters.close();
    }
  });
});

describe('the memory of pages', () => {
  const large = bodySteps[1] + 1;

  it('F4: has room for so many large ones at a time, and for one of a team that has none', async () => {
    const budget = createBodyBudget([4, 2]);
    const held = ['a', 'a'].map((team) => budget.open(team));
    for (const account of held) await account.reserve(large, signal);
    assert.equal(held[0]?.reserve(large, signal), undefined, 'has it');
    const third = budget.open('a');
    assert.equal(third.reserve(1000, signal), undefined, 'small');
    let granted = false;
    const waiting = third.reserve(large, signal)?.then(() => {
      granted = true;
    });
    await budget.open('b').reserve(large, signal);
    assert.equal(granted, false);
    held[0]?.release();
    held[1]?.release();
    await waiting;
    assert.equal(granted, true);
  });

  it('F4: is not waited for longer than the timeout, and is freed when nobody waits', async () => {
    const budget = createBodyBudget([1, 1]);
    const first = budget.open('a');
    await first.reserve(large, signal);
    const timeout = AbortSignal.timeout(20);
    await assert.rejects(Promise.resolve(budget.open('a').reserve(large, timeout)), { name: 'TimeoutError' });
    const given = budget.open('a');
    const late = given.reserve(large, signal);
    given.release();
    first.release();
    await late;
    await budget.open('a').reserve(large, signal);
  });
});
