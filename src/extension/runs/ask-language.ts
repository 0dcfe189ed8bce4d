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
  typescript: 'node, with types stripped',
  python: 'async, with page, context and browser',
  shellscript: 'bash, with agent-browser',
};

/** Asks which language to run a file as. The language that VS Code detected comes first. */
export async function askLanguage(current: string): Promise<RunnableId | undefined> {
  const ids = Object.keys(names) as RunnableId[];
  const sorted = [...ids.filter((id) => id === current), ...ids.filter((id) => id !== current)];
  const picked = await vscode.window.showQuickPick(
    sorted.map((id) => ({ label: names[id], description: details[id], id })),
    { title: 'Run File with Language', placeHolder: 'Select the language to run this file as' },
  );
  return picked?.id;
}
