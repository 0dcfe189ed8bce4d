import { format } from 'node:util';
import Mocha from 'mocha';
import type { TestOptions } from './test-options.ts';

/** Counts of a mocha run; `failures` has full titles. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
}

/**
 * Runs the files with mocha.
 * @param print called with each line of the report
 */
export async function runMocha(
  files: readonly string[],
  options: TestOptions,
  print: (line: string) => void,
): Promise<Counts> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: options.timeout,
    grep: options.grep,
    forbidOnly: options.forbidOnly,
    color: options.color,
    reporter: 'spec',
  });
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => print(format(...parts));
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  return await new Promise<Counts>((resolve) => {
    const seen: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
    const runner = mocha.run(() => resolve(seen));
    runner.on('pass', () => seen.passed++);
    runner.on('pending', () => seen.skipped++);
    // A failed hook counts as a failed test: the tests that depend on it did not run.
    runner.on('fail', (test) => {
      seen.failed++;
      seen.failures.push(test.fullTitle());
    });
  });
}
