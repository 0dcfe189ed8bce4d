import * as vscode from 'vscode';
import { UserError } from '../ui/commands.ts';
import { readSetting, writeSetting } from '../ui/settings.ts';
import type { Connection } from './connection.ts';
import { apiKeyVariable } from './keys.ts';

/** Asks for the address and the key of a server, checks them with one harmless call, then makes it the target. */
export async function connectToServer(connection: Connection): Promise<void> {
  const { checkBaseUrl, apiKeyProblem, checkServer } = await import('./clients.ts');
  const entered = await vscode.window.showInputBox({
    title: 'Connect to Server (1/2)',
    prompt: 'Base URL of the web data server',
    placeHolder: 'https://api.example.com',
    value: readSetting('serverBaseUrl'),
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === '') return undefined;
      const checked = checkBaseUrl(text);
      return checked.ok ? undefined : checked.message;
    },
  });
  if (entered === undefined) return;
  const server = checkBaseUrl(entered);
  if (!server.ok) throw new UserError(server.message);
  if (server.clearText && !(await mayTravelInTheClear(server.host))) return;

  const known = (await connection.keys.get(server.origin)) ?? connection.keys.fromEnvironment;
  const key = await vscode.window.showInputBox({
    title: 'Connect to Server (2/2)',
    prompt: `API key for ${server.host}${known ? ' (empty: the one kept for it, or that of the environment)' : ''}`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === '' && known) return undefined;
      return text === '' ? undefined : apiKeyProblem(text.trim());
    },
  });
  if (key === undefined) return;
  const apiKey = key.trim() || known;
  const problem = apiKeyProblem(apiKey ?? '');
  if (!apiKey || problem) throw new UserError(problem ?? 'The API key is empty.');

  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Web Data: checking ${server.host}`, cancellable: true },
    async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      await checkServer(server.baseUrl, apiKey, abort.signal);
    },
  );
  const kept = await connection.keys.keep(server.origin, apiKey);
  await writeSetting('serverBaseUrl', server.baseUrl);
  if (!kept) {
    throw new UserError(
      `Connected, but this machine has no working keyring: set ${apiKeyVariable} in the environment of VS Code to keep the key.`,
    );
  }
}

async function mayTravelInTheClear(host: string): Promise<boolean> {
  const goOn = 'Send the Key in the Clear';
  const chosen = await vscode.window.showWarningMessage(
    `The connection to ${host} is not encrypted.`,
    {
      modal: true,
      detail: 'The API key and everything that runs will travel in the clear: anybody on the way can read it.',
    },
    goOn,
  );
  return chosen === goOn;
}

/** Makes the embedded service the target again; the key of the server stays for the next time. */
export async function useEmbeddedService(): Promise<void> {
  await writeSetting('serverBaseUrl', undefined);
}

/** Deletes the key of the server and goes back to the embedded service. */
export async function signOut(connection: Connection): Promise<void> {
  const { target } = connection;
  if (target.kind !== 'server') throw new UserError('No server is connected: the embedded service is used.');
  await connection.keys.forget(target.origin);
  await useEmbeddedService();
  void vscode.window.showInformationMessage(`Web Data: the key for ${target.host} was deleted.`);
}
