// Runs Playwright's own page tests over `cdpUrl`, and those that don't pass on the same Chromium without the service, too:
// `node test/clients/playwright/compare.ts FOLDER [FILTER…]`, where FOLDER has the files of Playwright's repository.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findChrome } from '../../../src/service/browsers/chrome/find.ts';
import { driverFlags } from '../../../src/service/browsers/chrome/flags.ts';
import { findProgram } from '../../../src/service/platform/system/find-program.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { spawnService } from '../../harness/service.ts';

/** How often a test that passes only without the service is run again, alone, before it counts as different. */
const repeats = 3;
const workers = 2;
const apiKey = 'page-tests-key-0123456789';

interface Suite {
  title: string;
  file: string;
  suites?: Suite[];
  specs?: { title: string; file: string; line: number; tests: { status: string; results: { status: string }[] }[] }[];
}
/** Statuses of tests by place and title. */
type Results = Map<string, string>;

const [folder = process.env.WEBDATA_PLAYWRIGHT, ...filters] = process.argv.slice(2);
if (folder === undefined || !existsSync(join(folder, 'tests', 'page'))) {
  console.error('Name a folder with the files of the repository microsoft/playwright, which has tests/page.');
  process.exit(1);
}
// Node.js doesn't read TypeScript below node_modules.
const work = temporaryFolder();
try {
  await prepare(resolve(folder), work);
  const more = ['--port', '0', '--api-key', apiKey, '--max-sessions', '10'];
  const service = await spawnService(['--data-dir', join(work, 'data'), ...more]);
  try {
    await compare({ baseUrl: service.line.baseUrl, apiKey });
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

async function compare(service: { baseUrl: string; apiKey: string }): Promise<void> {
  const ours = await run('over cdpUrl', filters, service);
  const others = [...ours].filter(([, status]) => status !== 'passed').map(([test]) => test);
  const raw: Results = others.length > 0 ? await run('without the service', others.map(placeOf)) : new Map();
  const failing = others.filter((test) => raw.get(test) === 'passed');
  let different = failing;
  for (let repeat = 0; repeat < repeats && different.length > 0; repeat++) {
    const again = await run('over cdpUrl, again', different.map(placeOf), service, 1);
    different = different.filter((test) => again.get(test) !== 'passed');
  }
  const alike = others.filter((test) => raw.get(test) !== 'passed');
  const skipped = alike.filter((test) => ours.get(test) === 'skipped' && raw.get(test) === 'skipped');
  console.log(`\nOf ${ours.size} tests:`);
  console.log(`  ${ours.size - others.length} pass over cdpUrl at once,`);
  console.log(`  ${failing.length - different.length} pass over cdpUrl when they run alone,`);
  console.log(`  ${skipped.length} are skipped, and ${alike.length - skipped.length} fail on Chromium itself, too:`);
  for (const test of alike) if (!skipped.includes(test)) console.log(`    ${test}`);
  console.log(`  ${different.length} pass only on Chromium itself${different.length > 0 ? ':' : '.'}`);
  for (const test of different) console.log(`    ${test}`);
  process.exitCode = different.length === 0 ? 0 : 1;
}

/** Puts the tests beside the published packages of their version, as they are compiled only in Playwright's own build. */
async function prepare(from: string, into: string): Promise<void> {
  const { version, devDependencies } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const released = String(version).replace(/-.*/, '');
  const names = ['debug', 'formidable', 'mime', 'ssim.js', 'ws'];
  const helpers = Object.fromEntries(names.map((name) => [name, devDependencies[name]]));
  const dependencies = { '@playwright/test': released, ...helpers };
  writeFileSync(join(into, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const npm = findProgram(['npm']);
  if (npm === undefined) throw new Error('npm is not on PATH');
  const code = await program(npm, ['install', '--ignore-scripts', '--no-package-lock'], into);
  if (code !== 0) {
    const advice =
      'Check out the tag of a release, such as v1.62.1, and make sure that the package registry is reachable.';
    throw new Error(`Failed to install the packages of Playwright ${released}. ${advice}`);
  }
  cpSync(join(from, 'tests'), join(into, 'tests'), { recursive: true });
  mkdirSync(join(into, 'packages'));
  symlinkSync(join(into, 'node_modules', 'playwright-core'), join(into, 'packages', 'playwright-core'), 'junction');
  cpSync(join(import.meta.dirname, 'page-tests.config.cjs'), join(into, 'page-tests.config.cjs'));
}

async function run(
  title: string,
  wanted: string[],
  service?: { baseUrl: string; apiKey: string },
  inParallel = workers,
): Promise<Results> {
  console.log(`\n── page tests ${title} ──`);
  const chrome = findChrome().path;
  if (chrome === undefined) throw new Error('No browser found.');
  const report = join(work, 'report.json');
  rmSync(report, { force: true });
  const flags = driverFlags({ headless: true, sandbox: process.getuid?.() !== 0 });
  const options = ['test', '--config', 'page-tests.config.cjs', `--workers=${inParallel}`, ...wanted];
  await program(process.execPath, [join(work, 'node_modules', '@playwright', 'test', 'cli.js'), ...options], work, {
    WEBDATA_PAGE_TESTS: JSON.stringify({ chrome, flags, service, report }),
    PWTEST_UNDER_TEST: '1',
    // Profiles and what killed browsers leave go with it.
    TMPDIR: work,
    FORCE_COLOR: '0',
  });
  const results: Results = new Map();
  const { suites, errors } = JSON.parse(readFileSync(report, 'utf8')) as {
    suites: Suite[];
    errors: { message: string }[];
  };
  for (const suite of suites) collect(suite, results);
  if (results.size === 0) throw new Error(`No test ran. ${errors[0]?.message}`);
  return results;
}

function collect({ suites = [], specs = [] }: Suite, results: Results): void {
  for (const { title, file, line, tests } of specs) {
    const [test] = tests;
    // Tests that are expected to fail pass if they do.
    const status = test?.status === 'expected' ? 'passed' : (test?.results.at(-1)?.status ?? 'skipped');
    results.set(`${file}:${line} ${title}`, status);
  }
  for (const suite of suites) collect(suite, results);
}

function placeOf(test: string): string {
  return test.slice(0, test.indexOf(' '));
}

async function program(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
  const [code] = await once(child, 'close');
  return code;
}
