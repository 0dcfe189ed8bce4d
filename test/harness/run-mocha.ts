import { writeFileSync } from 'node:fs';
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
 * Runs the files with mocha and writes the counts at the end, so a crashed run leaves no file.
 * @param print called with each line of the report
 */
export async function runMocha(options: TestOptions, print: (line: string) => void): Promise<Counts> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: options.timeout,
    grep: options.grep,
    forbidOnly: options.forbidOnly,
    reporter: 'spec',
  });
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => print(format(...parts));
  for (const file of options.files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const counts = await new Promise<Counts>((resolve) => {
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
  writeFileSync(options.countsFile, JSON.stringify(counts));
  return counts;
}
