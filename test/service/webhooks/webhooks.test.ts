import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { CompiledQuery, type RootOperationNode } from 'kysely';
import { signedWith } from '../../../src/contract/webhooks/webhook-signature.ts';
import type { WebhookConfig } from '../../../src/contract/webhooks/webhooks.ts';
import { type Clock, systemClock } from '../../../src/service/platform/clock.ts';
import type { JobEvent } from '../../../src/service/platform/job-events.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { waitingDeliveries } from '../../../src/service/platform/metrics/stored-counts.ts';
import {
  type Address,
  createAddressPolicy,
} from '../../../src/service/platform/network/address-policy/address-policy.ts';
import {
  createUnreadable,
  type Database,
  openDatabase,
  type Unreadable,
} from '../../../src/service/platform/storage/storage.ts';
import { deliveryTable } from '../../../src/service/platform/webhooks/delivery-table.ts';
import { openWebhooks, type Webhooks } from '../../../src/service/platform/webhooks/webhooks.ts';
import { transaction } from '../../../src/storage/storage.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const retryMs = [60_000, 300_000, 900_000];

interface Sent {
  webhookId: string;
  type: string;
  id: string;
  data: unknown[];
}

describe('sending webhooks', () => {
  let folder: string;
  let database: Database;
  let unreadable: Unreadable;
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
    unreadable = createUnreadable(database, silentLog, () => 0);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await database.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(
    options: {
      secret?: string;
      clock?: Clock;
      awaitWindow?: boolean;
      denyPrivate?: boolean;
      ownPorts?: number[];
      resolve?: (host: string) => Promise<Address[]>;
    } = {},
  ): Webhooks {
    const sending = openWebhooks(
      { secret: options.secret, retryMs },
      {
        database,
        unreadable,
        policy: createAddressPolicy({
          denyPrivate: options.denyPrivate ?? false,
          ownPorts: () => options.ownPorts ?? [],
          ...(options.resolve && { resolve: options.resolve }),
        }),
        proxy: undefined,
        userAgent: 'test',
        awaitWindow: options.awaitWindow ?? false,
        clock: options.clock ?? systemClock,
        log: silentLog,
      },
    );
    closing.push(() => sending.close());
    sending.start();
    return sending;
  }

  async function receiver(handle: (exchange: Exchange, sent: Sent) => void = acknowledge): Promise<FaultyServer> {
    const server = await startFaultyServer(({ body }, exchange) => handle(exchange, JSON.parse(body)));
    closing.push(() => server.close());
    return server;
  }

  const stored = () => waitingDeliveries(database);
  const settled = () => eventually(async () => assert.equal(await stored(), 0));

  it('sends the fields of the specification in order, signed over the exact bytes', async () => {
    const server = await receiver();
    const sending = open({ secret: 'mysecret' });
    const page = { markdown: '# Grüße 🎈', metadata: { sourceURL: 'https://a.test/', title: '</script>' } };
    const webhook = { url: `${server.baseUrl}/in?x=1`, headers: { 'X-Own': 'yes' }, metadata: { order: '7' } };
    const event = happened({ type: 'crawl.page', data: [page], webhook });
    await sending.events.emit([event], database);
    await settled();
    const [arrival] = server.arrivals;
    const sent = JSON.parse(arrival?.body ?? '');
    assert.equal(
      arrival?.body,
      JSON.stringify({
        success: true,
        type: 'crawl.page',
        id: event.jobId,
        webhookId: sent.webhookId,
        data: [page],
        metadata: { order: '7' },
      }),
    );
    assert.match(sent.webhookId, /^[0-9a-f-]{36}$/);
    assert.equal(arrival?.method, 'POST');
    assert.equal(arrival?.target, '/in?x=1');
    assert.equal(arrival?.headers['content-type'], 'application/json');
    assert.equal(arrival?.headers['x-own'], 'yes');
    const signature = arrival?.headers['x-service-signature'];
    assert.equal(arrival?.headers['x-firecrawl-signature'], signature);
    assert.equal(signedWith(Buffer.from(arrival?.body ?? ''), String(signature), ['mysecret']), 0);
  });

  it('reports that a page failed, and why', async () => {
    const server = await receiver();
    const webhook = { url: server.baseUrl };
    const data = [{ metadata: { sourceURL: 'https://a.test/x' } }];
    await open().events.emit(
      [happened({ type: 'crawl.page', success: false, error: 'no answer', data, webhook })],
      database,
    );
    await settled();
    const sent = JSON.parse(server.arrivals[0]?.body ?? '');
    assert.deepEqual(Object.keys(sent), ['success', 'type', 'id', 'webhookId', 'data', 'error']);
    assert.deepEqual([sent.success, sent.error, sent.data], [false, 'no answer', data]);
  });

  it('sends no signature without a secret, whatever headers the webhook has', async () => {
    const server = await receiver();
    const headers = {
      'x-service-signature': 'sha256=forged',
      'X-Firecrawl-Signature': 'sha256=forged',
      host: 'evil.test',
      'content-type': 'text/html',
    };
    await open().events.emit([happened({ webhook: { url: server.baseUrl, headers } })], database);
    await settled();
    const [arrival] = server.arrivals;
    assert.equal(arrival?.headers['x-service-signature'], undefined);
    assert.equal(arrival?.headers['x-firecrawl-signature'], undefined);
    assert.equal(arrival?.headers.host, `127.0.0.1:${server.port}`);
    assert.equal(arrival?.headers['content-type'], 'application/json');
  });

  it('sends the selected events, or all by default', async () => {
    const server = await receiver();
    const { events } = open();
    const types = ['crawl.started', 'crawl.page', 'crawl.completed', 'crawl.failed', 'batch_scrape.page'] as const;
    for (const type of types) {
      await events.emit([happened({ type, webhook: { url: server.baseUrl, events: ['page', 'failed'] } })], database);
    }
    for (const type of types) await events.emit([happened({ type, webhook: undefined })], database);
    await settled();
    const seen = () => server.arrivals.map(({ body }) => JSON.parse(body).type).sort();
    assert.deepEqual(seen(), ['batch_scrape.page', 'crawl.failed', 'crawl.page']);
    for (const type of types) await events.emit([happened({ type, webhook: { url: server.baseUrl } })], database);
    await settled();
    assert.equal(server.arrivals.length, 8);
  });

  it('keeps the order of first attempts within a job, and failed ones delay no others', async () => {
    const clock = createFakeClock();
    const server = await receiver((exchange, { data }) =>
      exchange.answer(data[0] === 3 && exchange.index < 12 ? 500 : 200, ''),
    );
    const { events } = open({ clock });
    const job = { jobId: randomUUID(), webhook: { url: server.baseUrl } };
    await events.emit([happened({ ...job, type: 'crawl.started' })], database);
    for (let page = 1; page <= 10; page++)
      await events.emit([happened({ ...job, type: 'crawl.page', data: [page] as never })], database);
    await events.emit([happened({ ...job, type: 'crawl.completed' })], database);
    await eventually(async () => assert.equal(await stored(), 1));
    const order = ['crawl.started', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 'crawl.completed'];
    const seen = () => server.arrivals.map(({ body }) => JSON.parse(body)).map(({ data, type }) => data[0] ?? type);
    assert.deepEqual(seen(), order);
    clock.advance(60_000);
    await settled();
    assert.deepEqual(seen(), [...order, 3]);
  });

  it('retries after 1, 5 and 15 minutes with the same bytes, then gives up', async () => {
    const clock = createFakeClock();
    const server = await receiver((exchange) => exchange.answer(503, ''));
    await open({ clock, secret: 's' }).events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    for (const [index, wait] of retryMs.entries()) {
      await eventually(() => assert.equal(server.arrivals.length, index + 1));
      await noted(index + 1);
      clock.advance(wait - 1000);
      await aWhile();
      assert.equal(server.arrivals.length, index + 1, `retry ${index + 1} came too soon`);
      clock.advance(1000);
    }
    await settled();
    assert.equal(server.arrivals.length, 4);
    assert.equal(new Set(server.arrivals.map(({ body }) => body)).size, 1);
    assert.equal(new Set(server.arrivals.map(({ headers }) => headers['x-service-signature'])).size, 1);
  });

  it('accepts any 2xx as an acknowledgement', async () => {
    const statuses = [200, 201, 202, 204, 299];
    const server = await receiver((exchange) => exchange.answer(statuses[exchange.index] ?? 200, ''));
    const { events } = open();
    for (const _ of statuses) await events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await settled();
    assert.equal(server.arrivals.length, statuses.length);
  });

  it('follows no redirect (SSR-09)', async () => {
    const elsewhere = await receiver();
    const statuses = [301, 302, 303, 307, 308];
    const server = await receiver((exchange) =>
      exchange.answer(statuses[exchange.index] ?? 302, '', { location: elsewhere.baseUrl }),
    );
    const { events } = open();
    for (const _ of statuses) await events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await eventually(() => assert.equal(server.arrivals.length, statuses.length));
    await noted(1, statuses.length);
    assert.equal(elsewhere.arrivals.length, 0);
    assert.equal(await stored(), statuses.length);
  });

  it('waits 10 seconds for a receiver that hangs, without delaying others (SSR-09)', async () => {
    const clock = createFakeClock();
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    const { events } = open({ clock });
    for (let job = 0; job < 30; job++) await events.emit([happened({ webhook: { url: hanging.baseUrl } })], database);
    await eventually(() => assert.ok(hanging.arrivals.length >= 4));
    for (let job = 0; job < 5; job++) await events.emit([happened({ webhook: { url: quick.baseUrl } })], database);
    await eventually(() => assert.equal(quick.arrivals.length, 5));
    await eventually(async () => assert.equal(await stored(), 30));
    clock.advance(9_900);
    await aWhile();
    assert.deepEqual(await attempts(), [0]);
    clock.advance(200);
    await eventually(async () => assert.deepEqual(await attempts(), [0, 1]));
  });

  it("sends a team's deliveries and retries while the same receiver lets those of another team hang (F6, SSR-09)", async () => {
    const clock = createFakeClock();
    const ofOther: string[] = [];
    const server = await receiver((exchange, { id }) => {
      if (id === other.jobId) exchange.answer(ofOther.push(id) === 1 ? 500 : 200, '');
    });
    const { events } = open({ clock });
    const webhook = { url: server.baseUrl };
    const other = happened({ team: 'other', webhook });
    for (let job = 0; job < 30; job++) await events.emit([happened({ webhook })], database);
    await eventually(() => assert.equal(server.arrivals.length, 4));
    clock.advance(10_000);
    await noted(1, 4);
    await eventually(() => assert.equal(server.arrivals.length, 8));
    // Its retry is due after those of the team that hangs.
    clock.advance(1);
    await events.emit([other], database);
    await noted(1, 5);
    clock.advance(60_000);
    await eventually(() => assert.equal(ofOther.length, 2));
    await eventually(async () => assert.equal(await stored(), 30));
  });

  it('gives up what has waited for a day for a receiver that has acknowledged nothing for as long (BUD-14)', async () => {
    const clock = createFakeClock();
    let hangs = true;
    const server = await receiver((exchange) => hangs || exchange.answer(200, ''));
    const seen = () =>
      server.arrivals.map(({ body }) => (JSON.parse(body) as { data: [{ page: number }] }).data[0].page);
    const { events } = open({ clock });
    const jobId = randomUUID();
    const emit = (...numbers: number[]) =>
      events.emit(
        numbers.map((number) => happened({ jobId, data: [{ page: number }], webhook: { url: server.baseUrl } })),
        database,
      );
    await emit(1, 2, 3, 4);
    await eventually(() => assert.deepEqual(seen(), [1]));
    clock.advance(10_000);
    await eventually(() => assert.deepEqual(seen(), [1, 2]));
    // They have waited for long, but the receiver hasn't been tried for a day yet.
    clock.advance(23 * 3_600_000);
    await eventually(() => assert.deepEqual(seen().sort(), [1, 1, 2, 3]));
    await emit(5);
    clock.advance(2 * 3_600_000);
    await eventually(() => assert.ok(seen().includes(5)));
    hangs = false;
    await eventually(async () => {
      clock.advance(60_000);
      assert.equal(await stored(), 0);
    });
    assert.ok(!seen().includes(4));
    await emit(6);
    await eventually(() => assert.ok(seen().includes(6)));
  });

  it('reads at most 64 KB of a response (SSR-09)', async () => {
    let written = 0;
    const server = await receiver(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n');
      const piece = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (!socket.destroyed && socket.write(piece)) written += piece.length;
      };
      socket.on('drain', more);
      more();
    });
    await open().events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await settled();
    const before = await eventually(() => {
      const now = written;
      assert.ok(now > 0);
      return now;
    });
    await aWhile();
    assert.ok(written < 32 * 1024 * 1024, `${before} then ${written} bytes were taken`);
  });

  it('handles broken connections and invalid responses', async () => {
    const clock = createFakeClock();
    const ways: ((exchange: Exchange) => void)[] = [
      (exchange) => exchange.reset(),
      (exchange) => exchange.bytes(''),
      (exchange) => exchange.bytes('HTTP/1.1 abc\r\n\r\n'),
      (exchange) => exchange.bytes('garbage'),
    ];
    const server = await receiver((exchange) => (ways[exchange.index] ?? acknowledge)(exchange));
    const { events } = open({ clock });
    for (const _ of ways) await events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await noted(1, ways.length);
    clock.advance(60_000);
    await settled();
    assert.equal(server.arrivals.length, 2 * ways.length);
  });

  it('sends what the previous service left, under the same ids', async () => {
    let hang = true;
    const server = await receiver((exchange) => (hang ? undefined : exchange.answer(200, '')));
    const first = open();
    const job = { jobId: randomUUID(), webhook: { url: server.baseUrl } };
    for (const type of ['crawl.started', 'crawl.page', 'crawl.completed'] as const) {
      await first.events.emit([happened({ ...job, type })], database);
    }
    await eventually(() => assert.equal(server.arrivals.length, 1));
    await first.close();
    assert.equal(await stored(), 3);
    hang = false;
    open();
    await settled();
    const [cutOff, ...later] = server.arrivals.map(({ body }) => JSON.parse(body) as Sent);
    assert.deepEqual(
      later.map(({ type }) => type),
      ['crawl.started', 'crawl.page', 'crawl.completed'],
    );
    assert.equal(later[0]?.webhookId, cutOff?.webhookId);
  });

  it('sends retries that came due while no service ran, even if the clock was set back', async () => {
    const clock = createFakeClock();
    const server = await receiver((exchange) => exchange.answer(exchange.index === 0 ? 500 : 200, ''));
    const first = open({ clock });
    await first.events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await noted(1);
    await first.close();
    open({ clock: createFakeClock(clock.now() - 7 * 24 * 3600_000) });
    await settled();
    assert.equal(server.arrivals.length, 2);
  });

  it('finds retries that are due by an index, however many there are', async () => {
    const queries: CompiledQuery[] = [];
    const recorded = database.withPlugin({
      transformQuery({ node, queryId }) {
        queries.push(database.getExecutor().compileQuery(node as RootOperationNode, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const table = deliveryTable(recorded, unreadable);
    const window = { now: 1, furthest: 2 };
    await table.dueReceivers(window);
    await table.due({ team: 'a', url: 'http://a.test/' }, window, 8);
    const plans = queries.map(async ({ sql, parameters }) => {
      const explained = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
      return (await database.executeQuery<{ detail: string }>(explained)).rows.map(({ detail }) => detail).join();
    });
    const index = 'webhook_delivery USING COVERING INDEX webhook_delivery_due_of_team';
    assert.deepEqual(await Promise.all(plans), [`SCAN ${index}`, `SEARCH ${index} (team=? AND url=? AND due_at>?)`]);
  });

  it('sends nothing from a transaction that was rolled back', async () => {
    const server = await receiver();
    const { events } = open();
    await assert.rejects(
      transaction(database, async (tx) => {
        await events.emit([happened({ webhook: { url: server.baseUrl } })], tx);
        throw new Error('on purpose');
      }),
      /on purpose/,
    );
    await events.emit([happened({ type: 'crawl.completed', webhook: { url: server.baseUrl } })], database);
    await settled();
    assert.deepEqual(
      server.arrivals.map(({ body }) => JSON.parse(body).type),
      ['crawl.completed'],
    );
  });

  it("waits for the window's secret, which takes precedence over the configured one", async () => {
    const server = await receiver();
    const sending = open({ awaitWindow: true, secret: 'configured' });
    await sending.events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await aWhile();
    assert.equal(server.arrivals.length, 0);
    sending.setSecret('team', 'given');
    await settled();
    await sending.events.emit([happened({ team: 'other', webhook: { url: server.baseUrl } })], database);
    await settled();
    sending.setSecret('team', null);
    await sending.events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await settled();
    const by = server.arrivals.map(({ body, headers }) =>
      signedWith(Buffer.from(body), String(headers['x-service-signature']), ['given', 'configured']),
    );
    assert.deepEqual(by, [0, 1, 1]);
  });

  it('starts without a window that sends nothing for 10 seconds', async () => {
    const clock = createFakeClock();
    const server = await receiver();
    await open({ awaitWindow: true, clock }).events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    clock.advance(10_000);
    await settled();
    assert.equal(server.arrivals.length, 1);
  });

  const targets: { name: string; url(port: number): string; options: Parameters<typeof open>[0] }[] = [
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0',
      'localhost',
      'x.localhost',
      '[::1]',
      '[::ffff:7f00:1]',
    ].map((host) => ({ name: host, url: (port: number) => `http://${host}:${port}/`, options: { denyPrivate: true } })),
    ...[
      ['a private address', ['10.0.0.1']],
      ['a public and a private address', ['93.184.215.14', '127.0.0.1']],
      ['a mapped private address', ['::ffff:10.0.0.1']],
    ].map(([name, addresses]) => ({
      name: `a name with ${name}`,
      url: (port: number) => `http://hooks.test:${port}/`,
      options: {
        denyPrivate: true,
        resolve: async () =>
          (addresses as string[]).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      },
    })),
    { name: 'cloud metadata', url: () => 'http://169.254.169.254/latest/', options: {} },
    { name: 'a user name', url: (port) => `http://user:secret@127.0.0.1:${port}/`, options: {} },
  ];
  for (const { name, url, options } of targets) {
    it(`sends no request to ${name} if the policy forbids it (SSR-09)`, async () => {
      const server = await receiver();
      await open(options).events.emit([happened({ webhook: { url: url(server.port) } })], database);
      await noted(1);
      assert.equal(server.arrivals.length, 0);
    });
  }

  it('never calls the service itself', async () => {
    const server = await receiver();
    await open({ ownPorts: [server.port] }).events.emit([happened({ webhook: { url: server.baseUrl } })], database);
    await noted(1);
    assert.equal(server.arrivals.length, 0);
  });

  /** The failed attempts of what is stored, each number once. */
  async function attempts(): Promise<number[]> {
    const rows = await database
      .selectFrom('webhook_delivery')
      .select('attempts')
      .distinct()
      .orderBy('attempts')
      .execute();
    return rows.map((row) => row.attempts);
  }

  /** Waits until this many deliveries have this many failed attempts. */
  function noted(failed: number, deliveries = 1): Promise<void> {
    return eventually(async () => {
      const rows = await database.selectFrom('webhook_delivery').select('num').where('attempts', '=', failed).execute();
      assert.equal(rows.length, deliveries);
    });
  }
});

function acknowledge(exchange: Exchange): void {
  exchange.answer(200, '{}');
}

function happened(event: Partial<JobEvent> & { webhook: WebhookConfig | undefined }): JobEvent {
  return { team: 'team', jobId: randomUUID(), type: 'crawl.page', success: true, data: [], ...event };
}

/** Long enough for a request that should not be made to arrive. */
function aWhile(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 80));
}
