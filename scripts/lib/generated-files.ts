import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { ROOT } from './repository.mjs';

/**
 * Writes generated files, or with `--check` on the command line only compares them.
 * Sets the exit code to 1 when one is out of date.
 */
export async function writeOrCheck(files: ReadonlyMap<string, string>, command: string): Promise<void> {
  const check = process.argv.includes('--check');
  for (const [path, content] of files) {
    const name = relative(ROOT, path);
    const current = await readFile(path, 'utf8').catch(() => undefined);
    if (current === content) {
      console.log(`${name} is up to date.`);
    } else if (check) {
      console.error(`${name} is out of date. Run: ${command}`);
      process.exitCode = 1;
    } else {
      await writeFile(path, content);
      console.log(`${name} written.`);
    }
  }
}
