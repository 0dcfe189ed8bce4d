// Runs the VS Code suite inside the extension host of the workbench in .vscode-test.
import { existsSync } from 'node:fs';
import { prepareVsCodeSuite } from './vscode-suite.ts';
import { startWorkbench } from './workbench.ts';

const suite = await prepareVsCodeSuite();
const log: string[] = [];
try {
  suite.startReport();
  const workbench = await startWorkbench({
    folder: suite.folder,
    extensionTestsPath: suite.entry,
    env: suite.env,
    onLog: (line) => {
      // VS Code's own native modules are not built here, and it does without.
      if (!/bindings file|build\/Release/.test(line)) log.push(line);
    },
  });
  try {
    const code = await workbench.testsExit;
    process.exitCode = code;
    // Tests that failed have said so themselves; a host that failed has only its log.
    if (!existsSync(suite.countsFile)) console.error(`\nThe end of VS Code's log:\n${log.slice(-20).join('\n')}`);
  } finally {
    await workbench.close();
  }
} finally {
  suite.end();
}
