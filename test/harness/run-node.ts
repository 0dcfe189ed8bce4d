// Runs a suite's mocha tests in this Node process: the files of the options, or those that the parent process gives it.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { sum } from '../../scripts/lib/summary.mjs';
import { type Counts, runMocha } from './run-mocha.ts';
import { readTestOptions } from './test-options.ts';

/** Milliseconds for timers and sockets to finish after the last test. */
const REST = 3000;

const options = readTestOptions();
const all: Counts[] = [];
for await (const files of options.files ? [options.files] : givenFiles())
  all.push(await runMocha(files, options, (line) => console.log(line)));
const counts = sum(all);
// Written at the end: a run that crashed leaves no counts.
writeFileSync(options.countsFile, JSON.stringify(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;

setTimeout(() => {
  const open = process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe)Wrap$/.test(name));
  const failure = `the tests left something open: ${open.join(', ') || 'unknown'}`;
  writeFileSync(
    options.countsFile,
    JSON.stringify({ ...counts, failed: counts.failed + 1, failures: [...counts.failures, failure] }),
  );
  console.error(`\n  ${failure}`);
  process.exit(1);
}, REST).unref();

/** Asks the parent process for one file after another: other processes of the suite take the rest. */
async function* givenFiles(): AsyncGenerator<[file: string]> {
  for (;;) {
    process.send?.('next');
    const [{ file }] = await once(process, 'message');
    if (file === undefined) break;
    yield [file];
  }
  process.disconnect();
}
