import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type CommandId, commands, contextKeys } from './ids.ts';
import type { Disposable } from './lifecycle.ts';
import { StandIn, takeOver } from './stand-ins/stand-ins.ts';
import { label, messageOf } from './text/text.ts';

/** An error whose message is shown to the user as is, with actions to resolve it. */
export class UserError extends Error {
  override name = 'UserError';
  readonly actions: readonly {
    title: string;
    command: CommandId | 'workbench.action.openSettings';
    args?: unknown[];
  }[];

  /** @param options `cause`: the failure that it tells the user */
  constructor(message: string, actions: UserError['actions'] = [], options?: { cause: unknown }) {
    super(message, options);
    this.actions = actions;
  }
}

/** Registers all commands. The first one that is run loads the features. */
export function standInForCommands(load: () => Promise<void>): Disposable[] {
  return Object.values(commands).flatMap((id) => {
    const standIn = new StandIn<(...args: unknown[]) => unknown>(id, load);
    return [
      standIn,
      vscode.commands.registerCommand(id, async (...args: unknown[]) => (await standIn.part())(...args)),
    ];
  });
}

/** Does what a command is for. Errors are logged and shown once, with their actions. */
export function registerCommand<Arguments extends unknown[]>(
  id: CommandId,
  log: vscode.LogOutputChannel,
  run: (...args: Arguments) => unknown,
): Disposable {
  const handler = async (...args: Arguments) => {
    try {
      return await run(...args);
    } catch (error) {
      if (error instanceof vscode.CancellationError) return undefined;
      log.error(`${id}: ${messageOf(error)}`);
      void showError(error);
      return undefined;
    }
  };
  return takeOver(id, handler, () => vscode.commands.registerCommand(id, handler));
}

/** Shows an error with its actions. Resolves when the user has chosen an action or dismissed it. */
export async function showError(error: unknown): Promise<void> {
  const actions = error instanceof UserError ? error.actions : [];
  const chosen = await vscode.window.showErrorMessage(
    `Web Data: ${label(messageOf(error), 400)}`,
    ...actions.map((action) => action.title),
  );
  const action = actions.find(({ title }) => title === chosen);
  if (action) await vscode.commands.executeCommand(action.command, ...(action.args ?? []));
}

const lastValues = new Map<string, unknown>();

/** Sets a context key for `when` clauses if it has changed. */
export function setContextKey(name: keyof typeof contextKeys, value: string | boolean | undefined): void {
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
