// Runs the published clients and writes their calls into docs/clients.md. `node scripts/clients.mjs playwright FOLDER`
// runs Playwright's own page tests instead, from a folder with its repository.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './lib/repository.mjs';
import { runSuite } from './lib/run-suite.mjs';

const [suite, ...args] = process.argv.slice(2);
if (suite === 'playwright') {
  const program = join(ROOT, 'test', 'clients', 'playwright', 'compare.ts');
  process.exitCode = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' }).status ?? 1;
} else if (suite !== undefined) {
  console.error(`clients: unknown suite "${suite}". Expected "playwright FOLDER" or nothing.`);
  process.exitCode = 1;
} else {
  process.env.WEBDATA_CLIENTS_PAGE = 'write';
  const results = await runSuite('clients', { files: [] });
  process.exitCode = results.some(({ state }) => state === 'failed') ? 1 : 0;
}
