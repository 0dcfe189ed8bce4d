import assert from 'node:assert/strict';
import { scrapeOptions } from '../../../src/contract/scrape/scrape.ts';
import { interactionTable } from '../../../src/service/assistants/interact/interact.ts';
import { writerTable } from '../../../src/service/browsers/profiles/writer-table.ts';
import { createAdmission } from '../../../src/service/browsers/sessions/admission.ts';
import { createBilling } from '../../../src/service/browsers/sessions/billing.ts';
import { sessionTable } from '../../../src/service/browsers/sessions/session-table.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { waitingDeliveries } from '../../../src/service/platform/metrics/stored-counts.ts';
import { createUnreadable } from '../../../src/service/platform/storage/storage.ts';
import { createActivity } from '../../../src/service/platform/team/activity.ts';
import { createLedger } from '../../../src/service/platform/team/ledger.ts';
import { deliveryTable } from '../../../src/service/platform/webhooks/delivery-table.ts';
import { documents } from '../../../src/service/web/crawl/store/documents.ts';
import { frontier, pageStates } from '../../../src/service/web/crawl/store/frontier.ts';
import { type JobTable, jobEvent, jobTable } from '../../../src/service/web/crawl/store/job-table.ts';
import { scrapeTable } from '../../../src/service/web/scrape/scrape-table.ts';
import { packDocument } from '../../../src/service/web/scrape/stored-document.ts';
import { isDuplicate, transaction } from '../../../src/storage/storage.ts';
import { onBothDialects, type TestDatabase } from '../../harness/databases.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';

const red = { team: 'red', keyLabel: 'red' };
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => work(index)));
const succeeded = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length;
const statuses = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) =>
    result.status === 'rejected' ? ((result.reason as { status?: number }).status ?? 0) : [],
  );

describe('requests that come at once', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    let clock: FakeClock;
    beforeEach(async () => {
      opened = await open();
      clock = createFakeClock(Date.UTC(2026, 0, 1));
    });
    afterEach(() => opened.close());

    const session = (id: string, team = 'red') => ({
      id,
      team,
      key_label: team,
      status: 'active' as const,
      ttl: 60,
      activity_ttl: 60,
      stream_web_view: 0,
      profile_name: null,
      profile_save: null,
      created_at: clock.now(),
      last_activity_at: clock.now(),
      expires_at: clock.now() + 60_000,
      downloads: null,
    });
    const unreadable = () => createUnreadable(opened.database, silentLog, clock.now);
    const jobs = (): JobTable => jobTable(opened.database, unreadable());
    const newJob = (id: string, idempotencyKey?: string) => ({
      id,
      team: 'red',
      key_label: 'red',
      kind: 'crawl' as const,
      url: 'https://a.test/',
      options: {},
      scrapeOptions: scrapeOptions.parse({}),
      webhook: undefined,
      idempotencyKey,
      createdAt: clock.now(),
    });

    it('start no more sessions than a team may have', async () => {
      const { database } = opened;
      const table = sessionTable(database);
      const billing = createBilling(database, table, createLedger(database, clock, undefined));
      const admission = createAdmission({ database, table, billing, maxSessions: 5 });
      await table.insert(session('running'));
      const results = await times(20, (index) => admission.admit({ id: `${index}`, team: 'red', ttl: 60 }));
      assert.equal(succeeded(results), 4);
      assert.deepEqual([...new Set(statuses(results))], [429]);
      await admission.admit({ id: 'other', team: 'blue', ttl: 60 });
    });

    it('spend no credits twice that sessions which start may need', async () => {
      const { database } = opened;
      const table = sessionTable(database);
      // Ten minutes cost 20 credits.
      const billing = createBilling(database, table, createLedger(database, clock, 50));
      const admission = createAdmission({ database, table, billing, maxSessions: 100 });
      const results = await times(10, (index) => admission.admit({ id: `${index}`, team: 'red', ttl: 600 }));
      assert.equal(succeeded(results), 2);
      assert.deepEqual([...new Set(statuses(results))], [402]);
    });

    it('prolong sessions only as far as credits go for all of them', async () => {
      const { database } = opened;
      const table = sessionTable(database);
      const billing = createBilling(database, table, createLedger(database, clock, 30));
      const admission = createAdmission({ database, table, billing, maxSessions: 100 });
      for (const id of ['a', 'b', 'c']) await table.insert(session(id));
      const life = { activityTtl: 60, expiresAt: clock.now() + 600_000 };
      const results = await times(3, (index) =>
        admission.prolong({ id: ['a', 'b', 'c'][index] ?? '', team: 'red', lifetime: 600 }, life),
      );
      assert.equal(succeeded(results), 1);
      assert.deepEqual(statuses(results), [402, 402]);
    });

    it('let one browser save a profile (PRO-05)', async () => {
      const writers = writerTable(opened.database);
      const results = await Promise.all(Array.from({ length: 20 }, () => writers.add('profile')));
      assert.equal(results.filter(Boolean).length, 1);
      await writers.remove('profile');
      assert.equal(await writers.add('profile'), true);
    });

    it('take an idempotency key once, of fifty', async () => {
      const results = await times(50, (index) =>
        transaction(opened.database, async (tx) => {
          const job = await jobs().insert(newJob(`job-${index}`, 'key'), tx);
          // Others get their turn while this transaction is open.
          await new Promise((resolve) => setTimeout(resolve, 2));
          return job?.id;
        }),
      );
      assert.equal(succeeded(results), 50);
      const ids = results.flatMap((result) => (result.status === 'fulfilled' && result.value ? result.value : []));
      assert.equal(ids.length, 1);
      assert.equal((await jobs().runningOf('red')).length, 1);
    });

    it('give a scrape one session', async () => {
      const { database } = opened;
      const table = sessionTable(database);
      const interactions = interactionTable(database);
      const results = await times(10, (index) =>
        transaction(database, async (tx) => {
          await table.insert(session(`session-${index}`), tx);
          await interactions.insert('scrape', `session-${index}`, clock.now(), tx);
        }),
      );
      assert.equal(succeeded(results), 1);
      for (const result of results) if (result.status === 'rejected') assert.ok(isDuplicate(result.reason));
      // A session that lost is not stored either.
      assert.deepEqual(
        (await table.list('red')).map(({ id }) => id),
        [await interactions.sessionOf('scrape')],
      );
    });

    it('bill the end of a session once (LIF-09)', async () => {
      const { database } = opened;
      const table = sessionTable(database);
      const ledger = createLedger(database, clock, undefined);
      const billing = createBilling(database, table, ledger);
      await table.insert(session('a'));
      const end = { id: 'a', caller: red, status: 'destroyed' as const, reason: 'x', durationMs: 60_000 };
      await times(10, () =>
        billing.end({ ...end, endedAt: clock.now(), lastActivityAt: clock.now(), prompted: false }),
      );
      const billed = (await table.find('a'))?.credits_billed ?? 0;
      assert.ok(billed > 0);
      assert.equal((await ledger.periods('red', false)).at(-1)?.totalTokens, billed * 15);
    });

    it('lose no charge', async () => {
      const ledger = createLedger(opened.database, clock, 1000);
      const results = await times(40, () => transaction(opened.database, (tx) => ledger.charge(red, 'scrape', 3, tx)));
      assert.equal(succeeded(results), 40);
      assert.equal(await ledger.remaining('red'), 1000 - 120);
    });

    it('store a page with its document, charge and delivery, or none of them', async () => {
      const { database } = opened;
      const ledger = createLedger(database, clock, 1000);
      const pages = frontier(database);
      const deliveries = deliveryTable(database, unreadable());
      const job = await jobs().insert(newJob('job'));
      assert.ok(job);
      const packed = await packDocument({ markdown: 'text '.repeat(1000) });
      const store = (index: number, fails: boolean) =>
        transaction(database, async (tx) => {
          const url = `https://a.test/${index}`;
          const [added] = await pages.add(job.num, [{ url, origin: 'https://a.test', identity: url, depth: 0 }], tx);
          const record = { place: index, url, seq: index };
          await pages.settle([{ id: added?.id ?? 0, state: pageStates.done, at: 0, record }], tx);
          const row = { job: job.num, seq: index, scrape_id: url, ...packed, replay: '{}' };
          await documents(database, unreadable()).add([row], tx);
          await ledger.charge(red, 'crawl', 1, tx);
          const { type } = jobEvent(job, 'page');
          const delivery = { id: url, team: 'red', jobId: 'job', type, url, headers: {}, body: '{}', createdAt: 0 };
          await deliveries.insert([delivery], tx);
          if (fails) throw new Error('on purpose');
        });
      const results = await times(20, (index) => store(index, index % 4 === 0));
      assert.equal(succeeded(results), 15);
      const range = { after: -1, count: 100, bytes: 1e9 };
      assert.equal((await documents(database, unreadable()).read(job.num, range)).texts.length, 15);
      assert.equal(await waitingDeliveries(database), 15);
      assert.equal(await ledger.remaining('red'), 985);
      assert.equal(await pages.isWaiting(job.num), false);
    });

    it('page through what they record, whatever the clock says', async () => {
      const activity = createActivity(opened.database, clock);
      await times(30, async (index) => {
        if (index === 15) clock.setWall(clock.now() - 1000);
        await activity.record({ id: `${index}`, team: 'red', endpoint: 'scrape', target: 'x\0y' });
      });
      clock.setWall(clock.now() + 5000);
      const seen = new Set<unknown>();
      for (let cursor: string | undefined; ; ) {
        const page = await activity.page('red', { limit: 7, cursor });
        for (const { id } of page.data) seen.add(id);
        if (!page.cursor) break;
        cursor = page.cursor;
      }
      assert.equal(seen.size, 30);
    });

    it('set a row aside that cannot be read, and keep the others', async () => {
      const { database } = opened;
      for (const id of ['good', 'bad']) await jobs().insert(newJob(id));
      await database.updateTable('crawl_job').set({ options: '{"half":' }).where('id', '=', 'bad').execute();
      assert.deepEqual(
        (await jobs().running()).map(({ id }) => id),
        ['good'],
      );
      assert.equal(await jobs().find('bad'), undefined);
      const aside = await database.selectFrom('unreadable_row').selectAll().execute();
      assert.equal(aside.length, 1);
      assert.equal(JSON.parse(aside[0]?.content ?? '').id, 'bad');
    });

    it('set aside documents that cannot be read, and keep the positions of the others', async () => {
      const { database } = opened;
      const job = await jobs().insert(newJob('job'));
      assert.ok(job);
      const stored = documents(database, unreadable());
      const pages = frontier(database);
      const packed = await packDocument({ markdown: 'text '.repeat(1000) });
      const cut = { document: '', packed: packed.packed?.slice(0, 20) ?? null };
      const bodies = [packed, { document: '{"half":', packed: null }, cut, { document: 'null', packed: null }, packed];
      for (const [index, body] of bodies.entries()) {
        const url = `https://a.test/${index}`;
        const [added] = await pages.add(job.num, [{ url, origin: 'https://a.test', identity: url, depth: 0 }]);
        const record = { place: index + 1, url, seq: index + 1 };
        await pages.settle([{ id: added?.id ?? 0, state: pageStates.done, at: 0, record }]);
        await stored.add([{ job: job.num, seq: index + 1, scrape_id: `s${index}`, ...body, replay: '{"url":"x"}' }]);
      }
      for (let round = 0; round < 2; round++) {
        const { texts } = await stored.read(job.num, { after: 0, count: 100, bytes: 1e9 });
        const found = texts.map((text) => JSON.parse(text.toString()));
        assert.equal(found.length, 5);
        assert.ok(found[0]?.markdown && found[4]?.markdown);
        for (const index of [1, 2, 3]) {
          const { metadata, markdown } = found[index] ?? {};
          assert.equal(markdown, undefined);
          assert.equal(metadata?.sourceURL, `https://a.test/${index}`);
          assert.match(metadata?.error ?? '', /is damaged in the database/);
        }
      }
      await database.updateTable('crawl_document').set({ replay: '{' }).where('seq', '=', 1).execute();
      assert.equal(await stored.find('s0'), undefined);
      assert.equal(await stored.find('s0'), undefined);
      assert.match(String((await stored.find('s4'))?.document), /^{"markdown":"text/);
      const aside = await database.selectFrom('unreadable_row').select(['source', 'content']).execute();
      assert.deepEqual([...new Set(aside.map(({ source }) => source))], ['crawl_document']);
      const contents = new Map(aside.map(({ content }) => [JSON.parse(content).id, JSON.parse(content)]));
      assert.deepEqual([...contents.keys()].sort(), ['s0', 's1', 's2', 's3']);
      assert.equal(aside.length, 4);
      assert.equal(contents.get('s2').packed, Buffer.from(cut.packed ?? []).toString('base64'));
    });

    it('set aside scrapes and deliveries that cannot be read, and keep the others', async () => {
      const { database } = opened;
      const scrapes = scrapeTable(database, unreadable(), () => 0);
      const scrape = { team: 'red', keyLabel: 'red', url: 'https://a.test/', createdAt: 0 };
      const document = await packDocument({});
      const deliveries = deliveryTable(database, unreadable());
      const delivery = { team: 'red', jobId: 'job', type: 'x', url: 'https://b.test/', headers: {}, body: '{}' };
      for (const id of ['bad', 'good']) {
        await scrapes.insert({ ...scrape, id, document, replay: {} as never });
        await deliveries.insert([{ ...delivery, id, createdAt: 0 }]);
      }
      await database.updateTable('scrape_job').set({ document: 'nothing' }).where('id', '=', 'bad').execute();
      await database.updateTable('webhook_delivery').set({ headers: '7' }).where('id', '=', 'bad').execute();
      assert.equal(await scrapes.find('bad'), undefined);
      assert.ok(await scrapes.find('good'));
      assert.equal((await deliveries.next('job'))?.id, 'good');
      const aside = await database.selectFrom('unreadable_row').select('source').orderBy('source').execute();
      assert.deepEqual(
        aside.map(({ source }) => source),
        ['scrape_job', 'webhook_delivery'],
      );
    });
  });
});
