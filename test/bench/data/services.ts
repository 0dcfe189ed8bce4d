import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { variables } from '../../../src/service/variables.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { type Answer, call, spawnService } from '../../harness/service.ts';

const probe = join(import.meta.dirname, 'probe.cjs');

/** A build of the service and a database to measure. */
export interface Variant {
  name: string;
  program?: string | undefined;
  database?: () => Promise<string>;
}

/** What is read of responses. */
export interface Reply {
  id: string;
  error?: string;
  status: string;
  completed: number;
}

/** What kept the main thread busy, in milliseconds. */
export interface Delays {
  /** Longest delays of the event loop, whatever the reason. */
  max: number;
  p99: number;
  /** Longest times that storage took in one turn of the event loop, without garbage collections. */
  storage: number[];
  /** Longest garbage collection. */
  collection: number;
  statements: number;
}

/** A service that is measured. */
export interface Running {
  ask(method: string, path: string, body?: object): Promise<Answer<Reply>>;
  /** Returns what kept the main thread busy since the last call. */
  delays(): Promise<Delays>;
  stop(): Promise<void>;
}

/** Starts a service with a data dir of its own. @param probed whether its delays are measured, which costs some time */
export async function start(
  { program, database }: Variant,
  { probed = false, more = [] as string[] } = {},
): Promise<Running> {
  const folder = temporaryFolder();
  const report = join(folder, 'probe.json');
  const env = {
    ...(database && { [variables.database]: await database() }),
    ...(probed && { NODE_OPTIONS: `--require=${probe}`, WEBDATA_BENCH_PROBE: report }),
  };
  const options = ['--data-dir', folder, '--spare-browsers', '0', '--max-sessions', '50', ...more];
  const { child, line, exited } = await spawnService(options, env, program);
  return {
    ask: (method, path, body) => call<Reply>(line.baseUrl, line.apiKey ?? '', method, path, body),
    async delays() {
      child.kill('SIGUSR2');
      for (;;) {
        await sleep(100);
        try {
          const text = readFileSync(report, 'utf8');
          rmSync(report);
          return JSON.parse(text) as Delays;
        } catch {
          // Not written yet.
        }
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a script that prints its port. */
export async function startScript(script: string, ...args: string[]): Promise<{ port: string; stop(): void }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim())),
  );
  return { port, stop: () => child.kill() };
}
