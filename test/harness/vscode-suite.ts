import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import * as esbuild from 'esbuild';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { readTestOptions, TEST_OPTIONS, type TestOptions } from './test-options.ts';

/** What any VS Code needs to run the suite. */
export interface VsCodeSuite {
  entry: string;
  /** A copy of examples/, which tests may change. */
  folder: string;
  env: Record<string, string>;
  resultsFile: string;
  /** Prints the report of the tests while they run. */
  startReport(): void;
  /** Prints the rest of the report and removes the folder. */
  end(): void;
}

/** Bundles the suite into dist-test/vscode and prepares a folder to open. */
export async function prepareVsCodeSuite(): Promise<VsCodeSuite> {
  const options = readTestOptions();
  const files = await bundle(options.files ?? []);
  const folder = mkdtempSync(join(tmpdir(), 'webdata-folder-'));
  cpSync(join(ROOT, 'examples'), folder, { recursive: true });
  const inHost: TestOptions = { ...options, files };
  const report = followFile(options.outputFile);
  return {
    entry: join(ROOT, 'dist-test', 'vscode', 'entry.cjs'),
    folder,
    env: { [TEST_OPTIONS]: JSON.stringify(inHost) },
    resultsFile: options.resultsFile,
    startReport: report.start,
    end() {
      report.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The extension host knows no TypeScript: one CommonJS bundle per test file, with mocha and vscode external. */
async function bundle(files: string[]): Promise<string[]> {
  const outdir = join(ROOT, 'dist-test', 'vscode');
  const source = join(ROOT, 'test', 'vscode');
  rmSync(outdir, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: [join(source, 'entry.ts'), ...files],
    outbase: source,
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  return files.map((file) => join(outdir, relative(source, file).replace(/\.ts$/, '.cjs')));
}

function followFile(file: string) {
  let shown = 0;
  const show = () => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      // Nothing reported yet.
      return;
    }
    process.stdout.write(text.slice(shown));
    shown = text.length;
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      timer = setInterval(show, 200);
    },
    end() {
      clearInterval(timer);
      show();
    },
  };
}
