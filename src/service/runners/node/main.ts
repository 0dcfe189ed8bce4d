// The program that runs the node snippets of one session. It is told what to do over file descriptor 3, answers over 4,
// and ends with all its group when 5 does.
import { writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { FromRunner, RunMessage, StartMessage, ToRunner } from '../messages.ts';
import { type BrowserConnection, browserGone, createConnection } from './browser.ts';
import { describeThrown } from './errors.ts';
import { holdLifeline } from './lifeline.ts';
import { createModules, installModules } from './modules.ts';
import { createRepl, type Evaluation, type Repl } from './repl.ts';
import { shieldModules } from './shield.ts';
import { endScript, installStackFormat } from './stack.ts';
import { installStreams, writeAll } from './streams.ts';
import { resultText } from './values.ts';

const commandsFd = 3;
const answersFd = 4;
const lifelineFd = 5;
/** Milliseconds that a run has to fail by itself when the browser has gone. */
const goneGraceMs = 500;

let repl: Repl | undefined;
let connection: BrowserConnection | undefined;
/** Ends the run that goes on when the browser has gone. */
let giveUp: (() => void) | undefined;

holdLifeline(lifelineFd);
volunteerForTheKiller();
installStreams();
installStackFormat();
// What a snippet started may fail after the snippet, and is no reason to lose its variables.
process.on('uncaughtException', (thrown) => report(describeThrown(thrown).report));
process.on('unhandledRejection', (thrown) => report(describeThrown(thrown).report));
process.argv = [process.execPath, 'snippet.js'];

createInterface({ input: new Socket({ fd: commandsFd, readable: true, writable: false }) }).on('line', (line) => {
  const message = JSON.parse(line) as ToRunner;
  if (message.type === 'start') void start(message);
  else void run(message);
});

async function start({ cdpUrl, downloads, playwright, cacheDirectory }: StartMessage): Promise<void> {
  if (playwright === undefined) throw new Error('The start message names no playwright folder.');
  if (cacheDirectory !== undefined) enableCompileCache(cacheDirectory);
  shieldModules(playwright);
  const modules = createModules(playwright);
  installModules(modules, process.cwd());
  repl = createRepl(modules);
  connection = createConnection(createRequire(__filename)(playwright), { cdpUrl, downloads });
  connection.onGone = () => giveUp?.();
  const [error] = await Promise.all([connection.connect().then(noError, messageOf), warmUp(repl)]);
  answer({ type: 'ready', ...(error !== undefined && { error }) });
  // This process will end by SIGKILL, when it is too late to keep what was compiled.
  if (cacheDirectory !== undefined) setImmediate(flushCompileCache);
}

/** Makes the first run as fast as later ones: the parser and the inspector are loaded and compiled. */
async function warmUp(fresh: Repl): Promise<void> {
  const evaluation = await fresh.evaluate('let warm = await 1;');
  if ('value' in evaluation) resultText(evaluation.value);
}

async function run({ nonce, code }: RunMessage): Promise<void> {
  answer({ type: 'started', nonce });
  let answered = false;
  const finish = (result: Omit<Extract<FromRunner, { type: 'result' }>, 'type' | 'nonce'>) => {
    if (answered) return;
    answered = true;
    giveUp = undefined;
    endScript();
    answer({ type: 'result', nonce, ...result });
  };
  const fail = (text: string, message = text) => {
    report(text);
    finish({ exitCode: 1, error: message });
  };
  giveUp = () => setTimeout(() => !answered && fail(browserGone), goneGraceMs);
  try {
    await connection?.refresh();
  } catch (error) {
    return fail(messageOf(error));
  }
  const evaluation = await (repl as Repl).evaluate(code);
  const shown = show(evaluation);
  // Rejections that nobody handles are told in the same turn: they belong to this run.
  await new Promise((resolve) => setImmediate(resolve));
  if (answered) return;
  if ('failure' in evaluation) fail(evaluation.failure.report, evaluation.failure.message);
  else finish({ exitCode: 0, ...(shown && { result: shown.text, truncated: shown.truncated }) });
}

function show(evaluation: Evaluation): ReturnType<typeof resultText> {
  return 'value' in evaluation ? resultText(evaluation.value) : undefined;
}

function report(text: string): void {
  process.stderr.write(`${text}\n`);
}

function answer(message: FromRunner): void {
  writeAll(answersFd, Buffer.from(`${JSON.stringify(message)}\n`));
}

function noError(): undefined {
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** On Linux, the process to end first when memory runs out: neither the browser nor the service. */
function volunteerForTheKiller(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system, or one that does not allow it.
  }
}
