// Runs the VS Code suite's mocha tests inside the extension host; VS Code calls run().
import { appendFileSync, writeFileSync } from 'node:fs';
import { runMocha } from '../harness/run-mocha.ts';
import { readTestOptions } from '../harness/test-options.ts';

/** Rejects when a test failed: VS Code then ends with an exit code that says so. */
export async function run(): Promise<void> {
  const options = readTestOptions();
  // The host's console carries VS Code's own messages: the report goes to a separate file.
  const print = (line: string) => appendFileSync(options.outputFile, `${line}\n`);
  try {
    const results = await runMocha(options.files ?? [], options, print);
    writeFileSync(options.resultsFile, JSON.stringify(results));
    const failed = results.filter(({ state }) => state === 'failed').length;
    if (failed > 0) throw new Error(`${failed} failed.`);
  } catch (error) {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error));
    throw error;
  }
}
