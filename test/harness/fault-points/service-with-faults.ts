import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../folders.ts';
import type { FaultMode, FaultPoint, FromService, ToService } from './messages.ts';

/** The service in a process of its own, run from its source, whose writes, processes and CDP commands can be made to fail. */
export interface ServiceWithFaults {
  child: ChildProcess;
  baseUrl: string;
  /** What it wrote to its log. */
  log(): string;
  /** Every point that it came to so far, by id. */
  points: ReadonlyMap<string, FaultPoint>;
  /** Empties `points`. */
  forget(): Promise<void>;
  /** Makes a point fail, once. */
  arm(point: string, mode: FaultMode): Promise<void>;
  /** Lets no point fail anymore. Returns whether the armed one has failed. */
  disarm(): Promise<boolean>;
  /** Lets every write to disk and database fail, or work again. */
  fill(full: boolean): Promise<void>;
  /** Lets every removal of a file or folder fail, or work again. */
  stick(stuck: boolean): Promise<void>;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface StartOptions {
  /** A point that fails while the service starts. */
  armed?: { point: string; mode: FaultMode };
  /** Checks of its database never end. */
  checksHang?: boolean;
  /** Variables in addition to those of this process. */
  env?: NodeJS.ProcessEnv;
}

/** Starts it. Rejects with its standard error when it exits before it listens. */
export async function startServiceWithFaults(
  args: readonly string[],
  options: StartOptions = {},
): Promise<ServiceWithFaults> {
  const preload = join(repository, 'test', 'harness', 'fault-points', 'preload.ts');
  const program = join(import.meta.dirname, 'program.ts');
  const child = spawn(process.execPath, ['--import', preload, program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      WEBDATA_LOG_LEVEL: 'warn',
      NODE_NO_WARNINGS: '1',
      ...(options.armed && { WEBDATA_TEST_ARMED: JSON.stringify(options.armed) }),
      ...(options.checksHang && { WEBDATA_TEST_CHECKS_HANG: '1' }),
      ...options.env,
    },
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const points = new Map<string, FaultPoint>();
  const fired: string[] = [];
  let pings = 0;
  const pongs = new Map<number, () => void>();
  child.on('message', (message: FromService) => {
    if (message.type === 'seen') points.set(message.point.id, message.point);
    if (message.type === 'fired') fired.push(message.point);
    if (message.type === 'pong') {
      pongs.get(message.number)?.();
      pongs.delete(message.number);
    }
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  let output = '';
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
    });
    void exited.then(({ code }) => reject(new Error(`exit ${code}: ${log}`)));
  });

  const send = async (message: ToService) => {
    if (child.connected) child.send(message);
    const number = ++pings;
    const { promise, resolve } = Promise.withResolvers<void>();
    pongs.set(number, resolve);
    if (child.connected) child.send({ type: 'ping', number } satisfies ToService);
    const end = await Promise.race([promise, exited]);
    if (end) throw new Error(`the service has ended: ${log.slice(-2000)}`);
  };
  return {
    child,
    baseUrl: JSON.parse(line).baseUrl,
    log: () => log,
    points,
    exited,
    forget: async () => {
      await send({ type: 'forget' });
      points.clear();
    },
    arm: async (point, mode) => {
      fired.length = 0;
      await send({ type: 'arm', point, mode });
    },
    disarm: async () => {
      await send({ type: 'arm', point: undefined, mode: 'no space' });
      return fired.length > 0;
    },
    fill: (full) => send({ type: 'full', full }),
    stick: (stuck) => send({ type: 'stuck', stuck }),
  };
}
