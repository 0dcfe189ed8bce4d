import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { threadEnvironment } from '../../../../storage/storage.ts';
import { createTurn } from '../../../platform/async.ts';
import { childEnvironment } from '../../../platform/environment.ts';
import { messageOf } from '../../../platform/errors.ts';
import { readLargeJson } from '../../../platform/read-large-json.ts';
import { startProcess } from '../../../platform/system/start-process.ts';
import type { ConversionOptions, Converters } from './convert.ts';
import { ConversionError, lateReason, release } from './converter-thread.ts';
import type { ConvertResult, ConvertTask } from './tasks.ts';
import type { Wording } from './wording.ts';

/** To the program: parts of a body, then its task. An id alone: nobody waits for that any more. */
export interface ToProgram {
  id: number;
  part?: Uint8Array;
  asked?: { task: Omit<ConvertTask, 'body'>; options: Omit<ConversionOptions, 'signal'> };
}
/** From the program: parts of a result's JSON, then its end, or a failure. */
export interface FromProgram {
  id: number;
  json?: Uint8Array;
  end?: Ended;
}
interface Ended {
  /** Resident memory of the process, in bytes. */
  memory: number;
  /** Beside the JSON, because it has typed arrays. */
  wording?: Wording | undefined;
  failure?: Pick<ConversionError, 'kind' | 'message'>;
}

/** Bytes that are copied to the process at once. */
const partBytes = 1024 * 1024;
/** A process that hasn't answered so many milliseconds after it should have is stuck. */
const graceMs = 30_000;
/** An idle process ends after so many milliseconds, and sooner if it has more than so many bytes of resident memory. */
const [idleMs, largeIdleMs, largeBytes] = [30_000, 1000, 400 * 1024 * 1024];

// In the built service `import.meta.dirname` is dist/, where the program is bundled.
const converterProgram = import.meta.dirname.endsWith(join('scrape', 'convert'))
  ? join(import.meta.dirname, 'converter-program.ts')
  : join(import.meta.dirname, 'converter-process.cjs');

/**
 * Converts in a process, which starts with the first task. However much memory that takes, the system has it again when the
 * process ends, and a document that ends it ends nothing else.
 */
export function createConverterProcess(program = converterProgram): Pick<Converters, 'convert' | 'close'> {
  let current: ReturnType<typeof startProgram> | undefined;
  let closed = false;
  return {
    async convert(task, options) {
      options.signal.throwIfAborted();
      if (closed) throw new ConversionError('page', 'The service is shutting down.');
      if (!current?.isUsable) current = startProgram(program);
      return await current.convert(task, options);
    },
    async close() {
      closed = true;
      await current?.end('The service is shutting down.');
    },
  };
}

function startProgram(program: string) {
  const child = start(program);
  const waiting = new Map<number, { resolve(end: Ended): void; json: Buffer[] }>();
  /** Tasks that nobody waits for any more, which the program hasn't answered yet. */
  const givenUp = new Map<number, NodeJS.Timeout>();
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>();
  let lastId = 0;
  let isUsable = true;
  let reason = 'The process that converts large pages and files stopped unexpectedly. Try again.';
  let idle: NodeJS.Timeout | undefined;
  let memory = 0;

  child.on('message', ({ id, json, end }: FromProgram) => {
    const asked = waiting.get(id);
    if (json) asked?.json.push(Buffer.from(json.buffer as ArrayBuffer, json.byteOffset, json.byteLength));
    if (!end) return;
    memory = end.memory;
    clearTimeout(givenUp.get(id));
    givenUp.delete(id);
    asked?.resolve(end);
    waiting.delete(id);
  });
  const lost = () => {
    isUsable = false;
    clearTimeout(idle);
    for (const timer of givenUp.values()) clearTimeout(timer);
    const failure = { kind: 'page', message: reason } as const;
    for (const { resolve } of waiting.values()) resolve({ memory: 0, failure });
    waiting.clear();
    onGone();
  };
  child.once('exit', lost);
  child.on('error', lost);
  // It ends by itself when this process does.
  child.unref();
  child.channel?.unref();

  function rest(): void {
    if (waiting.size > 0 || !isUsable) return;
    clearTimeout(idle);
    idle = setTimeout(end, memory > largeBytes ? largeIdleMs : idleMs).unref();
  }

  /** @param why for those that wait */
  function end(why = reason): Promise<void> {
    isUsable = false;
    reason = why;
    child.ref();
    child.kill('SIGKILL');
    return gone;
  }

  async function send({ body, ...task }: ConvertTask, id: number, options: Omit<ConversionOptions, 'signal'>) {
    const until = performance.now() + options.deadlineMs;
    const turn = createTurn();
    for (let at = 0; at < body.byteLength && waiting.has(id); at += partBytes) {
      tell({ id, part: body.subarray(at, at + partBytes) });
      if (turn.isOver) await turn.end();
    }
    if (!waiting.has(id)) return;
    tell({ id, asked: { task, options: { ...options, deadlineMs: Math.max(1, until - performance.now()) } } });
    if (!options.keepsBody) release(body);
  }

  /** An error means that the process ends, of which `exit` tells. */
  const tell = (message: ToProgram) => child.connected && child.send(message, () => undefined);

  async function convert(task: ConvertTask, { signal, ...options }: ConversionOptions): Promise<ConvertResult> {
    clearTimeout(idle);
    const id = ++lastId;
    const json: Buffer[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Ended>();
    waiting.set(id, { resolve, json });
    const giveUp = (why: string) => {
      if (!waiting.delete(id)) return;
      givenUp.set(id, setTimeout(end, graceMs).unref());
      tell({ id });
      reject(new ConversionError('timeout', why));
    };
    const cancel = () => giveUp('The conversion was canceled.');
    const timer = setTimeout(giveUp, options.deadlineMs, lateReason);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      send(task, id, options).catch(reject);
      const { failure, wording } = await promise;
      if (failure) throw new ConversionError(failure.kind, failure.message);
      const result = (await readLargeJson(json)) as ConvertResult;
      return wording ? { ...result, wording } : result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      waiting.delete(id);
      rest();
    }
  }

  return {
    convert,
    end,
    get isUsable(): boolean {
      return isUsable;
    },
  };
}

function start(program: string): ChildProcess {
  const electron = process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };
  try {
    return startProcess(process.execPath, [program], {
      env: childEnvironment({ ...threadEnvironment(), ...electron }),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
    });
  } catch (error) {
    throw new ConversionError('page', `The page couldn't be converted: ${messageOf(error)}`);
  }
}
