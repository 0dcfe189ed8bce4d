import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { runnableLanguages } from '../ui/ids.ts';

type RunnableId = keyof typeof runnableLanguages;

const names: Record<RunnableId, string> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  python: 'Python',
  shellscript: l10n.t('Shell'),
};
const details: Record<RunnableId, string> = {
  javascript: l10n.t('Node.js, with page, context and browser'),
  typescript: l10n.t('Node.js, with types stripped'),
  python: l10n.t('async, with page, context and browser'),
  shellscript: l10n.t('bash, with agent-browser'),
};

/** Asks which language to run a file as. The language that VS Code detected comes first. */
export async function askLanguage(current: string): Promise<RunnableId | undefined> {
  const ids = Object.keys(names) as RunnableId[];
  const sorted = [...ids.filter((id) => id === current), ...ids.filter((id) => id !== current)];
  const picked = await vscode.window.showQuickPick(
    sorted.map((id) => ({ label: names[id], description: details[id], id })),
    { title: l10n.t('Run File with Language'), placeHolder: l10n.t('Select the language to run this file as') },
  );
  return picked?.id;
}
