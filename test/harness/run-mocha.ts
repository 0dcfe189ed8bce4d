import { join, relative } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { collectResults, progressReporter, type Result } from '../../scripts/lib/results.mjs';
import type { TestOptions } from './test-options.ts';

/**
 * Runs the bundled files of test/vscode with mocha.
 * @param print called with each line of the report
 */
export async function runMocha(
  files: readonly string[],
  options: TestOptions,
  print: (line: string) => void,
): Promise<Result[]> {
  const { timeout, grep, forbidOnly, color = false, root } = options;
  const mocha = new Mocha({ ui: 'bdd', timeout, grep, forbidOnly, reporter: progressReporter(color) });
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => print(format(...parts));
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const bundles = join(root, 'dist-test', 'vscode');
  const sourceOf = (file: string) => join(root, 'test', 'vscode', relative(bundles, file).replace(/\.cjs$/, '.ts'));
  let results: Result[] = [];
  await new Promise<void>((resolve) => {
    results = collectResults(
      mocha.run(() => resolve()),
      root,
      sourceOf,
    );
  });
  return results;
}
