import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { showError, UserError } from '../ui/commands.ts';
import { messageOf } from '../ui/text/text.ts';
import { checkImports } from './project/check-imports.ts';
import { placeOf } from './project/place.ts';
import type { RunStore } from './run-store.ts';
import { Runs } from './runs.ts';
import type { RunSession, SessionSource } from './session/session-source.ts';

/** Creates the runs of this window, wired to its connection and sessions. */
export function createRuns(parts: {
  store: RunStore;
  sessions: SessionSource;
  connection: Connection;
  extensionUri: vscode.Uri;
  log: vscode.LogOutputChannel;
}): Runs {
  const { store, sessions, connection, extensionUri, log } = parts;
  const scanner = vscode.Uri.joinPath(extensionUri, 'dist', 'import-scanner.cjs').fsPath;
  connection.onRunEvent.on((event) => store.apply(event));
  const announced = new Set<string>();
  return new Runs({
    store,
    sessions,
    access: () => connection.access(),
    place: (request) => placeOf(request, log),
    checkImports: ({ language, document }, code) => {
      const uri = document === undefined ? undefined : vscode.Uri.parse(document, true);
      checkImports(code, language, uri?.scheme === 'file' ? uri.fsPath : undefined, scanner);
    },
    onReplaced: (ended: RunSession, replacement: RunSession) => {
      log.info(`Session ${ended.shortId} has ended and was replaced by ${replacement.shortId}.`);
      if (announced.has(ended.id)) return;
      announced.add(ended.id);
      void vscode.window.showInformationMessage(
        l10n.t(
          'Web Data: Session {0} has ended. Code now runs in the new session {1}.',
          ended.shortId,
          replacement.shortId,
        ),
      );
    },
    onFailure: (error) => {
      log.error(`Run: ${messageOf(error)}`);
      // The editor and Run Results already show the error; a notification is for errors that offer an action.
      if (error instanceof UserError && error.actions.length > 0) void showError(error);
    },
    now: Date.now,
    monotonic: () => performance.now(),
  });
}
