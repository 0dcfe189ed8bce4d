import { flushCompileCache } from 'node:module';
import type * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { apiKeysVariable, type listeningLine, memoryVariables } from '../contract/embedded.ts';
import { withoutHidden } from '../contract/shorten.ts';
import { webhookSecretVariable } from '../contract/webhooks/webhooks.ts';
import type { Ahead } from './ahead.ts';
import { keysCommand } from './keys-command.ts';
import { parseOptions, usage } from './options.ts';
import { systemClock } from './platform/clock.ts';
import { messageOf } from './platform/errors.ts';
import { BrowserFault, countFaults, culprit } from './platform/faults.ts';
import { modelVariables } from './platform/language-model/models.ts';
import { createLog, limitLogFile } from './platform/log.ts';
import { startService } from './service.ts';
import { variables } from './variables.ts';

/** The process exits this many milliseconds after it was asked to stop, at the latest. */
const stopLimitMs = 9500;

/** How often the size of the log is looked at, in milliseconds. */
const logCheckMs = 60_000;

/** When the compile cache is saved, in milliseconds after the start. */
const cacheDelayMs = 5000;

async function main(ahead: Ahead | undefined): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === 'keys') {
    const [out, note] = [process.stdout, process.stderr].map(
      (stream) => (line: string) => void stream.write(`${line}\n`),
    );
    if (out && note) await keysCommand(args.slice(1), process.env, { out, note }, systemClock.now());
    return;
  }
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (args.includes('--version')) {
    process.stdout.write(`${packageJson.version}\n`);
    return;
  }
  const options = parseOptions(args, process.env);
  // Child processes must not see the keys.
  for (const name of [apiKeysVariable, webhookSecretVariable, variables.database, modelVariables.apiKey])
    delete process.env[name];
  // Browsers and snippets manage their memory themselves.
  for (const [name, value] of Object.entries(memoryVariables))
    if (process.env[name] === value) delete process.env[name];
  const log = createLog();
  setInterval(() => limitLogFile(), logCheckMs).unref();

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    try {
      await service.close(reason);
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the service did not stop cleanly');
      process.exit(1);
    }
    process.exit(0);
  };
  const surroundings = { clock: systemClock, log, onDone: (reason: string) => void stop(reason) };
  const service = await startService(options, surroundings, ahead);
  // A fault that nothing else has caught must not end everybody's sessions.
  // When faults repeat, though, its state is no longer to be trusted: those who need it start another.
  const count = countFaults((faults) => {
    log.error({ faults }, 'unexpected errors repeat: the service stops, because its state can no longer be trusted');
    void stop('unexpected errors repeat');
  });
  const onFault = (error: unknown) => {
    if (error instanceof BrowserFault)
      return log.error(
        { reason: messageOf(error.cause), stack: stackOf(error.cause) },
        'a message of a browser is invalid',
      );
    const known = { reason: messageOf(error), stack: stackOf(error) };
    const whose = culprit();
    if (whose) return log.warn(known, `${whose} has caused an error`);
    log.error({ ...known, faults: count() }, 'an unexpected error');
  };
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  // A second signal forces the exit: browsers and snippets end with this process.
  const onSignal = (signal: string) => (stopping ? process.exit(1) : void stop(signal));
  let draining = false;
  /** A node of a fleet lets its sessions end first, unless it is asked again. */
  const onTerminate = () => {
    if (stopping || draining || !service.drain) return onSignal('SIGTERM');
    draining = true;
    service.drain().then(
      () => stop('all sessions of this node have ended'),
      (error: unknown) => {
        log.error({ reason: messageOf(error) }, 'this node could not drain: it stops at once');
        return stop('SIGTERM');
      },
    );
  };
  process.on('SIGTERM', onTerminate);
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => onSignal(signal));
  // The parent process may have exited and closed its end of these pipes.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const line: z.input<typeof listeningLine> = {
    event: 'listening',
    baseUrl: service.baseUrl,
    apiKey: options.apiKeys?.[0]?.key ?? null,
    pid: process.pid,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  // A process that is killed can't save the compile cache.
  setTimeout(flushCompileCache, cacheDelayMs).unref();
}

/** Runs the program that the command line asks for. */
export function run(ahead: Ahead | undefined): void {
  main(ahead).catch((error: unknown) => {
    process.stderr.write(`${withoutHidden(oneLine(error))}\n`);
    process.exit(1);
  });
}

/** Returns where an error was thrown, without its message. */
function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join('\n');
}

function oneLine(error: unknown): string {
  const { code, address, port } = error as { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is already in use. Set --port to another port, or to 0 for any free one.`;
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} requires elevated privileges. Set --port to a port above 1023, or to 0 for any free one.`;
  if (code === 'EADDRNOTAVAIL')
    return `This machine doesn't have the address ${address}. Set --host to one of its addresses, or to 0.0.0.0 for all of them.`;
  // Node.js quotes the argument.
  const most = code?.startsWith('ERR_PARSE_ARGS_') ? 300 : 1000;
  return messageOf(error, most).replaceAll(/\s*\n\s*/g, ' ');
}
