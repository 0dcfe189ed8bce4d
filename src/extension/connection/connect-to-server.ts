import * as vscode from 'vscode';
import { UserError } from '../ui/commands.ts';
import { readSetting, writeSetting } from '../ui/settings.ts';
import type { Connection } from './connection.ts';
import { apiKeyVariable } from './keys.ts';

/** Asks for a server's base URL and API key, checks them with one read-only call, and makes the server the target. */
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
  if (server.clearText && !(await confirmUnencrypted(server.host))) return;

  const known = (await connection.keys.get(server.origin)) ?? connection.keys.fromEnvironment;
  const key = await vscode.window.showInputBox({
    title: 'Connect to Server (2/2)',
    prompt: `API key for ${server.host}${known ? ' (leave empty to use the saved key or the one in the environment)' : ''}`,
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
    { location: vscode.ProgressLocation.Notification, title: `Web Data: Checking ${server.host}…`, cancellable: true },
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
      `Connected, but this machine has no working keyring. To keep the key, set ${apiKeyVariable} in the environment of VS Code.`,
    );
  }
}

async function confirmUnencrypted(host: string): Promise<boolean> {
  const send = 'Send Unencrypted';
  const chosen = await vscode.window.showWarningMessage(
    `The connection to ${host} isn't encrypted.`,
    {
      modal: true,
      detail: 'Anyone on the network can read the API key and everything you send and receive.',
    },
    send,
  );
  return chosen === send;
}

/** Makes the embedded service the target again. The server's key stays saved. */
export async function useEmbeddedService(): Promise<void> {
  await writeSetting('serverBaseUrl', undefined);
}

/** Deletes the server's key and makes the embedded service the target again. */
export async function signOut(connection: Connection): Promise<void> {
  const { target } = connection;
  if (target.kind !== 'server') throw new UserError('Not connected to a server. The embedded service is in use.');
  await connection.keys.forget(target.origin);
  await useEmbeddedService();
  void vscode.window.showInformationMessage(`Web Data: Deleted the API key for ${target.host}.`);
}
