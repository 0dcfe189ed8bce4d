// The entry of the service: enables the compile cache before anything large is loaded, so that the service starts faster
// from its second start on.
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultDataDir, prepareDataDir } from './data-dir.ts';

/** `mcp` makes this a program that passes the messages of an agent to the service. */
const isForAgent = process.argv[2] === 'mcp';
const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } }, strict: false });
if (!process.argv.includes('--help') && !process.argv.includes('--version')) cacheIn(values['data-dir']);
createRequire(join(import.meta.dirname, 'service.cjs'))(isForAgent ? './mcp-stdio.cjs' : './service-program.cjs');

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
