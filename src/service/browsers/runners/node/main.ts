// The program that runs the node snippets of one session. It reads commands from file descriptor 3 and writes messages to 4.
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { messageOf } from '../../../platform/errors.ts';
import type { FromRunner, ResultMessage, RunMessage, StartMessage, ToRunner } from '../messages.ts';
import { type BrowserConnection, browserClosed, createConnection } from './browser.ts';
import { describeThrown } from './errors.ts';
import { createModules } from './modules.ts';
import { readHandles } from './playwright-objects.ts';
import { createRepl } from './repl.ts';
import { showOriginalSource } from './rewrite/names.ts';
import { createScope } from './scope.ts';
import { endScript, installStackFormat } from './stack.ts';
import { installStreams, writeAll } from './streams.ts';
import { type ResultText, resultText } from './values.ts';

const commandsFd = 3;
const messagesFd = 4;
/** Milliseconds for a run to fail by itself after the browser has closed. */
const closedGraceMs = 500;

let connection: BrowserConnection | undefined;
/** Fails the current run after the browser has closed. */
let failRun: (() => void) | undefined;

installStreams();
installStackFormat();
showOriginalSource();
// Code that a snippet started may fail after the snippet. That must not end the process and lose its variables.
process.on('uncaughtException', (thrown) => report(describeThrown(thrown).report));
process.on('unhandledRejection', (thrown) => report(describeThrown(thrown).report));
const [, , playwright = '', cacheDirectory] = process.argv;
const ownDirectory = process.cwd();
let entered = ownDirectory;

createInterface({ input: new Socket({ fd: commandsFd, readable: true, writable: false }) }).on('line', (line) => {
  const message = JSON.parse(line) as ToRunner;
  if (message.type === 'start') void start(message);
  else void run(message);
});

// All that needs no browser is done before its URL arrives.
if (cacheDirectory !== undefined) enableCompileCache(cacheDirectory);
const scope = createScope();
const modules = createModules(playwright, process.cwd(), scope);
const repl = createRepl(modules, scope);
const loaded = createRequire(__filename)(playwright);
// It loads and compiles the parser, so that the first run is as fast as later ones.
const warm = evaluate('{ let warm = await 1; }');

async function start(message: StartMessage): Promise<void> {
  connection = createConnection(loaded, scope, message, () => failRun?.());
  const [error] = await Promise.all([connection.connect().then(() => undefined, messageOf), warm]);
  sendMessage({ type: 'ready', error });
  // This process ends by SIGKILL, when it is too late to save the compile cache.
  if (cacheDirectory !== undefined) setImmediate(flushCompileCache);
}

/** Runs code. Returns the text of its value. */
async function evaluate(code: string, limit?: number): Promise<ResultText | undefined> {
  const { value } = await repl.evaluate(code);
  await readHandles(value);
  return resultText(value, limit);
}

async function run({ nonce, code, tab, resultLimit, ...place }: RunMessage): Promise<void> {
  sendMessage({ type: 'started', nonce });
  let answered = false;
  const finish = (result: Omit<ResultMessage, 'type' | 'nonce'>) => {
    if (answered) return;
    answered = true;
    failRun = undefined;
    endScript();
    sendMessage({ type: 'result', nonce, ...result });
  };
  const fail = (text: string, message = text) => {
    report(text);
    finish({ exitCode: 1, error: message });
  };
  failRun = () => setTimeout(() => !answered && fail(browserClosed), closedGraceMs);
  process.exitCode = undefined;
  try {
    setVariables(place.environment);
    await connection?.refresh(tab);
    enter(place.directory);
    await modules.enter(place.file);
  } catch (error) {
    return fail(messageOf(error));
  }
  let outcome: ResultText | undefined;
  let failure: ReturnType<typeof describeThrown> | undefined;
  try {
    outcome = await evaluate(code, resultLimit);
  } catch (thrown) {
    failure = describeThrown(thrown);
  }
  // Unhandled rejections are reported in the same turn, so they belong to this run.
  await new Promise((resolve) => setImmediate(resolve));
  if (answered) return;
  if (failure) return fail(failure.report, failure.message);
  const { text, ...more } = outcome ?? {};
  finish({ exitCode: Number(process.exitCode ?? 0) & 255, result: text, ...more });
}

/** Enters a directory when it differs from the previous run's, so that a snippet's own `process.chdir` lasts. */
function enter(directory = ownDirectory): void {
  try {
    process.cwd();
    if (directory === entered) return;
  } catch {
    // It was deleted, even if there is one of the same name.
  }
  process.chdir(directory);
  entered = directory;
}

/** Before all that can fail: each run is only told what changes. */
function setVariables(environment: RunMessage['environment']): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value === null) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
}

function report(text: string): void {
  process.stderr.write(`${text}\n`);
}

function sendMessage(message: FromRunner): void {
  writeAll(messagesFd, Buffer.from(`${JSON.stringify(message)}\n`));
}
