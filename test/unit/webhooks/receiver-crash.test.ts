import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../../../src/extension/webhooks/receiver/delivery-store/delivery-schema.ts';
import { openDeliveryStore } from '../../../src/extension/webhooks/receiver/delivery-store/open-delivery-store.ts';
import { startReceiverThread } from '../../../src/extension/webhooks/receiver/receiver.ts';
import { eventually } from '../../harness/eventually.ts';
import { startFaultyServer } from '../../harness/faulty-server.ts';
import { repository, temporaryFolder } from '../../harness/folders.ts';
import { freePort } from '../../harness/free-port.ts';
import { type LoadResult, postAtRate, prepareDeliveries, startReceiverHost } from '../../harness/webhook-load.ts';
import { deliveryJson, wideBounds } from '../../harness/webhook-receiver.ts';

const program = join(repository, 'dist', 'webhook-receiver.cjs');
const settings = { secrets: [], publicHosts: [], bounds: wideBounds, forwardTo: undefined };

describe('the deliveries that the receiver has stored', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('survive a SIGKILL: everything acknowledged is there, exactly once (STO-02)', async () => {
    const directory = join(folder, 'store');
    for (let round = 0; round < 3; round++) {
      const host = await startReceiverHost(directory);
      const sent: LoadResult = { acknowledged: [], times: [], others: [] };
      const sending = postAtRate(host.port, prepareDeliveries(400, 10_000), 400, sent);
      await eventually(() => assert.ok(sent.acknowledged.length > 50));
      await host.kill();
      const { acknowledged } = await sending;
      const store = await openDeliveryStore(directory, wideBounds);
      const stored = (await store.list({ limit: 10_000 })).map(({ webhookId }) => webhookId);
      await store.close();
      const known = new Set(stored);
      assert.equal(known.size, stored.length);
      assert.deepEqual(
        acknowledged.filter((id) => !known.has(id)),
        [],
      );
    }
  });

  it('are readable only by their owner (PRT-08)', async function () {
    if (process.platform === 'win32') this.skip();
    await (await openDeliveryStore(folder, wideBounds)).close();
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'deliveries.sqlite')).mode & 0o777, 0o600);
  });

  it('keep the responses of a handler that version 0.1.0 has stored', () => {
    const version010 = new DatabaseSync(join(folder, 'deliveries.sqlite'));
    version010.exec(`${migrations[0]}; PRAGMA user_version = 1;
      INSERT INTO delivery (webhook_id, received_at, type, job_id, success, verification, size, pages, has_markdown, headers, body)
        VALUES ('a', 1, 'crawl.page', 'b', 1, 'unverified', 2, 0, 0, '[]', x'7b7d');
      INSERT INTO forwarding (delivery, at, url, edited, status, ms, cut, status_text, request_headers, headers, body)
        VALUES (1, 2, 'http://localhost/', 0, 200, 5, 0, 'OK', '["Host","localhost"]', '["X-A","1"]', x'6f6b');`);
    version010.close();
    const store = openDeliveryStore(folder, wideBounds);
    const { headers, body } = store.forwarding(1) ?? {};
    assert.deepEqual([headers, Buffer.from(body ?? []).toString()], [['X-A', '1'], 'ok']);
    store.close();
  });

  it('are moved aside if the store is damaged, and a new one is created', async () => {
    const path = join(folder, 'deliveries.sqlite');
    const damages = [
      () => writeFileSync(path, 'no database at all, but longer than the header of one hundred bytes '.repeat(3)),
      () => {
        const other = new DatabaseSync(path);
        other.exec('CREATE TABLE delivery (other INTEGER); PRAGMA user_version = 99');
        other.close();
      },
    ];
    for (const damage of damages) {
      damage();
      const before = readFileSync(path);
      let aside = '';
      const store = await openDeliveryStore(folder, wideBounds, (to) => {
        aside = to;
      });
      assert.equal(await store.count(), 0);
      await store.close();
      assert.equal(readFileSync(aside).subarray(100).equals(before.subarray(100)), true);
      rmSync(path);
    }
  });
});

describe("the receiver's thread", () => {
  let folder: string;
  let thread: ReturnType<typeof startReceiverThread>;
  beforeEach(async () => {
    folder = temporaryFolder();
    thread = startReceiverThread(program);
    await thread.call('open', { directory: folder, settings });
  });
  afterEach(async () => {
    await thread.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (port: number, body: string) =>
    fetch(`http://127.0.0.1:${port}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  const list = async (jobId?: string) => await thread.call('list', { jobId, limit: 10 });

  it('reports deliveries, repeated ids and rejected requests', async () => {
    const { port } = await thread.call('listen', { port: 0 });
    let arrived = 0;
    const conflicts: string[] = [];
    let refused = 0;
    thread.onUpdate.on((news) => {
      arrived += news.arrived;
      conflicts.push(...news.conflicts);
      refused = news.refused?.count ?? 0;
    });
    const webhookId = '11111111-1111-4111-8111-111111111111';
    await post(port, deliveryJson({ webhookId }));
    await post(port, deliveryJson({ webhookId, type: 'other' }));
    await post(port, 'no json');
    await eventually(() => assert.deepEqual([arrived, conflicts, refused], [1, [webhookId], 1]));
  });

  it('lists by job, clears, and continues with changed settings', async () => {
    const { port } = await thread.call('listen', { port: 0 });
    await post(port, deliveryJson({ id: 'job-a' }));
    await post(port, deliveryJson({ id: 'job-b' }));
    assert.equal((await list()).total, 2);
    assert.deepEqual([(await list('job-a')).total, (await list('job-a')).deliveries[0]?.jobId], [1, 'job-a']);
    assert.deepEqual(
      (await thread.call('jobs', undefined)).map(({ jobId, count }) => [jobId, count]),
      [
        ['job-b', 1],
        ['job-a', 1],
      ],
    );
    await thread.call('configure', { ...settings, secrets: ['now there is one'] });
    assert.equal((await post(port, deliveryJson())).status, 401);
    await thread.call('clear', undefined);
    assert.equal((await list()).total, 0);
    await thread.call('stopListening', undefined);
    await assert.rejects(post(port, deliveryJson()));
  });

  it('forwards new deliveries in order, and no earlier ones', async () => {
    const handler = await startFaultyServer((_arrival, exchange) => exchange.answer(204, ''));
    try {
      const { port } = await thread.call('listen', { port: 0 });
      await post(port, deliveryJson({ type: 'before' }));
      await thread.call('configure', { ...settings, forwardTo: handler.baseUrl });
      for (let index = 0; index < 20; index++) await post(port, deliveryJson({ type: `number ${index}` }));
      await eventually(() => assert.equal(handler.arrivals.length, 20));
      assert.deepEqual(
        handler.arrivals.map(({ body }) => JSON.parse(body).type),
        Array.from({ length: 20 }, (_, index) => `number ${index}`),
      );
      await eventually(async () => {
        const [newest] = (await list()).deliveries;
        assert.deepEqual([newest?.type, newest?.forwardings[0]?.status], ['number 19', 204]);
      });
    } finally {
      await handler.close();
    }
  });

  it('sends a delivery again on demand, edited or not, until it is canceled', async () => {
    let hang = false;
    const handler = await startFaultyServer((_arrival, exchange) => (hang ? undefined : exchange.answer(200, 'fine')));
    try {
      const { port } = await thread.call('listen', { port: 0 });
      const body = deliveryJson();
      await post(port, body);
      const [{ num } = { num: 0 }] = (await list()).deliveries;
      const wish = { num, url: handler.baseUrl, call: 'one' };
      const first = await thread.call('forward', { ...wish, body: undefined });
      assert.deepEqual([first.status, first.edited], [200, false]);
      const edited = await thread.call('forward', { ...wish, body: Buffer.from('{}') });
      assert.equal(edited.edited, true);
      assert.deepEqual(
        handler.arrivals.map((arrival) => arrival.body),
        [body, '{}'],
      );
      const kept = await thread.call('forwarding', { num: first.num });
      assert.equal(Buffer.from(kept?.body ?? []).toString(), 'fine');
      hang = true;
      const waiting = thread.call('forward', { ...wish, body: undefined, call: 'two' });
      await eventually(() => assert.equal(handler.arrivals.length, 3));
      await thread.call('cancelForward', { call: 'two' });
      assert.equal((await waiting).error, 'cancelled');
      await assert.rejects(thread.call('forward', { ...wish, num: 99, body: undefined }), /no longer stored/);
    } finally {
      await handler.close();
    }
  });

  it("reports why it can't listen, and then listens elsewhere", async () => {
    const taken = await startFaultyServer(() => undefined);
    try {
      await assert.rejects(thread.call('listen', { port: taken.port }), { code: 'EADDRINUSE' });
      const port = await freePort();
      assert.equal((await thread.call('listen', { port })).port, port);
    } finally {
      await taken.close();
    }
  });

  it('ends every call when it stops', async () => {
    await thread.dispose();
    await assert.rejects(list(), /stopped/);
  });
});
