import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BaseUrlCheck } from '../../../client/base-url.ts';
import { UserError } from '../../ui/commands.ts';
import { confirm } from '../../ui/dialogs.ts';
import { readSetting, writeSetting } from '../../ui/settings.ts';
import type { Connection } from '../connection.ts';
import { apiKeyVariable } from '../keys.ts';
import { askChecked } from './server-inputs.ts';

type Server = Extract<BaseUrlCheck, { ok: true }>;

/** The address that was typed for a server that isn't connected yet. It is there when the inputs open again. */
let keptAddress: string | undefined;

/**
 * Asks for a server's base URL and API key, checks each with the server while it is typed, and makes the server the
 * target. An address that is given is checked like a typed one.
 */
export async function connectToServer(connection: Connection, address?: unknown): Promise<void> {
  if (typeof address === 'string') keptAddress = address;
  for (;;) {
    const server = await askAddress();
    if (!server) return;
    if (server.clearText && !(await confirmUnencrypted(server.host))) return;
    const apiKey = await askKey(connection, server);
    if (apiKey === goBack) continue;
    if (apiKey === undefined) return;
    return await use(connection, server, apiKey);
  }
}

async function use(connection: Connection, server: Server, apiKey: string): Promise<void> {
  keptAddress = undefined;
  const isSaved = await connection.keys.keep(server.origin, apiKey);
  await writeSetting('serverBaseUrl', server.baseUrl);
  connection.onServerConnected.fire();
  if (!isSaved) {
    throw new UserError(
      l10n.t(
        'Connected, but this machine has no working keyring. To keep the key, set {0} in the environment of VS Code.',
        apiKeyVariable,
      ),
    );
  }
}

async function askAddress(): Promise<Server | undefined> {
  const [{ checkBaseUrl }, { serverVerdict }] = await Promise.all([
    import('../clients.ts'),
    import('./server-verdict.ts'),
  ]);
  const outcome = await askChecked({
    title: l10n.t('Connect to Server (1/2)'),
    prompt: l10n.t('Base URL of the web data server'),
    placeholder: 'api.example.com',
    value: keptAddress ?? readSetting('serverBaseUrl'),
    problemOf: (text) => {
      const server = checkBaseUrl(text);
      return server.ok ? undefined : server.message;
    },
    ask: async (text, signal) => {
      const server = checkBaseUrl(text);
      return server.ok ? await serverVerdict(server.baseUrl, signal) : { problem: server.message };
    },
  });
  keptAddress = outcome.typed.trim() === '' ? undefined : outcome.typed;
  if (outcome.kind !== 'text') return undefined;
  const server = checkBaseUrl(outcome.text);
  return server.ok ? server : undefined;
}

const goBack = Symbol('edit the address');

/** Returns the key, `goBack`, or undefined if canceled. */
async function askKey(connection: Connection, server: Server): Promise<string | typeof goBack | undefined> {
  const [{ apiKeyProblem }, { serverVerdict }] = await Promise.all([
    import('../clients.ts'),
    import('./server-verdict.ts'),
  ]);
  const known = (await connection.keys.get(server.origin)) ?? connection.keys.fromEnvironment;
  const outcome = await askChecked({
    title: l10n.t('Connect to Server (2/2)'),
    prompt: known
      ? l10n.t('API key for {0} (leave empty to use the saved key or the one in the environment)', server.host)
      : l10n.t('API key for {0}', server.host),
    password: true,
    canGoBack: true,
    emptyText: known,
    problemOf: (text) => apiKeyProblem(text.trim()),
    ask: (text, signal) => serverVerdict(server.baseUrl, signal, text.trim()),
  });
  if (outcome.kind === 'back') return goBack;
  return outcome.kind === 'text' ? outcome.text.trim() : undefined;
}

async function confirmUnencrypted(host: string): Promise<boolean> {
  return await confirm(
    l10n.t("The connection to {0} isn't encrypted.", host),
    l10n.t('Send Unencrypted'),
    l10n.t('Anyone on the network can read the API key and everything you send and receive.'),
  );
}

/** Makes the embedded service the target again. The server's key stays saved. Returns whether it is: settings of a workspace win. */
export async function useEmbeddedService(connection: Pick<Connection, 'target'>): Promise<boolean> {
  await writeSetting('serverBaseUrl', undefined);
  return connection.target.kind === 'embedded';
}

/** Deletes the server's key and makes the embedded service the target again. */
export async function signOut(connection: Connection): Promise<void> {
  const { target } = connection;
  if (target.kind !== 'server')
    throw new UserError(l10n.t('Not connected to a server. The embedded service is in use.'));
  await connection.keys.forget(target.origin);
  await useEmbeddedService(connection);
  void vscode.window.showInformationMessage(l10n.t('Web Data: Deleted the API key for {0}.', target.host));
}
