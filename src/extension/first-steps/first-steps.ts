import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { shorten } from '../../contract/shorten.ts';
import { registerCommand, setContextKey } from '../ui/commands.ts';
import { askFolder, offer, openNew } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { type Milestone, Milestones, milestones } from './milestones.ts';

/**
 * When steps are ticked off after a walkthrough was opened, in milliseconds. VS Code doesn't say when it has loaded it, and
 * takes in a key that becomes true only if it has seen it false.
 */
const tickAtMs = [1_000, 3_000, 9_000, 27_000];

/** Registers what a new user starts with: a snippet, the examples and the walkthrough. */
export function registerFirstSteps(
  { extension, extensionUri, globalState }: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
) {
  const done = new Milestones({
    state: globalState,
    tick: (milestone) => setDone(milestone, true),
    onRanSnippet: (ran) => setContextKey('ranSnippet', ran),
  });
  let timers: NodeJS.Timeout[] = [];
  const stopTicking = () => timers.forEach(clearTimeout);
  // VS Code ticks off a step when its key becomes true after the walkthrough is loaded, not if it was true before.
  const reset = () => {
    for (const milestone of milestones) setDone(milestone, false);
  };
  const registered = vscode.Disposable.from(
    registerCommand(commands.newSnippet, log, () => newSnippet(!done.has('ranSnippet'))),
    registerCommand(commands.openExamples, log, () => {
      return openExamples(extensionUri);
    }),
    registerCommand(commands.openWalkthrough, log, async () => {
      stopTicking();
      reset();
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#start`, false);
      timers = tickAtMs.flatMap((ms, index) => [
        ...(index > 0 ? [setTimeout(reset, ms - 500)] : []),
        setTimeout(() => done.tickAll(), ms),
      ]);
    }),
    { dispose: () => stopTicking() },
  );
  return {
    /** Ticks off a step of the walkthrough. */
    reach: (milestone: Milestone): void => done.reach(milestone),
    dispose: (): void => registered.dispose(),
  };
}

function setDone(milestone: Milestone, value: boolean): void {
  void vscode.commands.executeCommand('setContext', `webdata.done.${milestone}`, value);
}

/** Name of the folder that the examples are copied to. */
const folderName = 'web-data-examples';
const firstExample = 'hello.js';

/** Copies the examples into a folder that the user chooses, and opens the first one. */
export async function openExamples(extensionUri: vscode.Uri): Promise<void> {
  const chosen = await askFolder(l10n.t('Choose a Folder for the Examples'), l10n.t('Copy Examples Here'));
  if (!chosen) return;
  const target = await freeFolder(chosen);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'examples'), target);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(target, firstExample));
  if (vscode.workspace.getWorkspaceFolder(target)) return;
  const text = l10n.t('Web Data: The examples are in {0}.', shorten(target.fsPath));
  await offer(text, l10n.t('Open Folder in New Window'), async () => {
    await vscode.commands.executeCommand('vscode.openFolder', target, { forceNewWindow: true });
  });
}

/** Returns a folder that doesn't exist yet: nothing of the user's is overwritten. */
async function freeFolder(parent: vscode.Uri): Promise<vscode.Uri> {
  const names = new Set((await vscode.workspace.fs.readDirectory(parent)).map(([name]) => name));
  let name = folderName;
  for (let number = 2; names.has(name); number++) name = `${folderName}-${number}`;
  return vscode.Uri.joinPath(parent, name);
}

/** A first script: it needs no network, and leaves a page to watch. */
export const snippet = `// First snippet
// Press ▶ at the top right to run this.
// \`page\` is an open tab of your own Chrome.
const shop = \`<!doctype html>
  <title>Tea shop</title>
  <h1>Tea shop</h1>
  <table>
    <tr><td>Assam</td><td>4.20</td></tr>
    <tr><td>Darjeeling</td><td>6.80</td></tr>
    <tr><td>Sencha</td><td>7.50</td></tr>
  </table>\`;

// Or open a site: await page.goto('https://example.com');
await page.goto(\`data:text/html,\${encodeURIComponent(shop)}\`);

const rows = await page.$$eval('tr', (found) =>
  found.map((row) => [...row.cells].map((cell) => cell.innerText)),
);

// The value of the last expression is the result.
// The page and your variables stay for the next run.
rows.map(([tea, price]) => ({ tea, price: Number(price) }));
`;

/** Starts of later scripts, by language. The first line names the tab. */
const starts: Readonly<Record<string, string>> = {
  javascript: `// New snippet\nawait page.goto('https://example.com');\nawait page.title();\n`,
  typescript: `// New snippet\nawait page.goto('https://example.com');\nawait page.title();\n`,
  python: `# New snippet\nawait page.goto('https://example.com')\nawait page.title()\n`,
};

/**
 * Opens an untitled file with a script to run: the first one in JavaScript, and later ones, which are short, in the language
 * of the active editor.
 */
export async function newSnippet(isFirst: boolean): Promise<void> {
  const active = vscode.window.activeTextEditor?.document.languageId ?? '';
  const language = !isFirst && Object.hasOwn(starts, active) ? active : 'javascript';
  await openNew(language, isFirst ? snippet : starts[language]);
}
