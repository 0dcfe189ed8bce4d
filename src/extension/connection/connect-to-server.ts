import * as vscode from 'vscode';
import type { BaseUrlCheck } from '../../client/base-url.ts';
import { noTlsSentence, useHttp } from '../ui/ask-url.ts';
import { UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { readSetting, writeSetting } from '../ui/settings.ts';
import { messageOf } from '../ui/text.ts';
import type { Connection } from './connection.ts';
import { apiKeyVariable } from './keys.ts';

/** What was typed for a server that isn't connected yet. It is there when the inputs open again. */
let kept: { address: string; origin?: string; apiKey?: string } | undefined;

/**
 * Asks for a server's base URL and API key, checks them with one read-only call, and makes the server the target.
 * With an address, only the key is asked for, unless it was already typed.
 */
export async function connectToServer(connection: Connection, address?: unknown): Promise<void> {
  const { checkBaseUrl, checkServer } = await import('./clients.ts');
  const given = typeof address === 'string' ? address : undefined;
  const entered = given ?? (await askAddress(checkBaseUrl));
  if (entered === undefined) return;
  const server = checkBaseUrl(entered);
  if (!server.ok) throw new UserError(server.message);
  kept = { ...kept, address: given ?? entered };
  if (server.clearText && !(await confirmUnencrypted(server.host))) return;
  // A key is sent again only to the host that it was typed for.
  const typed = given !== undefined && kept.origin === server.origin ? kept.apiKey : undefined;
  const apiKey = typed ?? (await askKey(connection, server));
  if (apiKey === undefined) return;
  kept = { address: given ?? entered, origin: httpOrigin(server.origin), apiKey };

  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Web Data: Checking ${server.host}…`, cancellable: true },
    async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      try {
        await checkServer(server.baseUrl, apiKey, abort.signal);
      } catch (error) {
        throw abort.signal.aborted ? error : await withEdit(error, server.baseUrl);
      }
    },
  );
  kept = undefined;
  const isSaved = await connection.keys.keep(server.origin, apiKey);
  await writeSetting('serverBaseUrl', server.baseUrl);
  if (!isSaved) {
    throw new UserError(
      `Connected, but this machine has no working keyring. To keep the key, set ${apiKeyVariable} in the environment of VS Code.`,
    );
  }
}

async function askAddress(check: (text: string) => BaseUrlCheck): Promise<string | undefined> {
  const input = vscode.window.createInputBox();
  input.title = 'Connect to Server (1/2)';
  input.prompt = 'Base URL of the web data server';
  input.placeholder = 'api.example.com';
  input.ignoreFocusOut = true;
  input.value = kept?.address ?? readSetting('serverBaseUrl');
  input.valueSelection = [0, input.value.length];
  const validate = () => {
    const checked = check(input.value);
    input.validationMessage = checked.ok || input.value.trim() === '' ? undefined : checked.message;
    return checked.ok;
  };
  input.onDidChangeValue(validate);
  try {
    return await new Promise<string | undefined>((resolve) => {
      input.onDidAccept(() => validate() && resolve(input.value));
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    kept = input.value.trim() === '' ? undefined : { ...kept, address: input.value };
    input.dispose();
  }
}

async function askKey(connection: Connection, server: { origin: string; host: string }): Promise<string | undefined> {
  const { apiKeyProblem } = await import('./clients.ts');
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
  if (key === undefined) return undefined;
  const apiKey = key.trim() || known;
  const problem = apiKeyProblem(apiKey ?? '');
  if (!apiKey || problem) throw new UserError(problem ?? 'The API key is empty.');
  return apiKey;
}

/** Returns a failure to connect with buttons: to edit the address, and to use http where the server doesn't speak TLS. */
async function withEdit(error: unknown, baseUrl: string): Promise<UserError> {
  const edit = { title: 'Edit URL', command: commands.connectToServer };
  const { httpInstead } = await import('../ui/http-instead.ts');
  const http = await httpInstead(baseUrl);
  if (http === undefined) return new UserError(messageOf(error), [edit]);
  const plain = { title: useHttp(http), command: commands.connectToServer, args: [http] };
  return new UserError(noTlsSentence(baseUrl), [plain, edit]);
}

function httpOrigin(origin: string): string {
  return origin.replace(/^https:/, 'http:');
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
