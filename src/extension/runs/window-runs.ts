import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { showError, UserError } from '../ui/commands.ts';
import { messageOf } from '../ui/text.ts';
import type { RunSession, SessionSource } from './run-session.ts';
import type { RunStore } from './run-store.ts';
import { Runs } from './runs.ts';

/** The runs of this window, on its connection and in its sessions. */
export function createRuns(parts: {
  store: RunStore;
  sessions: SessionSource;
  connection: Connection;
  log: vscode.LogOutputChannel;
}): Runs {
  const { store, sessions, connection, log } = parts;
  connection.onRunEvent.on((event) => store.apply(event));
  const told = new Set<string>();
  return new Runs({
    store,
    sessions,
    access: () => connection.access(),
    onReplaced: (ended: RunSession, fresh: RunSession) => {
      log.info(`Session ${ended.shortId} had ended; ${fresh.shortId} took its place.`);
      if (told.has(ended.id)) return;
      told.add(ended.id);
      void vscode.window.showInformationMessage(
        `Web Data: session ${ended.shortId} had ended. The code ran in a new one, ${fresh.shortId}.`,
      );
    },
    onFailure: (error) => {
      log.error(`Run: ${messageOf(error)}`);
      // Told in the editor and in Run Results; a notification only where it has something to press.
      if (error instanceof UserError && error.actions.length > 0) void showError(error);
    },
    now: Date.now,
    monotonic: () => performance.now(),
  });
}
