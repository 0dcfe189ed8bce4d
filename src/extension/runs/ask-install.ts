import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../client/client.ts';
import type { Place } from '../../contract/embedded.ts';
import { confirm } from '../ui/dialogs.ts';
import type { RunRequest } from './run-request.ts';

type Service = Pick<EmbeddedClient, 'readMissingTool'>;

/** What the first run in a language installs. The sizes are those on Linux. */
const tools = {
  python: () => ({ name: l10n.t('Playwright for Python'), download: 53, disk: 168, source: 'pip' }),
  bash: () => ({ name: 'agent-browser', download: 55, disk: 121, source: 'npm' }),
};

/**
 * Returns a function that says whether a run may start: nothing has to be installed, or the user allowed it. It asks before
 * a run makes the embedded service install a tool. A permission holds for the window.
 */
export function installPermits() {
  /** What each service has, by language and interpreter. */
  const complete = new WeakMap<Service, Set<string>>();
  /** Answers by folder; also those that are still awaited. */
  const answers = new Map<string, Promise<boolean>>();

  async function askOnce(language: keyof typeof tools, folder: string): Promise<boolean> {
    const asked = answers.get(folder) ?? ask(language, folder);
    answers.set(folder, asked);
    const allowed = await asked.catch(() => false);
    if (!allowed) answers.delete(folder);
    return allowed;
  }

  return async function mayRun(
    { language, isPrompt }: Pick<RunRequest, 'language' | 'isPrompt'>,
    service: Service,
    place: () => Promise<Pick<Place, 'python'> | undefined>,
  ): Promise<boolean> {
    if (language === 'node' || isPrompt) return true;
    const python = language === 'python' ? (await place())?.python : undefined;
    const key = `${language} ${python ?? ''}`;
    const had = complete.get(service) ?? new Set();
    complete.set(service, had);
    if (had.has(key)) return true;
    // If the service can't say, the run does.
    const answer = await service
      .readMissingTool({ query: { language, ...(python !== undefined && { python }) } })
      .catch(() => undefined);
    if (answer?.folder === null) had.add(key);
    return !answer?.folder || (await askOnce(language, answer.folder));
  };
}

async function ask(language: keyof typeof tools, folder: string): Promise<boolean> {
  const { name, download, disk, source } = tools[language]();
  const detail = l10n.t(
    'The service gets it with {0}: about {1} MB to download, {2} MB on disk. It is installed once, into {3}.',
    source,
    download,
    disk,
    folder,
  );
  const question = l10n.t('Install {0} to run this code?', name);
  return await confirm(question, l10n.t('Install'), detail, vscode.window.showInformationMessage);
}
