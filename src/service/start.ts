// The entry of the service: enables the compile cache before anything large is loaded, so that the service starts faster
// from its second start on, and starts the first session's browser beside it.
import { access } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serviceThreads, threadsVariable } from '../contract/service-threads.ts';
import { begin } from './ahead.ts';
import { defaultDataDir, prepareDataDir } from './platform/data-dir.ts';

const args = process.argv.slice(2);
const load = createRequire(join(import.meta.dirname, 'service.cjs'));
const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } }, strict: false });
if (!args.includes('--help') && !args.includes('--version')) cacheIn(values['data-dir']);
// `mcp` makes this a program that passes the messages of an agent to the service.
if (args[0] === 'mcp') load('./mcp-stdio.cjs');
else {
  startThreads();
  void begin(args, process.env).then((ahead) =>
    (load('./service-program.cjs') as typeof import('./main.ts')).run(ahead),
  );
}

/** Starts the process's threads, whose number Windows takes only from the environment that a process is started with. */
function startThreads(): void {
  process.env[threadsVariable] ??= serviceThreads;
  // They start with the first work for them.
  access('.', () => undefined);
  // Browsers and snippets have their own.
  if (process.env[threadsVariable] === serviceThreads) delete process.env[threadsVariable];
}

/** Keeps compiled code in the data directory, which only its owner can write to. Its problems are reported by the service. */
function cacheIn(dataDir: unknown): void {
  try {
    const folder = typeof dataDir === 'string' ? dataDir : defaultDataDir();
    prepareDataDir(folder);
    enableCompileCache(join(folder, 'compile-cache'));
  } catch {
    return;
  }
}
