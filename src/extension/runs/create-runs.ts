import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { showError, UserError } from '../ui/commands.ts';
import { messageOf } from '../ui/text.ts';
import type { RunStore } from './run-store.ts';
import { Runs } from './runs.ts';
import type { RunSession, SessionSource } from './session/session-source.ts';

/** Creates the runs of this window, wired to its connection and sessions. */
export function createRuns(parts: {
  store: RunStore;
  sessions: SessionSource;
  connection: Connection;
  log: vscode.LogOutputChannel;
}): Runs {
  const { store, sessions, connection, log } = parts;
  connection.onRunEvent.on((event) => store.apply(event));
  const announced = new Set<string>();
  return new Runs({
    store,
    sessions,
    access: () => connection.access(),
    onReplaced: (ended: RunSession, replacement: RunSession) => {
      log.info(`Session ${ended.shortId} has ended and was replaced by ${replacement.shortId}.`);
      if (announced.has(ended.id)) return;
      announced.add(ended.id);
      void vscode.window.showInformationMessage(
        `Web Data: Session ${ended.shortId} has ended. Code now runs in the new session ${replacement.shortId}.`,
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
