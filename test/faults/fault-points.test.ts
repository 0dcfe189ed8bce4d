import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { variables } from '../../src/service/variables.ts';
import { processesOf } from '../harness/chrome-processes.ts';
import { eventually } from '../harness/eventually.ts';
import { type Load, loadArguments, startLoad } from '../harness/fault-points/load.ts';
import { type FaultMode, type FaultPoint, modesOf } from '../harness/fault-points/messages.ts';
import {
  type ServiceWithFaults,
  type StartOptions,
  startServiceWithFaults,
} from '../harness/fault-points/service-with-faults.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { databaseOf } from '../harness/postgres.ts';
import { agentBrowserForTests, pythonForTests } from '../harness/runner-tools.ts';
import { isWhole } from '../harness/sample.ts';

/** Only points whose name contains one of these, or of these pieces of load. */
const only = process.env.WEBDATA_FAULT_POINTS_ONLY?.split(',');
/** `npm run faults` fails every point in every way; else a sample that a seed chooses, the same in every run. */
const samples = 3;
const samplesAtStart = 1;
const seed = Number(process.env.WEBDATA_FAULT_POINTS_SEED ?? 1);

interface Trial {
  piece: string;
  point: FaultPoint;
  mode: FaultMode;
}

describe('every write, process, thread and CDP command of the service', function () {
  this.timeout(30 * 60_000);
  let dataDir: string;
  let service: ServiceWithFaults;
  let load: Load;
  let docs: string;
  /** What it came to before it listened. */
  let atStart: FaultPoint[];
  /** What it came to once, as for a thread that stays. */
  const unreached: Trial[] = [];
  let witness: string;
  let runs = 0;

  before(async () => {
    const folder = temporaryFolder();
    dataDir = join(folder, 'data');
    docs = join(folder, 'docs');
    mkdirSync(docs);
    writeFileSync(join(docs, 'herons.md'), '# Herons\n\nA heron has two legs, and stands on one of them.\n');
    const tools = await Promise.all([
      pythonForTests(() => undefined).catch(() => undefined),
      agentBrowserForTests(() => undefined).catch(() => undefined),
    ]);
    const [python, agentBrowser] = tools;
    const database = await databaseOf(dataDir);
    service = await startServiceWithFaults(
      [
        ...['--data-dir', dataDir, '--docs', folder, ...loadArguments],
        ...(python ? ['--python', python.interpreter] : []),
        ...(agentBrowser ? ['--agent-browser', join(agentBrowser, 'agent-browser')] : []),
      ],
      environment(database),
    );
    atStart = [...service.points.values()];
    load = await startLoad({
      baseUrl: () => service.baseUrl,
      docs,
      languages: [...(python ? ['python'] : []), ...(agentBrowser ? ['bash'] : [])],
    });
    witness = (await load.ask('POST', '/v2/browser', { ttl: 3600, activityTtl: 3600 })).body.id;
    load.acknowledged.sessions.set(witness, 'open');
    await assertOthersServed();
  });
  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.exited;
    await load?.close();
    rmSync(join(dataDir, '..'), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  /** The service answers, a session that nothing has failed for still has its variables, and nobody's fault was left to the last resort. */
  async function assertOthersServed(): Promise<void> {
    const code = 'globalThis.runs = (globalThis.runs ?? 0) + 1; runs';
    const { status, body } = await load.ask('POST', `/v2/browser/${witness}/execute`, { code });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.result, String(++runs), JSON.stringify(body));
    const unexpected = service.log().match(/.*an unexpected error.*/);
    assert.equal(unexpected, null, unexpected?.[0]);
  }

  /** Browsers are closed, but for the witness's and the one that renders. */
  async function assertClosed(): Promise<void> {
    await eventually(() => assert.ok(readdirSync(join(dataDir, 'browsers')).length <= 2));
  }

  /** Runs each piece and returns the points that it comes to, each with the first piece that does. */
  async function record(): Promise<Trial[]> {
    const trials: Trial[] = [];
    const known = new Set<string>();
    for (const piece of Object.keys(load.pieces)) {
      await service.forget();
      await load.pieces[piece]?.();
      await load.assertKept();
      assert.deepEqual(load.takeErrors(), []);
      await service.disarm();
      for (const point of service.points.values()) {
        if (known.has(point.id)) continue;
        known.add(point.id);
        for (const mode of modesOf(point)) trials.push({ piece, point, mode });
      }
    }
    return trials;
  }

  async function attempt({ piece, point, mode }: Trial): Promise<boolean> {
    await service.arm(point.id, mode);
    await load.pieces[piece]?.();
    const hasFailed = await service.disarm();
    await assertOthersServed();
    await load.assertKept();
    await assertClosed();
    return hasFailed;
  }

  it(`can fail, one after another: nothing else ends, and nothing acknowledged is lost (seed ${seed})`, async () => {
    const trials = (await record()).filter(isChosen);
    const chosen = isWhole || only ? trials : shuffled(trials, seed).slice(0, samples);
    const faults: string[] = [];
    for (const trial of chosen) {
      const started = performance.now();
      let fault = '';
      try {
        if (!(await attempt(trial))) unreached.push(trial);
      } catch (error) {
        fault = (error as Error).message;
        faults.push(`${trial.piece}, ${trial.mode}, ${trial.point.id}: ${fault}`);
        if (service.child.exitCode !== null) throw new Error(faults.join('\n'));
      }
      const responses = load.takeErrors();
      if (!isWhole && !only) continue;
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`      ${seconds} s ${trial.piece}, ${trial.mode}, ${trial.point.id}`);
      for (const response of fault === '' ? responses : [`FAULT ${fault}`]) console.log(`          ${response}`);
    }
    console.log(
      `      ${chosen.length} of ${trials.length} ways to fail tried, ${unreached.length} not reached, in ${Object.keys(load.pieces).length} pieces of load`,
    );
    assert.deepEqual(faults, []);
  });

  it('can fail at the start, which then says why or continues without it', async () => {
    const atFirst = atStart.flatMap((point) => modesOf(point).map((mode) => ({ piece: 'scrape', point, mode })));
    const trials = [...atFirst, ...unreached].filter(isChosen);
    const chosen = isWhole || only ? trials : shuffled(trials, seed).slice(0, samplesAtStart);
    for (const { piece, point, mode } of chosen) {
      const own = temporaryFolder();
      const armed = { point: point.id, mode };
      const started = environment(await databaseOf(join(own, 'data')));
      const args = ['--data-dir', join(own, 'data'), '--docs', docs, ...loadArguments];
      let child: ServiceWithFaults | undefined;
      try {
        child = await startServiceWithFaults(args, { armed, ...started });
        const { baseUrl } = child;
        const others = await startLoad({ baseUrl: () => baseUrl, docs, languages: [] });
        try {
          await others.pieces[piece]?.();
          await others.pieces[piece]?.();
          others.takeErrors();
          await others.assertKept('ended');
          await others.pieces[piece]?.();
          assert.deepEqual(others.takeErrors(), [], point.id);
          assert.doesNotMatch(child.log(), /an unexpected error/, point.id);
        } finally {
          await others.close();
        }
        child.child.kill('SIGTERM');
        assert.deepEqual(await child.exited, { code: 0, signal: null }, point.id);
      } catch (error) {
        // It did not start: one line says why, and the next start works.
        const text = (error as Error).message;
        if (child || !/^exit 1: /.test(text)) throw new Error(`${piece}, ${mode}, ${point.id}`, { cause: error });
        assert.match(text, /^exit 1: [^\n]{10,}\n$/, point.id);
        child = await startServiceWithFaults(args, started);
      } finally {
        child?.child.kill('SIGKILL');
        await child?.exited;
        rmSync(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    }
    console.log(`      ${chosen.length} of ${trials.length} tried`);
  });

  it('can fail without losing anything acknowledged, and the service can then do all of it again', async () => {
    await load.assertKept('ended');
    load.takeErrors();
    for (const piece of Object.values(load.pieces)) await piece();
    await load.assertKept('ended');
    assert.deepEqual(load.takeErrors(), []);
    await assertOthersServed();
  });

  it('leaves nothing open when the service stops', async () => {
    await load.ask('DELETE', `/v2/browser/${witness}`);
    service.child.kill('SIGTERM');
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(await processesOf(dataDir), []);
    assert.deepEqual(readdirSync(join(dataDir, 'browsers')), []);
    assert.deepEqual(readdirSync(join(dataDir, 'downloads')), []);
    const { count, close } = await counting(await databaseOf(dataDir), dataDir);
    assert.equal(await count('SELECT count(*) FROM browser_session WHERE ended_at IS NULL'), 0);
    assert.equal(await count('SELECT count(*) FROM session_start'), 0);
    assert.equal(await count('SELECT count(*) FROM profile_writer'), 0);
    assert.equal(await count("SELECT count(*) FROM crawl_job WHERE status = 'scraping'"), 0);
    assert.ok((await count('SELECT sum(credits) FROM credit_usage')) >= load.acknowledged.credits);
    await close();
  });
});

/** Keeps the service's data in a PostgreSQL database, if there is one. */
function environment(database: string | undefined): StartOptions {
  return database === undefined ? {} : { env: { [variables.database]: database } };
}

/** Reads numbers from the database of a service that has stopped. */
async function counting(url: string | undefined, dataDir: string) {
  if (url !== undefined) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const count = async (sql: string) => Number(Object.values((await client.query(sql)).rows[0])[0]);
    return { count, close: () => client.end() };
  }
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true });
  const count = async (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  return { count, close: async () => database.close() };
}

function isChosen({ point, piece }: Trial): boolean {
  return !only || only.some((text) => piece === text || point.id.includes(text));
}

/** The same order for the same seed: a point that was not reached this time changes nothing for the others. */
function shuffled(trials: readonly Trial[], from: number): Trial[] {
  const placed = trials.map((trial) => {
    const name = `${from} ${trial.piece} ${trial.mode} ${trial.point.id}`;
    return { trial, place: createHash('sha256').update(name).digest('hex') };
  });
  return placed.sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ trial }) => trial);
}
