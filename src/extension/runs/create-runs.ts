import { createRequire } from 'node:module';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Language } from '../../contract/sessions/execution.ts';
import type { Connection } from '../connection/connection.ts';
import { showError, UserError } from '../ui/commands.ts';
import { messageOf } from '../ui/text/text.ts';
import { installPermits } from './ask-install.ts';
import { placeOf } from './project/place.ts';
import { findNodeImport, findPythonImport, projectImportError } from './project/project-imports.ts';
import type { RunStore } from './run-store.ts';
import { Runs } from './runs.ts';
import type { RunSession, SessionSource } from './session/target-sessions.ts';

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
  const mayRun = installPermits();
  const announced = new Set<string>();
  return new Runs({
    store,
    sessions,
    access: () => connection.access(),
    existingAccess: () => connection.existingAccess(),
    place: (request) => placeOf(request, log),
    mayInstall: async (request) => {
      const { embedded } = await connection.access();
      return !embedded || (await mayRun(request, embedded, () => placeOf(request, log)));
    },
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
    onFailure: (error, again) => {
      log.error(`Run: ${messageOf(error)}`);
      // The editor and Run Results already show the error; a notification is for errors that offer an action.
      if (error instanceof UserError && error.actions.length > 0) void showError(error, again);
    },
    now: Date.now,
    monotonic: () => performance.now(),
  });
}

type Scanner = Pick<typeof import('./project/import-scanner.ts'), 'scanImports'>;

/**
 * Throws a SnippetError if code imports a file or package of the project, which another server can't read.
 * @param scanner path of the bundled import-scanner.ts
 */
export function checkImports(code: string, language: Language, file: string | undefined, scanner: string): void {
  if (language === 'bash') return;
  const found = language === 'python' ? findPythonImport(code, file) : findNodeImport(scan(code, scanner), file);
  if (found) throw projectImportError(found);
}

function scan(code: string, scanner: string): ReturnType<Scanner['scanImports']> {
  if (!/\b(?:import|require|export)\b/.test(code)) return [];
  const { scanImports } = createRequire(scanner)(scanner) as Scanner;
  return scanImports(code);
}
