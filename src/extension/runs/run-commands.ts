import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { inBackground, registerCommand, setContextKey, UserError } from '../ui/commands.ts';
import { say } from '../ui/dialogs.ts';
import { commands, runnableLanguages } from '../ui/ids.ts';
import { readSetting } from '../ui/settings.ts';
import { label } from '../ui/text/text.ts';
import { registerCellCommands } from './cell-commands.ts';
import type { RunFiles } from './editor/cell-context.ts';
import type { EditorMarks } from './editor/editor-marks.ts';
import { type Snippet, type SourceFile, selectionOrCell, wholeFile } from './editor/snippet.ts';
import type { ResultsView } from './results/results-view.ts';
import type { RunRequest } from './run-request.ts';
import type { Run } from './run-store.ts';
import type { Runs } from './runs.ts';

interface Dependencies extends Pick<FeatureParts, 'connection' | 'log'> {
  runs: Runs;
  marks: EditorMarks;
  results: ResultsView;
  currentSessionId(): string | undefined;
  /** The files that were run. */
  files: RunFiles;
}

/** The value that a run command returns to its caller. */
export type RunSummary = Pick<
  Run,
  'id' | 'sessionId' | 'state' | 'result' | 'stdout' | 'stderr' | 'error' | 'durationMs'
>;

export function registerRunCommands(dependencies: Dependencies): vscode.Disposable {
  const { runs, log, results } = dependencies;
  const showState = () => {
    setContextKey('running', runs.store.running.length > 0);
    setContextKey('hasRuns', runs.store.runs.length > 0);
  };
  // The history may have been restored already.
  showState();
  const runAgain = (runId: string) => {
    const request = runs.requestOf(runId);
    if (request && vscode.workspace.isTrusted) inBackground('Run again', start(dependencies, request), log);
  };
  return vscode.Disposable.from(
    registerCommand(commands.runFile, log, async (target?: unknown) => {
      const document = await documentFor(target);
      return await runSnippet(dependencies, document, wholeFile(sourceOf(document)));
    }),
    registerCommand(commands.runFileWithLanguage, log, async (target?: unknown) => {
      const document = await documentFor(target);
      const languageId = await askLanguage(document.languageId);
      return languageId && (await runSnippet(dependencies, document, wholeFile(sourceOf(document)), languageId));
    }),
    registerCommand(commands.runSelectionOrCell, log, async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) throw noEditor();
      const { document, selection } = editor;
      return await runSnippet(dependencies, document, selectionOrCell(sourceOf(document), selection));
    }),
    registerCellCommands({
      run: (document, snippet) => runSnippet(dependencies, document, snippet),
      sourceOf,
      files: dependencies.files,
      log,
    }),
    registerCommand(commands.stopRun, log, () => stopRun(dependencies)),
    registerCommand(commands.resetRepl, log, () => resetRepl(dependencies)),
    registerCommand(commands.clearRunResults, log, () => runs.store.clear()),
    runs.store.onChange.on(showState),
    results.onRunAgain.on(runAgain),
    runs.onRunAgain.on(runAgain),
    results.onStop.on((runId) => runs.stop(runId)),
  );
}

async function runSnippet(
  dependencies: Dependencies,
  document: vscode.TextDocument,
  snippet: Snippet,
  languageId: string = document.languageId,
): Promise<RunSummary> {
  if (!isRunnable(languageId)) {
    throw new UserError(
      l10n.t(
        "Can't run a file of type {0}. JavaScript, TypeScript, Python and shell files can be run.",
        label(languageId),
      ),
      [{ title: l10n.t('Run File with Language…'), command: commands.runFileWithLanguage }],
    );
  }
  const language = runnableLanguages[languageId];
  const timeout = readSetting('runTimeout', document.uri);
  return await start(dependencies, { snippet, languageId, language, timeout, document: document.uri.toString() });
}

async function start({ runs, marks, results }: Dependencies, request: RunRequest): Promise<RunSummary> {
  const reveal = readSetting('revealRunResults');
  const { run, position } = await runs.run(request, (runId) => {
    marks.start(runId, request);
    if (reveal === 'always') void results.reveal();
  });
  marks.finish(run, position);
  if (reveal === 'onError' && run.state === 'failed') void results.reveal();
  const { id, sessionId, state, result, stdout, stderr, error, durationMs } = run;
  return { id, sessionId, state, result, stdout, stderr, error, durationMs };
}

/** Stops the runs of the active document, else of the current session, else the newest run. */
function stopRun({ runs, currentSessionId }: Dependencies): void {
  const { running } = runs.store;
  const document = vscode.window.activeTextEditor?.document.uri.toString();
  const sessionId = currentSessionId();
  const ofDocument = running.filter((run) => run.document === document);
  const ofSession = running.filter((run) => run.sessionId === sessionId);
  const chosen = [ofDocument, ofSession, running.slice(0, 1)].find((found) => found.length > 0);
  if (!chosen) throw new UserError(l10n.t('Nothing is running.'));
  for (const run of chosen) runs.stop(run.id);
}

async function resetRepl({ connection, currentSessionId, log }: Dependencies): Promise<void> {
  const sessionId = currentSessionId();
  if (!sessionId) throw new UserError(l10n.t('No session is open, so there is no REPL to reset.'));
  const why = l10n.t('Only the embedded service can reset a REPL. Create a new session instead.');
  const { embedded } = await connection.embedded(why);
  const languageId = vscode.window.activeTextEditor?.document.languageId ?? '';
  const language = isRunnable(languageId) ? runnableLanguages[languageId] : 'node';
  await embedded.resetRepl({ params: { sessionId }, body: { language } });
  log.info(`The ${language} REPL of session ${sessionId.slice(0, 8)} was reset.`);
  say(l10n.t('$(check) REPL reset. The browser and its pages stay open.'));
}

async function documentFor(target: unknown): Promise<vscode.TextDocument> {
  if (target instanceof vscode.Uri) return await vscode.workspace.openTextDocument(target);
  const document = vscode.window.activeTextEditor?.document;
  if (!document) throw noEditor();
  return document;
}

function noEditor(): UserError {
  return new UserError(l10n.t('No editor is open. Open a file to run it.'));
}

function isRunnable(languageId: string): languageId is keyof typeof runnableLanguages {
  return Object.hasOwn(runnableLanguages, languageId);
}

function sourceOf(document: vscode.TextDocument): SourceFile {
  const name = document.uri.path.split('/').at(-1) || 'untitled';
  return { name, text: document.getText() };
}

type RunnableId = keyof typeof runnableLanguages;

const offered: Record<RunnableId, { label: string; description: string }> = {
  javascript: { label: 'JavaScript', description: l10n.t('Node.js, with page, context and browser') },
  typescript: { label: 'TypeScript', description: l10n.t('Node.js, with types stripped') },
  python: { label: 'Python', description: l10n.t('async, with page, context and browser') },
  shellscript: { label: l10n.t('Shell'), description: l10n.t('bash, with agent-browser') },
};

/** Asks which language to run a file as. The language that VS Code detected comes first. */
async function askLanguage(current: string): Promise<RunnableId | undefined> {
  const ids = Object.keys(offered) as RunnableId[];
  const sorted = [...ids.filter((id) => id === current), ...ids.filter((id) => id !== current)];
  const picked = await vscode.window.showQuickPick(
    sorted.map((id) => ({ ...offered[id], id })),
    { title: l10n.t('Run File with Language'), placeHolder: l10n.t('Select the language to run this file as') },
  );
  return picked?.id;
}
