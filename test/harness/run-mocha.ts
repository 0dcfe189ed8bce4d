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

/** Counts of a run, and those of each file that has failed tests, by its path. */
export interface RunCounts extends Counts {
  failedFiles: Record<string, Counts>;
}

/**
 * Runs the files with mocha and writes the counts at the end, so a crashed run leaves no file.
 * @param print called with each line of the report
 */
export async function runMocha(options: TestOptions, print: (line: string) => void): Promise<RunCounts> {
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
  const counts = await new Promise<RunCounts>((resolve) => {
    const seen = nothing();
    const files: Record<string, Counts> = {};
    const count = (test: Mocha.Runnable, add: (counts: Counts) => void) => {
      add(seen);
      const file = test.file ?? test.parent?.file ?? '';
      files[file] ??= nothing();
      add(files[file]);
    };
    const runner = mocha.run(() => {
      const failed = Object.entries(files).filter(([, counts]) => counts.failed > 0);
      resolve({ ...seen, failedFiles: Object.fromEntries(failed) });
    });
    runner.on('pass', (test) => count(test, (counts) => counts.passed++));
    runner.on('pending', (test) => count(test, (counts) => counts.skipped++));
    // A failed hook counts as a failed test: the tests that depend on it did not run.
    runner.on('fail', (test) => {
      count(test, (counts) => {
        counts.failed++;
        counts.failures.push(test.fullTitle());
      });
    });
  });
  writeFileSync(options.countsFile, JSON.stringify(counts));
  return counts;
}

function nothing(): Counts {
  return { passed: 0, failed: 0, skipped: 0, failures: [] };
}
