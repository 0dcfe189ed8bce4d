import * as vscode from 'vscode';
import type { runnableLanguages } from '../ui/ids.ts';

type RunnableId = keyof typeof runnableLanguages;

const names: Record<RunnableId, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  python: 'Python',
  shellscript: 'Shell',
};
const details: Record<RunnableId, string> = {
  javascript: 'node, with page, context and browser',
  typescript: 'node, its types taken out',
  python: 'async, with page, context and browser',
  shellscript: 'bash, with agent-browser',
};

/** Asks what to run a file as; the language that VS Code takes it for is marked. */
export async function askLanguage(current: string): Promise<RunnableId | undefined> {
  const ids = Object.keys(names) as RunnableId[];
  const sorted = [...ids.filter((id) => id === current), ...ids.filter((id) => id !== current)];
  const picked = await vscode.window.showQuickPick(
    sorted.map((id) => ({ label: names[id], description: details[id], id })),
    { title: 'Run File with Language', placeHolder: 'The language to run it as, whatever its name' },
  );
  return picked?.id;
}
