import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetTimings } from '../../../src/service/platform/fleet/fleet.ts';
import { repository, temporaryFolder } from '../folders.ts';
import { type Answer, call, testKey } from '../service.ts';

/** A service of a fleet in a process of its own, run from its source. */
export interface FleetNode {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answer<any>>;
  readonly exited: Promise<void>;
  /** What it wrote to its log. */
  log(): string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it, and resolves when it has exited. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface FleetNodeOptions {
  database: string;
  timings?: FleetTimings;
  /** What its clocks are ahead, in milliseconds. */
  clockOffset?: number;
  args?: readonly string[];
}

/** Shorter than usual, and long enough for a node that starts on a busy machine. */
export const shortTimings: FleetTimings = { beatMs: 500, leaseMs: 5_000, deadMs: 10_000 };

/** API keys of the teams of a node, `default` and those named here. */
export const teamKeys = { red: 'red-team-key-0123456789', blue: 'blue-team-key-0123456789' };

/** Starts a node. Rejects with its log when it exits before it listens. */
export async function startFleetNode({
  database,
  timings = shortTimings,
  clockOffset = 0,
  args = [],
}: FleetNodeOptions): Promise<FleetNode> {
  const dataDir = temporaryFolder();
  const keys = [`${testKey}:default`, ...Object.entries(teamKeys).map(([team, key]) => `${key}:${team}`)];
  const given = [
    ...['--data-dir', dataDir, '--database', database, '--spare-browsers', '0'],
    ...keys.flatMap((key) => ['--api-key', key]),
    ...args,
  ];
  const program = join(repository, 'test', 'harness', 'fleet', 'program.ts');
  const child = spawn(process.execPath, [program, JSON.stringify({ timings, clockOffset, args: given })], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
    });
    void exited.then(() => reject(new Error(`The node has ended: ${log}`)));
  });
  const { baseUrl } = JSON.parse(line) as { baseUrl: string };
  return {
    child,
    baseUrl,
    call: (method, path, body, key = testKey) => call(baseUrl, key, method, path, body),
    exited,
    log: () => log,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      child.kill(signal);
      await exited;
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
