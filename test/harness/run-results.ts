import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
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
  return await firstRun(page, {});
}

/**
 * The newest run once it has ended. Waits up to `timeout` milliseconds.
 * @param previous the id of an earlier run to ignore
 */
export async function endedRun(page: Page, timeout: number, previous?: string): Promise<ShownRun> {
  for (const end = Date.now() + timeout; Date.now() < end; await sleep(100)) {
    const run = await firstRun(page, { ended: { after: previous } });
    if (run) return run;
  }
  const last = await newestRun(page);
  const shown = last && last.runId !== previous ? `run ${last.runId} is still ${last.state}` : 'no new run is shown';
  const errors = (await errorMessages(page)).join('; ') || 'none';
  throw new Error(`The Run Results view has no finished run after ${timeout} ms: ${shown}. Error messages: ${errors}.`);
}

/** What stands behind the lines of the editor: text that is drawn there and is not in the file. */
export async function shownBehindLines(page: Page): Promise<string> {
  const texts = await page
    .locator('.monaco-editor .view-line span')
    .evaluateAll((spans) => spans.map((span) => getComputedStyle(span, '::after').content));
  return texts.filter((text) => text !== 'none' && text !== 'normal').join('\n');
}

/** Which run is meant: the newest, or the newest once it has ended and isn't the one `after`. */
interface Wanted {
  ended?: { after: string | undefined };
}

async function firstRun(page: Page, wanted: Wanted): Promise<ShownRun | undefined> {
  for (const frame of page.frames()) {
    // A frame may be removed while it is queried.
    const run = await frame.evaluate(readNewestRun, wanted).catch(() => undefined);
    if (run) return run;
  }
  return undefined;
}

/** Runs in a frame. In the view's own frame, it waits for some seconds, because asking again and again would slow the window. */
async function readNewestRun({ ended }: Wanted): Promise<ShownRun | undefined> {
  const newest = () => document.querySelector<HTMLElement>('[data-run-id]');
  const isWanted = () => !ended || (newest()?.dataset.state !== 'running' && newest()?.dataset.runId !== ended.after);
  if (!newest()) return undefined;
  if (!isWanted()) {
    await new Promise((resolve) => {
      new MutationObserver(() => isWanted() && resolve(undefined)).observe(document.body, {
        attributes: true,
        childList: true,
        subtree: true,
      });
      setTimeout(resolve, 3_000);
    });
  }
  const element = newest();
  if (!element || !isWanted()) return undefined;
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
}
