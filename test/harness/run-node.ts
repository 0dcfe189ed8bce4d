// Runs a suite's mocha tests in this Node process.
import { writeFileSync } from 'node:fs';
import { runMocha } from './run-mocha.ts';
import { readTestOptions } from './test-options.ts';

/** Milliseconds for timers and sockets to finish after the last test. */
const REST = 3000;

const options = readTestOptions();
const counts = await runMocha(options, (line) => console.log(line));
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
