import * as l10n from '@vscode/l10n';
import { type CommandId, commands } from '../../ui/ids.ts';
import { failureCode } from '../failures.ts';
import type { Program } from './install-commands.ts';

/** What is missing and how to get it: a button that does it, after which the failed call can be repeated. */
export interface Remedy {
  title: string;
  command: CommandId | 'workbench.action.openSettings';
  args: unknown[];
  /** What happened, in place of the server's message, which is written for callers of the API. */
  message?: string;
  /** The command returns whether it succeeded, so that the call can be repeated at once. */
  repeats?: true;
}

/** For what other servers can't do. */
export const embeddedInstead: Remedy = {
  title: l10n.t('Use Embedded Service'),
  command: commands.useEmbeddedService,
  args: [],
  repeats: true,
};

const installs: Record<string, { title: string; program: Program }> = {
  NO_BROWSER: { title: l10n.t('Install Chrome…'), program: 'chrome' },
  NO_PYTHON: { title: l10n.t('Install Python…'), program: 'python' },
  NO_PYTHON_VENV: { title: l10n.t('Install python3-venv…'), program: 'python-venv' },
  NO_NPM: { title: l10n.t('Install npm…'), program: 'npm' },
};

/** Returns the remedy for a failure of the embedded service; undefined if there is none. */
export function remedyOf(error: unknown): Remedy | undefined {
  const code = failureCode(error);
  const setUp = (title: string, command: CommandId, message: string): Remedy => ({
    title,
    command,
    args: [],
    message,
    repeats: true,
  });
  if (code === 'NO_LANGUAGE_MODEL') {
    const message = l10n.t('This prompt needs a language model, and none is set up.');
    return setUp(l10n.t('Set Up a Language Model…'), commands.setUpLanguageModel, message);
  }
  if (code === 'NO_SEARCH_ENGINE') {
    const message = l10n.t('Searching needs a search engine, and none is set up.');
    return setUp(l10n.t('Set Up Search…'), commands.setUpSearch, message);
  }
  const found = code === undefined || !Object.hasOwn(installs, code) ? undefined : installs[code];
  return found && { title: found.title, command: commands.installProgram, args: [found.program] };
}

const programs: readonly unknown[] = Object.values(installs).map(({ program }) => program);

/** Whether an argument of "Install…" names a program. */
export function isProgram(value: unknown): value is Program {
  return programs.includes(value);
}
