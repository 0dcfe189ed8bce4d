import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../harness/folders.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { call, spawnService } from '../harness/service.ts';
import { startWorkbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';
import { median, printTarget, printTimes } from './figures.ts';

const lines = 20_000;
const code = `for (let line = 1; line <= ${lines}; line++) console.log('line ' + line);`;
const rounds = 5;
/** Milliseconds for a run in the workbench. */
const patience = 120_000;

/**
 * 20,000 lines of `console.log` until the last is drawn in Run Results, over an empty run in the same workbench; beside plain
 * `node`, and the API without an editor.
 */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  try {
    writeFileSync(join(folder, 'empty.js'), '0;\n');
    writeFileSync(join(folder, 'lines.js'), `${code}\n`);
    const times = {
      node: await repeat(() => runNode(join(folder, 'lines.js'))),
      ...(await throughApi(join(folder, 'data'))),
      ...(await inWorkbench(folder)),
    };
    printTimes(times);
    const over = median(times['workbench: lines']) - median(times['workbench: empty run']);
    printTarget(`ms for ${lines} lines over an empty run in the workbench`, over, 'at most 1000', over <= 1000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function repeat(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

function runNode(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const node = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    node.stdout.resume();
    node.once('close', (exitCode) => (exitCode === 0 ? resolve() : reject(new Error(`node exited with ${exitCode}`))));
  });
}

async function throughApi(dataDirectory: string): Promise<Record<'API: empty run' | 'API: lines', number[]>> {
  const { child, line, exited } = await spawnService(['--data-dir', dataDirectory]);
  const ask = <Body>(path: string, body: object) =>
    call<Body>(line.baseUrl, line.apiKey ?? '', 'POST', path, body).then((answer) => answer.body);
  try {
    const { id } = await ask<{ id: string }>('/v2/browser', {});
    const execute = (text: string) => ask<{ stdout: string }>(`/v2/browser/${id}/execute`, { code: text });
    await execute('0');
    return { 'API: empty run': await repeat(() => execute('0')), 'API: lines': await repeat(() => execute(code)) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function inWorkbench(folder: string): Promise<Record<'workbench: empty run' | 'workbench: lines', number[]>> {
  const workbench = await startWorkbench({ folder, file: join(folder, 'empty.js'), builtInExtensions: null });
  try {
    const { page } = workbench;
    await runCommand(page, 'Web Data: Run File');
    await endedRun(page, patience);
    const empty = await repeat(() => timedRun(page));
    await openFile(page, 'lines.js');
    await timedRun(page);
    const full = await repeat(() => timedRun(page, `line ${lines}\n`));
    return { 'workbench: empty run': empty, 'workbench: lines': full };
  } finally {
    await workbench.close();
  }
}

/** Runs the open file with its key, until the run has ended and the text is drawn. */
async function timedRun(page: Page, drawn = ''): Promise<void> {
  const before = await newestRun(page);
  await page.keyboard.press('ControlOrMeta+Alt+Enter');
  const run = await endedRun(page, patience, before?.runId);
  if (run.state !== 'ok') throw new Error(`The run failed: ${run.error}`);
  if (!(run.stdout ?? '').endsWith(drawn)) throw new Error('Not all lines were drawn.');
}
