// Loaded into a service's process and its threads with `--import`: wraps what the service uses to write, to start
// processes and to command its browsers, so that a test can make each use fail. The service itself knows nothing of it.
import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import sqlite from 'node:sqlite';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import workers, { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { type FaultMode, type FaultPoint, type FromService, onPostgres, type ToService } from './messages.ts';

// biome-ignore lint/suspicious/noExplicitAny: functions of all kinds are wrapped
type Callable = (this: any, ...args: any[]) => any;

const source = join(fileURLToPath(import.meta.url), '..', '..', '..', '..', 'src');
/** Threads hear of what is armed, and tell what they have seen, over this. */
const channel = new BroadcastChannel('fault-points');
channel.unref();
const seen = new Set<string>();
let armed: { point: string; mode: FaultMode } | undefined =
  JSON.parse(process.env.WEBDATA_TEST_ARMED ?? 'null') ?? undefined;
let full = false;
let stuck = false;

function tell(message: FromService): void {
  if (isMainThread) process.send?.(message);
  else channel.postMessage(message);
}

function heard(message: ToService): void {
  if (message.type === 'arm') armed = message.point === undefined ? undefined : { ...message, point: message.point };
  else if (message.type === 'full') full = message.full;
  else if (message.type === 'stuck') stuck = message.stuck;
  else if (message.type === 'forget') seen.clear();
  // Messages to threads keep their order, but take a moment longer.
  else if (isMainThread) setTimeout(() => tell({ type: 'pong', number: message.number }), 5);
}

channel.onmessage = ({ data }: { data: ToService | FromService }) => {
  if (data.type !== 'seen' && data.type !== 'fired') return heard(data as ToService);
  if (!isMainThread) return;
  if (data.type === 'fired') armed = undefined;
  process.send?.(data);
};
if (isMainThread) {
  process.on('message', (message: ToService) => {
    heard(message);
    channel.postMessage(message);
  });
  process.channel?.unref();
}

/** Notes that the service came to a point. Returns how it is to fail, if it is. @param otherwise how it fails unless it is armed */
function visit(kind: FaultPoint['kind'], what: string, otherwise: FaultMode | false = false): FaultMode | undefined {
  const id = `${kind}: ${what}`;
  if (!seen.has(id)) {
    seen.add(id);
    tell({ type: 'seen', point: { id, kind } });
  }
  if (armed?.point === id) {
    const { mode } = armed;
    armed = undefined;
    tell({ type: 'fired', point: id });
    return mode;
  }
  return otherwise || undefined;
}

/** The service's own frames of the current stack, as `folder/file.ts:line`, innermost first. */
function ownFrames(): string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = limit;
  return stack.split('\n').flatMap((line) => {
    const at = /(?:file:\/\/)?(\/[^()]*?\.ts:\d+):\d+\)?$/.exec(line)?.[1];
    return at?.startsWith(`${source}/`) ? [at.slice(source.length + 1)] : [];
  });
}

/** The code that needs something, rather than the general functions through which it does. */
function placeOf(frames: readonly string[]): string | undefined {
  return frames.find((frame) => !frame.startsWith('service/platform/system/')) ?? frames[0];
}

function failure(code: string, errno: number, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: an injected fault, ${what}`), { code, errno, syscall: what });
}

// Disk

const writing = ['mkdir', 'mkdtemp', 'writeFile', 'appendFile', 'rename', 'cp', 'copyFile', 'symlink', 'link', 'chmod'];
const removing = ['rm', 'rmdir', 'unlink'];
const handleWrites = ['write', 'writev', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate'];

function diskFault(name: string): NodeJS.ErrnoException | undefined {
  const place = placeOf(ownFrames());
  if (place === undefined) return undefined;
  const removes = removing.includes(name);
  const mode = visit('disk', `${name} in ${place}`, removes ? stuck && 'busy' : full && 'no space');
  if (mode === undefined) return undefined;
  return mode === 'busy' || removes ? failure('EBUSY', -16, name) : failure('ENOSPC', -28, name);
}

function writes(flags: unknown): boolean {
  return typeof flags === 'number'
    ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0
    : /[wa+]/.test(String(flags ?? 'r'));
}

const promises = fs.promises as unknown as Record<string, Callable>;
const callbacks = fs as unknown as Record<string, Callable>;
for (const name of [...writing, ...removing]) {
  const [original, sync] = [promises[name], callbacks[`${name}Sync`]];
  if (!original || !sync) continue;
  promises[name] = async (...args) => {
    const error = diskFault(name);
    if (error) throw error;
    return await original.apply(promises, args);
  };
  callbacks[`${name}Sync`] = (...args) => {
    const error = diskFault(name);
    if (error) throw error;
    return sync.apply(fs, args);
  };
}
const { open } = fs.promises;
promises.open = async (path: string, flags?: string | number, mode?: number) => {
  const error = writes(flags) ? diskFault('open') : undefined;
  if (error) throw error;
  const handle = await open(path, flags, mode);
  if (!writes(flags)) return handle;
  const methods = handle as unknown as Record<string, Callable>;
  for (const name of handleWrites) {
    const method = methods[name];
    if (!method) continue;
    methods[name] = async (...args) => {
      const fault = diskFault(name);
      if (fault) throw fault;
      return await method.apply(handle, args);
    };
  }
  return handle;
};
const { openSync, writeSync } = fs;
callbacks.openSync = (path, flags, mode) => {
  const error = writes(flags) ? diskFault('open') : undefined;
  if (error) throw error;
  return openSync(path, flags, mode);
};
callbacks.writeSync = (...args) => {
  const error = diskFault('write');
  if (error) throw error;
  return (writeSync as Callable)(...args);
};

// Database

/** What the transaction of each connection has written so far. */
const written = new WeakMap<object, string[]>();
const files = new WeakMap<object, { file: object; name: string }>();

function textOf(sql: string): string {
  return sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/\(\s*\?(?:\s*,\s*\?)*\s*\)/g, '(?)')
    .replaceAll(/\(\?\)(?:\s*,\s*\(\?\))+/g, '(?)')
    .slice(0, 140);
}

/** The table that a statement writes to, with the verb. */
function verbOf(sql: string): string {
  return (
    /^\s*(?:insert (?:or \w+ )?into|update|delete from)\s+"?\w+"?/i.exec(sql)?.[0].trim().replaceAll('"', '') ?? ''
  );
}

/** Whether checks of a database never end, as they take long for a large one. */
const checksHang = getEnvironmentData('checks hang') === true || process.env.WEBDATA_TEST_CHECKS_HANG === '1';
setEnvironmentData('checks hang', checksHang);

/** Notes that a statement is run. Returns how it is to fail, if it is. */
function visitStatement(file: object, name: string, sql: string): FaultMode | undefined {
  while (checksHang && /quick_check|integrity_check/.test(sql))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const isBegin = /^\s*BEGIN/i.test(sql);
  const isCommit = /^\s*COMMIT/i.test(sql);
  const verb = verbOf(sql);
  if (!isBegin && !isCommit && verb === '') return undefined;
  const earlier = written.get(file) ?? [];
  if (isBegin) written.set(file, []);
  else if (verb !== '' && !earlier.includes(verb)) written.set(file, [...earlier, verb]);
  const what = isCommit ? `COMMIT of ${earlier.join(', ') || 'nothing'}` : textOf(sql);
  return visit('database', `${name}: ${what}`, full && 'no space');
}

function databaseFault(file: object, name: string, sql: string): Error | undefined {
  if (!visitStatement(file, name, sql)) return undefined;
  return Object.assign(new Error('database or disk is full (an injected fault)'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 13,
    errstr: 'database or disk is full',
  });
}

const { prepare, exec } = sqlite.DatabaseSync.prototype;
sqlite.DatabaseSync.prototype.prepare = function (sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  files.set(statement, { file: this, name: basename(this.location() ?? 'memory') });
  return statement;
};
sqlite.DatabaseSync.prototype.exec = function (sql) {
  const error = databaseFault(this, basename(this.location() ?? 'memory'), sql);
  if (error) throw error;
  return exec.call(this, sql);
};
const statements = sqlite.StatementSync.prototype as unknown as Record<string, Callable>;
for (const name of ['run', 'all', 'get']) {
  const original = statements[name] as Callable;
  statements[name] = function (...args) {
    const of = files.get(this);
    const error = of && databaseFault(of.file, of.name, this.sourceSQL);
    if (error) throw error;
    return original.apply(this, args);
  };
}

// Loaded for it only: it is imported before anything of the service.
if (isMainThread && process.env.WEBDATA_DATABASE !== undefined) {
  const { default: pg } = await import('pg');
  const { query } = pg.Client.prototype as unknown as { query: Callable };
  (pg.Client.prototype as unknown as { query: Callable }).query = function (statement, ...rest) {
    const sql = typeof statement === 'string' ? statement : statement?.text;
    const mode = typeof sql === 'string' ? visitStatement(this, onPostgres, sql) : undefined;
    if (mode === undefined) return query.call(this, statement, ...rest);
    if (mode === 'lost') {
      this.connection.stream.destroy();
      return query.call(this, statement, ...rest);
    }
    const error = Object.assign(new Error('could not extend file (an injected fault)'), {
      code: '53100',
      severity: 'ERROR',
    });
    // A transaction that can't be committed is rolled back.
    const before = /^\s*COMMIT/i.test(sql) ? query.call(this, 'ROLLBACK') : Promise.resolve();
    return before.then(() => Promise.reject(error));
  };
}

// Processes and threads

const { spawn } = childProcess;
(childProcess as unknown as { spawn: Callable }).spawn = (command: string, args: string[], options: SpawnOptions) => {
  const place = placeOf(ownFrames());
  const mode = place === undefined ? undefined : visit('process', `start in ${place}`);
  if (mode === 'no memory') throw failure('ENOMEM', -12, `spawn ${command}`);
  if (mode === 'no descriptors') return withoutPipes(command);
  const child = spawn(mode === 'no program' ? join(source, 'no-such-program') : command, args, options);
  if (args.includes('--remote-debugging-pipe')) commandsOf(child);
  return child;
};

/** What `spawn` returns when it can open no pipes. */
function withoutPipes(command: string): ChildProcess {
  const child = new (childProcess.ChildProcess as unknown as new () => ChildProcess)();
  process.nextTick(() => child.emit('error', failure('EMFILE', -24, `spawn ${command}`)));
  return child;
}

const { Worker } = workers;
(workers as { Worker: typeof Worker }).Worker = class extends Worker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    const [place] = ownFrames();
    if (place !== undefined && visit('thread', `start in ${place}`))
      throw Object.assign(new Error('Worker initialization failure: an injected fault'), {
        code: 'ERR_WORKER_INIT_FAILED',
      });
    super(...args);
  }
};

// CDP

/** Layers that every command passes. */
const layers = /^service\/browsers\/(chrome\/(cdp-client|pipe|remote\/context-pipe|messages|relay\/)|page\/tab\.ts)/;
/** What browsers are commanded by others than the service. */
const clients = /^service\/browsers\/chrome\/cdp-socket\.ts/;

function commandsOf(child: ChildProcess): void {
  const [, , , pipe, answers] = child.stdio as unknown as [null, null, null, { write: Callable }, Readable];
  if (!pipe) return;
  /** Answers that wait for the end of what the browser is saying. */
  const refusals: string[] = [];
  let isBetween = true;
  const answer = () => {
    while (isBetween && refusals.length > 0) answers.emit('data', Buffer.from(`${refusals.shift()}\0`));
  };
  const emit = answers.emit;
  answers.emit = function (event: string, ...rest: unknown[]) {
    const isHeard = emit.call(this, event, ...rest);
    if (event === 'data') {
      isBetween = (rest[0] as Buffer).at(-1) === 0;
      setImmediate(answer);
    }
    return isHeard;
  };
  const write = pipe.write;
  pipe.write = function (text: string | Buffer, ...rest) {
    // Pieces of a large command are passed on.
    if (typeof text !== 'string' || !text.endsWith('\0')) return write.call(this, text, ...rest);
    const mode = commandFault(text);
    if (mode === undefined) return write.call(this, text, ...rest);
    if (mode === 'killed') {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      return true;
    }
    // Not every command that the browser doesn't know is answered by it: one to a paused request isn't.
    const { id, sessionId } = JSON.parse(text.slice(0, -1));
    refusals.push(JSON.stringify({ id, sessionId, error: { code: -32000, message: 'an injected fault' } }));
    setImmediate(answer);
    return true;
  };
}

function commandFault(text: string): FaultMode | undefined {
  const frames = ownFrames();
  if (frames.some((frame) => clients.test(frame))) return undefined;
  const place = frames.find((frame) => !layers.test(frame)) ?? frames.at(-1) ?? 'an event';
  const method = /"method":"([^"]*)"/.exec(text)?.[1] ?? '';
  return visit('cdp', `${method} in ${place}`);
}

syncBuiltinESMExports();
