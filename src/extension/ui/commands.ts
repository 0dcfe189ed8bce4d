import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { shorten } from '../../contract/shorten.ts';
import { commandRows } from './command-table/command-table.ts';
import { type CommandId, commands, contextKeys } from './ids.ts';
import type { Disposable } from './lifecycle.ts';
import { StandIn, takeOver } from './stand-ins/stand-ins.ts';
import { label, messageOf } from './text/text.ts';

/** An error whose message is shown to the user as is, with actions to resolve it. */
export class UserError extends Error {
  override name = 'UserError';
  readonly actions: readonly {
    title: string;
    command: CommandId | 'workbench.action.openSettings' | 'workbench.action.reloadWindow';
    args?: unknown[];
    /** What failed is done again if the command returns true. */
    repeats?: boolean;
  }[];

  /** @param options `cause`: the failure that it tells the user */
  constructor(message: string, actions: UserError['actions'] = [], options?: { cause: unknown }) {
    super(shorten(message, 500), options);
    this.actions = actions;
  }
}

/**
 * Returns a function that loads the features once, however many uses ask for them. A failure is logged and shown; the next
 * use tries again.
 */
export function loadOnce(loadFeatures: () => Promise<void>, log: vscode.LogOutputChannel): () => Promise<void> {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= loadFeatures().catch((error: unknown) => {
      loading = undefined;
      const message = l10n.t("Couldn't load the extension: {0}", messageOf(error));
      const reload = { title: l10n.t('Reload Window'), command: 'workbench.action.reloadWindow' } as const;
      reportFailure('Load', new UserError(message, [reload], { cause: error }), log);
      throw error;
    });
    return loading;
  };
}

/** Registers all commands. The first one that is run loads the features. */
export function standInForCommands(load: () => Promise<void>): Disposable[] {
  return Object.values(commands).flatMap((id) => {
    const standIn = new StandIn<(...args: unknown[]) => unknown>(id, load);
    const run = async (...args: unknown[]) => {
      // `load` has shown why the features are missing.
      const command = await standIn.part().catch(() => undefined);
      return await command?.(...args);
    };
    return [standIn, vscode.commands.registerCommand(id, run)];
  });
}

/** Does what a command is for, in Restricted Mode only if its row says so. Errors are logged and shown once, with their actions. */
export function registerCommand<Arguments extends unknown[]>(
  id: CommandId,
  log: vscode.LogOutputChannel,
  run: (...args: Arguments) => unknown,
): Disposable {
  const handler = async (...args: Arguments): Promise<unknown> => {
    try {
      if (!commandRows.get(id)?.free) requireTrust();
      return await run(...args);
    } catch (error) {
      reportFailure(id, error, log, () => handler(...args));
      return undefined;
    }
  };
  return takeOver(id, handler, () => vscode.commands.registerCommand(id, handler));
}

/**
 * Logs and shows what kept something from being done. A cancellation is no failure.
 * @param again does it again
 */
export function reportFailure(
  what: string,
  error: unknown,
  log: Pick<vscode.LogOutputChannel, 'error'>,
  again?: () => unknown,
): void {
  if (error instanceof vscode.CancellationError) return;
  log.error(`${what}: ${messageOf(error)}`);
  void showError(error, again);
}

/** Lets work go on that nobody waits for, such as that of a message's button. What keeps it from being done is logged and shown. */
export function inBackground(what: string, work: Thenable<unknown>, log: Pick<vscode.LogOutputChannel, 'error'>): void {
  work.then(undefined, (error: unknown) => reportFailure(what, error, log));
}

/**
 * Shows an error with its actions. Resolves when the user has chosen an action or dismissed it.
 * @param again does again what failed, once an action has made that possible
 */
export async function showError(error: unknown, again?: () => unknown): Promise<void> {
  const actions = error instanceof UserError ? error.actions : [];
  const chosen = await vscode.window.showErrorMessage(
    `Web Data: ${label(messageOf(error), 400)}`,
    ...actions.map((action) => action.title),
  );
  const action = actions.find(({ title }) => title === chosen);
  if (!action) return;
  const isReady = await vscode.commands.executeCommand(action.command, ...(action.args ?? []));
  if (action.repeats && isReady === true) await again?.();
}

const lastValues = new Map<string, unknown>();

/** Sets a context key for `when` clauses if it has changed. */
export function setContextKey(name: keyof typeof contextKeys, value: string | boolean | string[] | undefined): void {
  if (lastValues.has(name) && lastValues.get(name) === value) return;
  lastValues.set(name, value);
  void vscode.commands.executeCommand('setContext', contextKeys[name], value);
}

/** Throws a `UserError` in Restricted Mode. Commands can be run even where menus hide them. */
export function requireTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new UserError(
    l10n.t('Nothing runs in Restricted Mode. Trust this workspace to run code in a browser session.'),
  );
}
