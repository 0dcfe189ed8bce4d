// `npm start -- --check`: the main job with no person, in the same VS Code with the same command.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { endedRun, newestRun, type ShownRun } from '../../test/harness/run-results.ts';
import { startWorkbench } from '../../test/harness/workbench.ts';
import { errorMessages, runCommand } from '../../test/harness/workbench-actions.ts';
import { endingSignal } from './cleanup.mjs';
import { ROOT, VSCODE_TEST_DIR } from './repository.mjs';

/** What the check prints as its last line. */
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

/** Milliseconds: for a run to show up (the service and a browser start first), and to end (the contract allows 300 s). */
const TO_BEGIN = 90_000;
const TO_END = 330_000;

/** Opens the file in the workbench, runs it with the extension's command and reads what the Run Results view shows. */
export async function check(file = join(ROOT, 'examples', 'hello.js')): Promise<CheckReport> {
  const workbench = await startWorkbench({ folder: join(ROOT, 'examples'), file });
  const { page } = workbench;
  let started: number | undefined;
  const elapsed = () => (started === undefined ? undefined : Math.round(performance.now() - started));
  try {
    await page.locator('.tab.active', { hasText: basename(file) }).waitFor({ timeout: 30_000 });
    await runCommand(page, 'Web Data: Run File', 60_000);
    started = performance.now();
    await begun(page);
    const run = await endedRun(page, TO_END);
    const milliseconds = elapsed() ?? 0;
    return report(run, await screenshot(page, file), milliseconds);
  } catch (error) {
    const signal = endingSignal();
    if (signal) return { ok: false, error: `The check was ended by ${signal}.` };
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

/** Waits until the run is on screen; an error message that comes in its place ends the wait. */
async function begun(page: Page) {
  for (const end = Date.now() + TO_BEGIN; Date.now() < end; await sleep(100)) {
    if (await newestRun(page)) return;
    if ((await errorMessages(page)).length > 0) throw new Error('The run did not begin.');
  }
  throw new Error(`The Run Results view showed no run within ${TO_BEGIN / 1000} s.`);
}

export function report(run: ShownRun, screenshot: string, milliseconds: number): CheckReport {
  const { result = '', stdout = '', stderr = '', sessionId, state } = run;
  if (state === 'ok' && sessionId) return { ok: true, result, stdout, sessionId, screenshot, milliseconds };
  const error = run.error || (sessionId ? `The run ended as "${state}".` : 'The run has no session.');
  return { ok: false, error, stdout, stderr, sessionId, screenshot, milliseconds };
}

async function screenshot(page: Page, file: string): Promise<string> {
  const folder = join(VSCODE_TEST_DIR, 'check');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${basename(file)}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.png`);
  await page.screenshot({ path });
  return path;
}
