import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Page } from 'playwright-core';
import { errorMessages } from './workbench-actions.ts';

/** A run as the Run Results view shows it; a part that is not shown is undefined. */
export interface ShownRun {
  runId: string;
  sessionId: string;
  state: string;
  result?: string;
  stdout?: string;
  stderr?: string;
  error?: string;
}

/** The newest run on screen, or undefined when the view is not there or shows none. */
export async function newestRun(page: Page): Promise<ShownRun | undefined> {
  for (const frame of page.frames()) {
    // A frame may be removed while it is queried.
    const run = await readNewestRun(frame).catch(() => undefined);
    if (run) return run;
  }
  return undefined;
}

/**
 * The newest run once it has ended. Waits up to `timeout` milliseconds.
 * @param previous the id of an earlier run to ignore
 */
export async function endedRun(page: Page, timeout: number, previous?: string): Promise<ShownRun> {
  let last: ShownRun | undefined;
  for (const end = Date.now() + timeout; Date.now() < end; await sleep(50)) {
    last = await newestRun(page);
    if (last && last.runId !== previous && last.state !== 'running') return last;
  }
  const shown = last && last.runId !== previous ? `run ${last.runId} is still ${last.state}` : 'no new run is shown';
  const errors = (await errorMessages(page)).join('; ') || 'none';
  throw new Error(`The Run Results view has no finished run after ${timeout} ms: ${shown}. Error messages: ${errors}.`);
}

function readNewestRun(frame: Frame): Promise<ShownRun | undefined> {
  return frame.evaluate(() => {
    const element = document.querySelector<HTMLElement>('[data-run-id]');
    if (!element) return undefined;
    const part = (name: string) => element.querySelector(`[data-part="${name}"]`)?.textContent ?? undefined;
    return {
      runId: element.dataset.runId ?? '',
      sessionId: element.dataset.sessionId ?? '',
      state: element.dataset.state ?? '',
      result: part('result'),
      stdout: part('stdout'),
      stderr: part('stderr'),
      error: part('error'),
    };
  });
}
