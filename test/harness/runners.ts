import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Runner, RunnerOptions, RunOutcome, RunRequest } from '../../src/service/browsers/runners/runner.ts';
import { findStrays } from '../../src/service/platform/system/stray-processes.ts';
import { startChromium, type TestChromium } from './chromium.ts';
import { eventually, patience } from './eventually.ts';
import { temporaryFolder } from './folders.ts';

/** A runner with its own browser, for the tests of one `describe`. */
export interface RunnerFixture {
  readonly runner: Runner;
  readonly chromium: TestChromium;
  readonly options: RunnerOptions;
  run(code: string, more?: Partial<RunRequest>): Promise<RunOutcome>;
  /** Runs code that must not fail and returns its result. */
  result(code: string): Promise<string>;
  /** Processes that belong to the runner. */
  processes(): Promise<number[]>;
}

/** A timeout that is not expected to expire, even on a busy machine. */
export const amply = patience;

/** Registers the hooks that start and stop the browser and the runner of a suite. */
export function useRunner(create: (options: RunnerOptions) => Runner): RunnerFixture {
  let runner: Runner;
  let chromium: TestChromium;
  let options: RunnerOptions;

  before(async () => {
    chromium = await startChromium();
    options = {
      cdpUrl: chromium.cdpUrl,
      directory: temporaryFolder(),
      downloads: temporaryFolder(),
      marker: ['WEBDATA_TEST', randomUUID()],
    };
    runner = create(options);
    await runner.warm();
  });
  after(async () => {
    await runner?.dispose();
    await chromium?.kill();
    for (const folder of options ? [options.directory, options.downloads ?? ''] : []) {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const run = (code: string, more: Partial<RunRequest> = {}) => runner.run({ code, timeoutMs: amply, ...more });
  return {
    get runner() {
      return runner;
    },
    get chromium() {
      return chromium;
    },
    get options() {
      return options;
    },
    run,
    async result(code) {
      const { result, error, stderr } = await run(code);
      if (error !== undefined) throw new Error(`${error}\n${stderr}`);
      return result;
    },
    processes: () => findStrays(...options.marker),
  };
}

/** Resolves when the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(async () => assert.ok(await condition(), `not true: ${condition}`));
}
