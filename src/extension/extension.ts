import * as vscode from 'vscode';
import { registerActivity } from './activity/register.ts';
import { registerInteractCommands } from './agents/interact-commands.ts';
import { registerModelKeyCommand } from './agents/model-key.ts';
import { lendLanguageModel } from './agents/window-model.ts';
import { BrowserSessions } from './browser-sessions/browser-sessions.ts';
import { registerSessionCommands } from './browser-sessions/session-commands.ts';
import { menuSessions, statusSource } from './browser-sessions/session-summaries.ts';
import { SessionsTree } from './browser-sessions/sessions-tree.ts';
import { Connection } from './connection/connection.ts';
import { registerConnectionCommands } from './connection/connection-commands.ts';
import { ApiKeys } from './connection/keys.ts';
import { RunTarget } from './connection/run-target.ts';
import { createStatusBar } from './connection/status-bar.ts';
import { registerCrawls } from './crawls/register.ts';
import { registerDocs } from './docs/register.ts';
import { LiveViews } from './live-view/live-views.ts';
import { createRuns } from './runs/create-runs.ts';
import { EditorMarks } from './runs/editor/editor-marks.ts';
import { promptRequest } from './runs/prompt-request.ts';
import { ResultsView } from './runs/results/results-view.ts';
import { registerRunCommands } from './runs/run-commands.ts';
import { keepHistory } from './runs/run-history.ts';
import { RunStore } from './runs/run-store.ts';
import { targetSessions } from './runs/session/target-sessions.ts';
import { readSetting } from './ui/settings.ts';
import { VirtualDocuments } from './ui/virtual-documents.ts';
import { UsageView } from './usage/usage-view.ts';
import { registerWebhooks } from './webhooks/register-webhooks.ts';

/** Builds the parts. Nothing is started and nothing heavy is loaded before the person does something. */
export function activate(context: vscode.ExtensionContext): void {
  const { extensionUri, subscriptions } = context;
  const add = <Part extends vscode.Disposable>(part: Part): Part => {
    subscriptions.push(part);
    return part;
  };

  const log = add(vscode.window.createOutputChannel('Web Data', { log: true }));
  const documents = add(new VirtualDocuments());
  const keys = new ApiKeys({
    secrets: context.secrets,
    state: context.globalState,
    warn: (text) => log.warn(text),
    environment: process.env,
  });
  const connection = add(new Connection(context, log, keys));
  const sessions = add(new BrowserSessions(connection, log, context.workspaceState));

  const store = new RunStore();
  const hasLiveView = (sessionId: string) => sessions.store.hasLiveView(sessionId);
  const results = add(new ResultsView({ store, documents, extensionUri, log, hasLiveView }));
  const marks = add(new EditorMarks(store, extensionUri));
  const target = new RunTarget();
  const runs = createRuns({ store, sessions: targetSessions(sessions, target), connection, log });
  const currentSessionId = () => target.scrape?.sessionId ?? sessions.store.current?.id;
  add(keepHistory(store, context.workspaceState));
  add(registerRunCommands({ runs, marks, results, connection, currentSessionId, log }));

  const liveViews = add(new LiveViews({ connection, sessions: sessions.store, extensionUri, log }));
  add(registerSessionCommands({ sessions, connection, documents, runs, liveViews, log }));
  add(new SessionsTree(sessions, runs));
  add(registerConnectionCommands({ connection, sessions: () => menuSessions(sessions.store, runs), log }));
  add(createStatusBar(statusSource(sessions.store, connection, runs, target)));

  const prompt = async (text: string) => {
    void results.reveal();
    await runs.run(promptRequest(text, readSetting('promptTimeout')));
  };
  add(registerInteractCommands({ connection, target, prompt, documents, log }));
  add(lendLanguageModel(connection, context.secrets, log));
  add(registerModelKeyCommand(context.secrets, log));

  add(registerCrawls({ connection, documents, state: context.workspaceState, log }));
  add(registerActivity({ connection, documents, state: context.workspaceState, log }));
  add(new UsageView({ connection, extensionUri, log }));

  add(registerWebhooks({ context, connection, documents, log }));
  add(registerDocs({ connection, documents, extensionUri, state: context.workspaceState, log }));

  // Sessions outlive a reload of the window only if it links itself to the service again.
  sessions.policy.request('target');
}
