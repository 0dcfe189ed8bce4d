// Runs the files of a suite with mocha, each in one of several processes, which get this one's variables.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { collectResults, progressReporter, type Result } from '../../scripts/lib/results.mjs';
import { readTestOptions } from './test-options.ts';

const { files = [], root, timeout, grep, jobs, color = false, resultsFile } = readTestOptions();
const require = [join(root, 'test', 'harness', 'root-hooks.ts')];
const mocha = new Mocha({ timeout, grep, jobs, require, reporter: progressReporter(color) });
// Also with one job: a test that ends its process must not end this one.
mocha.parallelMode();
for (const file of files) mocha.addFile(file);
let results: Result[] = [];
await new Promise<unknown>((end) => {
  results = collectResults(mocha.run(end), root);
});
writeFileSync(resultsFile, JSON.stringify(results));
