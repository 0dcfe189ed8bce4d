// Runs the VS Code suite in a desktop VS Code: the one at VSCODE_PATH, else one downloaded into .vscode-test, whose version is
// VSCODE_VERSION: "stable" (default), "insiders", "oldest" (the one in package.json's engines) or a number.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import manifest from '../../package.json' with { type: 'json' };
import { ROOT, VSCODE_TEST_DIR } from '../../scripts/lib/repository.mjs';
import { prepareVsCodeSuite } from './vscode-suite.ts';

const { VSCODE_VERSION: wanted = 'stable' } = process.env;
const suite = await prepareVsCodeSuite();
const profile = mkdtempSync(join(tmpdir(), 'webdata-profile-'));
const isRoot = process.getuid?.() === 0;
try {
  suite.startReport();
  process.exitCode = await runTests({
    vscodeExecutablePath: process.env.VSCODE_PATH,
    version: wanted === 'oldest' ? manifest.engines.vscode.replace('^', '') : wanted,
    cachePath: VSCODE_TEST_DIR,
    extensionDevelopmentPath: ROOT,
    extensionTestsPath: suite.entry,
    extensionTestsEnv: suite.env,
    launchArgs: [
      suite.folder,
      '--disable-workspace-trust',
      '--disable-extensions',
      `--user-data-dir=${join(profile, 'data')}`,
      `--extensions-dir=${join(profile, 'extensions')}`,
      ...(isRoot ? ['--no-sandbox'] : []),
    ],
  });
} catch (error) {
  const what = error instanceof Error ? error.message : String(error);
  console.error(`${what}\nIf VS Code cannot be downloaded, set VSCODE_PATH to the executable of an installed one.`);
  process.exitCode = 1;
} finally {
  suite.end();
  rmSync(profile, { recursive: true, force: true });
}
