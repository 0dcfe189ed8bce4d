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
      // VS Code runs without its native modules, which are not built here.
      if (!/bindings file|build\/Release/.test(line)) log.push(line);
    },
  });
  try {
    const code = await workbench.testsExit;
    process.exitCode = code;
    // Failed tests are in the report; a failed host has only its log.
    if (!existsSync(suite.resultsFile)) console.error(`\nThe end of VS Code's log:\n${log.slice(-20).join('\n')}`);
  } finally {
    await workbench.close();
  }
} finally {
  suite.end();
}
