// `npm start -- --check`: the main task unattended, in the same VS Code with the same command.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { endedRun, newestRun, type ShownRun } from '../../test/harness/run-results.ts';
import { startWorkbench } from '../../test/harness/workbench.ts';
import { errorMessages, runCommand } from '../../test/harness/workbench-actions.ts';
import { endingSignal } from './cleanup.mjs';
import { ROOT, VSCODE_TEST_DIR } from './repository.mjs';

/** The last line that the check prints. */
export type CheckReport =
  | { ok: true; result: string; stdout: string; sessionId: string; screenshot: string; milliseconds: number }
  | {
      ok: false;
      error: string;
      stdout?: string;
      stderr?: string;
      sessionId?: string;
      screenshot?: string;
      milliseconds?: number;
    };

/** Milliseconds for a run to appear (the service and a browser start first), and to end (the contract allows 300 s). */
const START_TIMEOUT = 90_000;
const END_TIMEOUT = 330_000;

/** Opens the file in the workbench, runs it with the extension's command and reads the result in the Run Results view. */
export async function check(file = join(ROOT, 'examples', 'hello.js')): Promise<CheckReport> {
  const workbench = await startWorkbench({ folder: join(ROOT, 'examples'), file });
  const { page } = workbench;
  let started: number | undefined;
  const elapsed = () => (started === undefined ? undefined : Math.round(performance.now() - started));
  try {
    await page.locator('.tab.active', { hasText: basename(file) }).waitFor({ timeout: 30_000 });
    await runCommand(page, 'Web Data: Run File', 60_000);
    started = performance.now();
    await runStarted(page);
    const run = await endedRun(page, END_TIMEOUT);
    const milliseconds = elapsed() ?? 0;
    return report(run, await screenshot(page, file), milliseconds);
  } catch (error) {
    const signal = endingSignal();
    if (signal) return { ok: false, error: `The check was stopped by ${signal}.` };
    const toasts = await errorMessages(page).catch(() => []);
    const what = [error instanceof Error ? error.message : String(error), ...toasts].join(' ');
    return {
      ok: false,
      error: what,
      screenshot: await screenshot(page, file).catch(() => undefined),
      milliseconds: elapsed(),
    };
  } finally {
    await workbench.close();
  }
}

/** Waits until the run is shown. Throws when an error message is shown instead. */
async function runStarted(page: Page) {
  for (const end = Date.now() + START_TIMEOUT; Date.now() < end; await sleep(100)) {
    if (await newestRun(page)) return;
    if ((await errorMessages(page)).length > 0) throw new Error('The run did not start.');
  }
  throw new Error(`The Run Results view showed no run within ${START_TIMEOUT / 1000} s.`);
}

export function report(run: ShownRun, screenshot: string, milliseconds: number): CheckReport {
  const { result = '', stdout = '', stderr = '', sessionId, state } = run;
  if (state === 'ok' && sessionId) return { ok: true, result, stdout, sessionId, screenshot, milliseconds };
  const error = run.error || (sessionId ? `The run ended with the state "${state}".` : 'The run has no session.');
  return { ok: false, error, stdout, stderr, sessionId, screenshot, milliseconds };
}

async function screenshot(page: Page, file: string): Promise<string> {
  const folder = join(VSCODE_TEST_DIR, 'check');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${basename(file)}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.png`);
  await page.screenshot({ path });
  return path;
}
