import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { systemClock } from '../../src/service/platform/clock.ts';
import { createFleet, type Fleet } from '../../src/service/platform/fleet/fleet.ts';
import { openSharedJobs, type SharedJobs } from '../../src/service/platform/fleet/jobs/shared-jobs.ts';
import type { JobEvent } from '../../src/service/platform/job-events.ts';
import { type Claim, createJobQueue, type JobQueue, type QueuedJob } from '../../src/service/platform/job-queue.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { createAddressPolicy } from '../../src/service/platform/network/address-policy/address-policy.ts';
import { connectPostgres, migratePostgres } from '../../src/service/platform/storage/postgres.ts';
import { createUnreadable, type Database, openDatabase } from '../../src/service/platform/storage/storage.ts';
import { openWebhooks } from '../../src/service/platform/webhooks/webhooks.ts';
import type { HostGates, Pace } from '../../src/service/web/crawl/run/host-gates/host-gates.ts';
import { createSharedGates } from '../../src/service/web/crawl/run/host-gates/shared-gates.ts';
import { transaction } from '../../src/storage/storage.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { createDatabase } from '../harness/postgres.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;
const parts = { clock: systemClock, log: silentLog };

/** A node without a service. */
interface Node {
  database: Database;
  fleet: Fleet;
  shared: SharedJobs;
  close(): Promise<void>;
}

let cluster: Cluster | undefined;
/** Why nodes were told to stop. */
const outdated: string[] = [];

async function openNode(url: string): Promise<Node> {
  const database = connectPostgres(url, silentLog);
  const fleet = createFleet({
    database,
    home: randomUUID(),
    version: '1',
    ...parts,
    onExcluded: () => undefined,
  });
  const shared = await openSharedJobs(url, {
    database,
    fleet,
    ...parts,
    onOutdated: (reason) => outdated.push(reason),
  });
  await fleet.join('http://127.0.0.1');
  return {
    database,
    fleet,
    shared,
    async close() {
      await shared.close();
      await fleet.leave();
      await database.destroy();
    },
  };
}

async function openNodes(count: number): Promise<Node[]> {
  const url = await createDatabase(cluster?.url ?? '');
  await migratePostgres(url, silentLog);
  return await Promise.all(Array.from({ length: count }, () => openNode(url)));
}

/** Nodes on a cluster of their own, for the tests of a suite. */
function nodesOfTests(count: number): Node[] {
  const nodes: Node[] = [];
  let own: Cluster | undefined;
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    own = await startCluster();
    cluster = own;
    nodes.push(...(await openNodes(count)));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await own?.stop();
    own?.remove();
  });
  return nodes;
}

/** Jobs that run until they are ended. */
function createWork() {
  const started: QueuedJob[] = [];
  const running = new Map<string, () => void>();
  const known = new Map<string, QueuedJob>();
  return {
    started,
    running,
    job(team: string): QueuedJob {
      const job = { id: randomUUID(), team };
      known.set(job.id, job);
      return job;
    },
    handler: async (id: string, claim: Claim) => {
      const job = known.get(id);
      assert.ok(job);
      started.push(job);
      const { promise, resolve } = Promise.withResolvers<void>();
      claim.signal.addEventListener('abort', () => resolve());
      running.set(id, resolve);
      await promise;
      running.delete(id);
    },
  };
}

function webhooksOf({ database, shared }: Node, onAttempt?: (outcome: string) => void) {
  return openWebhooks(
    { secret: undefined, retryMs: [100, 200, 300] },
    {
      database,
      shared,
      ...parts,
      proxy: undefined,
      userAgent: 'test',
      awaitWindow: false,
      unreadable: createUnreadable(database, silentLog, Date.now),
      policy: createAddressPolicy({ denyPrivate: false, ownPorts: () => [] }),
      ...(onAttempt && { onAttempt }),
    },
  );
}

function pageEvent(jobId: string, number: number, url: string, team = 'a'): JobEvent {
  return {
    team,
    jobId,
    type: 'crawl.page',
    success: true,
    data: [{ number }],
    webhook: { url, headers: {}, metadata: {} },
  };
}

describe('the queue of jobs', () => {
  before(async () => {
    if (whyNoPostgres() === undefined) cluster = await startCluster();
  });
  after(async () => {
    await cluster?.stop();
    cluster?.remove();
  });

  const kinds: Record<string, () => Promise<{ database: Database; queue: JobQueue; close(): Promise<void> }>> = {
    'of one service': async () => {
      const folder = temporaryFolder();
      const database = await openDatabase(folder, silentLog, 0);
      const queue = createJobQueue({ stored: async () => [], maxRunning: 2 }, parts);
      const close = async () => {
        await database.destroy();
        rmSync(folder, { recursive: true });
      };
      return { database, queue, close };
    },
    'of several nodes': async () => {
      const [node] = (await openNodes(1)) as [Node];
      const queue = node.shared.createJobQueue({
        kind: 'crawl',
        maxRunning: 2,
        stored: async () => [],
      });
      return { database: node.database, queue, close: node.close };
    },
  };
  for (const [name, open] of Object.entries(kinds)) {
    describe(name, () => {
      let opened: Awaited<ReturnType<typeof open>>;
      before(async function () {
        if (name === 'of several nodes' && whyNoPostgres() !== undefined) return this.skip();
        opened = await open();
      });
      after(() => opened?.close());

      it('hands out jobs once they are committed, and lets teams take turns', async () => {
        const { database, queue } = opened;
        const work = createWork();
        queue.consume(work.handler);
        const push = (job: QueuedJob) => transaction(database, (tx) => queue.push(job, tx));
        await assert.rejects(
          transaction(database, async (tx) => {
            await queue.push(work.job('never stored'), tx);
            throw new Error('rolled back');
          }),
        );
        const [a1, a2, a3, a4, b1] = ['a', 'a', 'a', 'a', 'b'].map((team) => work.job(team)) as [
          QueuedJob,
          QueuedJob,
          QueuedJob,
          QueuedJob,
          QueuedJob,
        ];
        for (const job of [a1, a2, a3, a4]) await push(job);
        await eventually(() => assert.deepEqual(new Set(work.started), new Set([a1, a2])));
        // Its team has none, so it is handed out beyond the limit.
        await push(b1);
        await eventually(() => assert.deepEqual(work.started.slice(2), [b1]));
        for (const job of [a1, a2, b1]) work.running.get(job.id)?.();
        await eventually(() => assert.deepEqual(new Set(work.started.slice(3)), new Set([a3, a4])));
        for (const job of [a3, a4]) work.running.get(job.id)?.();
        await eventually(() => assert.equal(queue.busy(), false));
        queue.close();
        await queue.giveBack();
      });
    });
  }

  describe('of a node', () => {
    let nodes: Node[] = [];
    before(function () {
      if (whyNoPostgres() !== undefined) this.skip();
    });
    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.close()));
      nodes = [];
    });

    it('that adds a job tells the others, which need not look for it', async () => {
      nodes = await openNodes(2);
      const [first, second] = nodes as [Node, Node];
      const heard: string[] = [];
      second.shared.signals.on('work', (queue) => heard.push(queue));
      const queue = first.shared.createJobQueue({ kind: 'crawl', maxRunning: 5, stored: async () => [] });
      await transaction(first.database, (tx) => queue.push({ id: randomUUID(), team: 'a' }, tx));
      await eventually(() => assert.deepEqual(heard, ['crawl']));
      queue.close();
    });

    it('that stops gives its jobs to another at once; what it had is no longer its own', async () => {
      nodes = await openNodes(2);
      const works = nodes.map(() => createWork());
      const claims: Claim[] = [];
      const queues = nodes.map(({ shared }, index) => {
        const queue = shared.createJobQueue({
          kind: 'crawl',
          maxRunning: 5,
          stored: async () => [],
        });
        if (index === 0)
          queue.consume(async (id, claim) => {
            claims.push(claim);
            await works[0]?.handler(id, claim);
          });
        return queue;
      });
      const [first, second] = nodes as [Node, Node];
      const job = { id: randomUUID(), team: 'a' };
      for (const work of works) work.job = () => job;
      const started: string[] = [];
      await transaction(first.database, (tx) => queues[0]?.push(job, tx) ?? Promise.resolve());
      await eventually(() => assert.equal(claims.length, 1));
      const [claim] = claims as [Claim];
      assert.equal(await transaction(first.database, (tx) => claim.holds(tx)), true);
      queues[1]?.consume(async (id) => {
        started.push(id);
        await sleep(60_000, undefined, { ref: false });
      });
      queues[0]?.close();
      await queues[0]?.giveBack();
      await eventually(() => assert.deepEqual(started, [job.id]));
      assert.equal(await transaction(second.database, (tx) => claim.holds(tx)), false);
      queues[1]?.close();
    });
  });
});

describe('several nodes', () => {
  const nodes = nodesOfTests(2);

  it('share their jobs fairly among teams, whichever node has them', async () => {
    const work = createWork();
    const queues = nodes.map(({ shared }) =>
      shared.createJobQueue({
        kind: 'agent',
        maxRunning: 2,
        stored: async () => [],
      }),
    );
    const [first] = queues as [JobQueue];
    const { database } = nodes[0] as Node;
    for (const queue of queues) queue.consume(work.handler);
    const push = async (team: string) => {
      const job = work.job(team);
      await transaction(database, (tx) => first.push(job, tx));
      return job;
    };
    const many: QueuedJob[] = [];
    for (let count = 0; count < 8; count++) many.push(await push('a'));
    await eventually(() => assert.equal(work.started.length, 4));
    const b1 = await push('b');
    await eventually(() => assert.deepEqual(work.started.slice(4), [b1]));
    const b2 = await push('b');
    // Two end, so that there is room on a node beside the job that had none.
    for (const { id } of work.started.slice(0, 2)) work.running.get(id)?.();
    await eventually(() => assert.ok(work.started.includes(b2)));
    assert.ok(work.started.filter(({ team }) => team === 'a').length < 7, 'the other team is not last');
    for (const queue of queues) queue.close();
    for (const end of work.running.values()) end();
    await Promise.all(queues.map((queue) => queue.giveBack()));
  });

  it('send the deliveries of a job in order and one at a time, and again with the same id until they are acknowledged', async () => {
    const { database } = nodes[0] as Node;
    const attempts = new Map<string, number>();
    const firsts: number[] = [];
    let inProgress = 0;
    let most = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (data) => {
        body += data;
      });
      request.on('end', async () => {
        const { webhookId, data } = JSON.parse(body) as { webhookId: string; data: { number: number }[] };
        const number = data[0]?.number ?? 0;
        const made = (attempts.get(webhookId) ?? 0) + 1;
        attempts.set(webhookId, made);
        if (made === 1) {
          firsts.push(number);
          most = Math.max(most, ++inProgress);
          await sleep(5);
          inProgress--;
        }
        // Every third one is acknowledged at the third attempt only.
        response.writeHead(number % 3 === 0 && made < 3 ? 500 : 200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const outcomes: string[] = [];
    const webhooks = nodes.map((node) => webhooksOf(node, (outcome) => outcomes.push(outcome)));
    try {
      for (const each of webhooks) each.start();
      for (let number = 1; number <= 60; number++) {
        const event = pageEvent('job', number, url);
        await transaction(database, (tx) => webhooks[number % 2]?.events.emit([event], tx) ?? Promise.resolve());
      }
      await eventually(async () => {
        const rows = await database.selectFrom('webhook_delivery').select('id').execute();
        assert.deepEqual(rows, []);
      });
      assert.deepEqual(
        firsts,
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      assert.equal(most, 1);
      const made = [...attempts.values()].sort();
      assert.deepEqual(made, [...Array.from({ length: 40 }, () => 1), ...Array.from({ length: 20 }, () => 3)]);
      await eventually(() => {
        const counts = Map.groupBy(outcomes, (outcome) => outcome);
        assert.deepEqual([counts.get('acknowledged')?.length, counts.get('retried')?.length], [60, 40]);
      });
    } finally {
      await Promise.all(webhooks.map((each) => each.close()));
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
    }
  });

  it("send a team's deliveries while the same receiver lets those of another team hang (F6)", async () => {
    const { database } = nodes[0] as Node;
    const arrived: string[] = [];
    const server = createServer(async (request, response) => {
      const { id } = JSON.parse(await text(request)) as { id: string };
      arrived.push(id);
      if (id === 'other') response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const webhooks = nodes.map((node) => webhooksOf(node));
    const emit = (jobId: string, team: string) =>
      transaction(database, async (tx) => webhooks[0]?.events.emit([pageEvent(jobId, 1, url, team)], tx));
    try {
      for (const each of webhooks) each.start();
      for (let job = 0; job < 10; job++) await emit(`hanging ${job}`, 'a');
      await eventually(() => assert.equal(arrived.length, 4));
      await emit('other', 'b');
      await eventually(() => assert.equal(arrived[4], 'other'));
    } finally {
      await Promise.all(webhooks.map((each) => each.close()));
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
    }
  });

  it('send a delivery that is being stored while the one before it is sent', async () => {
    const { database } = nodes[0] as Node;
    const received: number[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (data) => {
        body += data;
      });
      request.on('end', () => {
        received.push((JSON.parse(body) as { data: { number: number }[] }).data[0]?.number ?? 0);
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const [emitting, sending] = nodes.map((node) => webhooksOf(node));
    const emit = (number: number, tx: Database) => emitting?.events.emit([pageEvent('slow', number, url)], tx);
    try {
      await transaction(database, async (tx) => emit(1, tx));
      await transaction(database, async (tx) => {
        await emit(2, tx);
        sending?.start();
        await eventually(() => assert.deepEqual(received, [1]));
        // Time for a node that would take the queue's job for done.
        await sleep(500);
      });
      await eventually(() => assert.deepEqual(received, [1, 2]));
    } finally {
      await Promise.all([emitting?.close(), sending?.close()]);
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
    }
  });
});

describe('a node of an older version', () => {
  let own: Cluster | undefined;
  let node: Node | undefined;
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    own = await startCluster();
    cluster = own;
  });
  after(async () => {
    await node?.close();
    await own?.stop();
    own?.remove();
  });

  it('stops when a newer one migrates the queues, and does not start with them', async () => {
    outdated.length = 0;
    const url = await createDatabase(own?.url ?? '');
    await migratePostgres(url, silentLog);
    node = await openNode(url);
    await sql`UPDATE web_data_jobs.version SET version = version + 1`.execute(node.database);
    await eventually(() => assert.match(outdated[0] ?? '', /newer version of the service/));
    const { database, fleet } = node;
    await assert.rejects(
      openSharedJobs(url, { database, fleet, ...parts, onOutdated: () => undefined }),
      /queues of the database were written by a newer version \(schema \d+; this version supports \d+\)/,
    );
  });
});

describe('the pace of requests to a host', () => {
  const nodes = nodesOfTests(3);

  it('holds across nodes, which take turns', async () => {
    const pace: Pace = { spacingMs: 150, width: 5 };
    const requests: { node: number; from: number; to: number }[] = [];
    const gates = nodes.map(({ database, shared }) => createSharedGates(database, shared, parts));
    /** Requests pages one after another, as fast as its node lets it. */
    const requestAll = async (node: number) => {
      const gate = gates[node];
      assert.ok(gate);
      for (let made = 0; made < 8; ) {
        const wait = gate.wait('site.test', pace);
        if (wait > 0) {
          await sleep(Math.min(wait, 20));
          continue;
        }
        const from = performance.now();
        const visit = gate.enter('site.test', pace);
        await sleep(30);
        visit.leave();
        requests.push({ node, from, to: performance.now() });
        made++;
      }
    };
    await Promise.all(nodes.map((_node, index) => requestAll(index)));
    await Promise.all(gates.map((gate) => gate.close()));
    assert.equal(requests.length, 24);
    for (const [index, { from }] of requests.entries()) {
      const before = requests[index - 1];
      if (!before) continue;
      assert.ok(from >= before.to, 'one at a time');
      assert.ok(from - before.from >= pace.spacingMs - 1, `${from - before.from} ms apart`);
    }
  });

  it('lets a run continue that waited for long and asks only when it is told to', async () => {
    const pace: Pace = { spacingMs: 0, width: 1 };
    const host = 'slow.test';
    const [busy, waiting] = nodes.map(({ database, shared }) => createSharedGates(database, shared, parts)) as [
      HostGates & { close(): Promise<void> },
      HostGates & { close(): Promise<void> },
    ];
    await eventually(() => assert.equal(busy.wait(host, pace), 0));
    const visit = busy.enter(host, pace);
    let wait = waiting.wait(host, pace);
    let asked = 1;
    waiting.onChange(() => {
      asked++;
      wait = waiting.wait(host, pace);
    });
    assert.equal(wait, Number.POSITIVE_INFINITY);
    await eventually(() => assert.ok(asked > 1, 'nobody told the run to ask again'));
    visit.leave();
    await eventually(() => assert.equal(wait, 0));
    await Promise.all([busy.close(), waiting.close()]);
  });

  it('begins anew for a host whose stored pace is damaged, and holds up no other (STO-05)', async () => {
    const pace: Pace = { spacingMs: 0, width: 1 };
    const hosts = ['{', '[]', '{}', '{"nextIn":0,"spacingMs":0,"rounds":0,"delayed":{"team":null}}'].map(
      (text, index) => ({ host: `damaged${index}.test`, text }),
    );
    const [node] = nodes as [Node];
    for (const { host, text } of hosts) {
      await sql`INSERT INTO host_turn (host, node, held_until, left_at, pace)
        VALUES (${host}, 'gone', 0, 0, ${text})`.execute(node.database);
    }
    const gates = createSharedGates(node.database, node.shared, parts);
    for (const host of [...hosts.map((each) => each.host), 'sound.test'])
      await eventually(() => assert.equal(gates.wait(host, pace), 0));
    await gates.close();
    const { rows } = await sql<{ pace: string }>`SELECT pace FROM host_turn WHERE host LIKE 'damaged%'`.execute(
      node.database,
    );
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.pace).delayed),
      hosts.map(() => ({})),
    );
  });
});
