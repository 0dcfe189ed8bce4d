import { rmSync } from 'node:fs';
import pg from 'pg';
import { endWithThisProgram } from '../../../scripts/lib/cleanup.mjs';
import { startCluster } from '../../../scripts/lib/postgres.mjs';
import { temporaryFolder } from '../../harness/folders.ts';
import { createDatabase } from '../../harness/postgres.ts';
import { call, type ServiceProcess, spawnService, testKey } from '../../harness/service.ts';
import { descendants } from '../processes.ts';

/** How long a node may take to answer a request. */
const answerMs = 60_000;

/** Nodes as processes that share a PostgreSQL database of their own. */
export interface BenchFleet {
  readonly nodes: readonly BenchNode[];
  // biome-ignore lint/suspicious/noExplicitAny: rows of statements that the benchmark writes
  query(text: string): Promise<any[]>;
  close(): Promise<void>;
}

export interface BenchNode {
  // biome-ignore lint/suspicious/noExplicitAny: responses to requests that the benchmark sends
  call(method: string, path: string, body?: object): Promise<{ status: number; body: any }>;
  readonly baseUrl: string;
  /** Whether it answers. */
  readonly isUp: boolean;
  kill(): Promise<void>;
  /** Starts it again, in another data directory. */
  restart(): Promise<void>;
}

/** Starts a job, and returns its ID. Throws an Error unless it is acknowledged. */
export async function startJob(node: BenchNode | undefined, path: string, body: object): Promise<string> {
  const answer = await node?.call('POST', path, body);
  if (answer?.status !== 200) throw new Error(`${answer?.status}: ${JSON.stringify(answer?.body)}`);
  return answer.body.id;
}

/** Starts nodes and their database, which end with this program however it ends. */
export async function startBenchFleet(count: number): Promise<BenchFleet> {
  const cluster = await startCluster({ durable: true });
  const end = () => {
    // Includes nodes that are still starting.
    for (const pid of descendants(process.pid).slice(1)) endProcess(pid);
    cluster.remove();
  };
  const forget = endWithThisProgram({ stop: async () => end(), kill: end });
  const database = await createDatabase(cluster.url);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode(database)));
  return {
    nodes,
    query: async (text) => (await client.query(text)).rows,
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await client.end();
      await cluster.stop();
      cluster.remove();
      forget();
    },
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function startNode(database: string): Promise<BenchNode> {
  let folder = '';
  let running: ServiceProcess | undefined;
  const node: BenchNode = {
    get baseUrl() {
      return running?.line.baseUrl ?? '';
    },
    get isUp() {
      return running !== undefined;
    },
    async call(method, path, body) {
      if (!running) throw new Error('The node does not run.');
      const signal = AbortSignal.timeout(answerMs);
      return await call(running.line.baseUrl, testKey, method, path, body, { signal });
    },
    async kill() {
      const killed = running;
      running = undefined;
      killed?.child.kill('SIGKILL');
      await killed?.exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
    async restart() {
      folder = temporaryFolder();
      const args = ['--data-dir', folder, '--database', database, '--api-key', testKey, '--spare-browsers', '0'];
      running = await spawnService(args);
    },
  };
  await node.restart();
  return node;
}
