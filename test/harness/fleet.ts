import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endWithThisProgram } from '../../scripts/lib/cleanup.mjs';
import { startCluster } from '../../scripts/lib/postgres.mjs';
import { temporaryFolder } from './folders.ts';
import { createDatabase } from './postgres.ts';
import { startRoundRobin } from './round-robin.ts';
import { type Answer, call, type ServiceProcess, spawnService, testKey } from './service.ts';

/** A node of a fleet: the built service in a process of its own. */
export interface TestNode {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly process: ServiceProcess;
  /** Sends a request to this node with the fleet's key. */
  call<Body = ReturnType<typeof JSON.parse>>(
    method: string,
    path: string,
    body?: unknown,
    init?: RequestInit,
  ): Promise<Answer<Body>>;
  /** Kills it at once; its browsers and snippets end with it. */
  kill(): Promise<void>;
}

/** Services that share a PostgreSQL database, behind a proxy that uses them in turn. */
export interface TestFleet {
  /** URL of the proxy, which is the fleet's public URL. */
  readonly url: string;
  /** URL of the database. */
  readonly database: string;
  readonly sharedDir: string;
  readonly nodes: readonly TestNode[];
  /** Sends a request through the proxy. */
  call: TestNode['call'];
  /** Starts another node. It is served by the proxy once it listens. */
  add(args?: readonly string[]): Promise<TestNode>;
  close(): Promise<void>;
}

export interface TestFleetOptions {
  nodes?: number;
  /** Arguments of every node, in addition to its own. */
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** URL of the maintenance database of a cluster; without it, the fleet has a cluster of its own. */
  cluster?: string;
}

/** Starts a fleet of the built service, with a database of its own, on free ports of loopback. */
export async function startFleet({
  nodes: count = 3,
  args = [],
  env = {},
  cluster,
}: TestFleetOptions = {}): Promise<TestFleet> {
  const own = cluster === undefined ? await startCluster() : undefined;
  const folder = temporaryFolder();
  const sharedDir = join(folder, 'shared');
  const nodes: TestNode[] = [];
  let started = 0;
  const proxy = await startRoundRobin();
  const clean = () => {
    own?.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  const close = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await proxy.close();
    await own?.stop();
    forget();
    clean();
  };
  const forget = endWithThisProgram({
    stop: close,
    kill: () => {
      for (const { process } of nodes) process.child.kill('SIGKILL');
      clean();
    },
  });

  async function add(more: readonly string[] = []): Promise<TestNode> {
    const dataDir = join(folder, `node-${++started}`);
    const process = await spawnService(
      [
        ...['--port', '0', '--data-dir', dataDir, '--database', database, '--shared-dir', sharedDir],
        ...['--public-url', proxy.url, '--spare-browsers', '0', ...args, ...more],
      ],
      { WEBDATA_API_KEYS: `${testKey}:default`, ...env },
    );
    const { baseUrl } = process.line;
    const node: TestNode = {
      baseUrl,
      dataDir,
      process,
      call: (method, path, body, init) => call(baseUrl, testKey, method, path, body, init),
      async kill() {
        process.child.kill('SIGKILL');
        await process.exited;
      },
    };
    nodes.push(node);
    proxy.targets.push(baseUrl);
    return node;
  }

  let database = '';
  try {
    database = await createDatabase(cluster ?? own?.url ?? '');
    // One after another, since the first migrates the database.
    await add();
    await Promise.all(Array.from({ length: count - 1 }, () => add()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: proxy.url,
    database,
    sharedDir,
    nodes,
    call: (method, path, body, init) => call(proxy.url, testKey, method, path, body, init),
    add,
    close,
  };
}
