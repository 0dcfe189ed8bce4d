import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CutPart } from '../contract/sessions/execution.ts';
import { registerActivity } from './activity/activity.ts';
import { registerAgentSessions } from './agent-sessions/agent-sessions.ts';
import { registerInteractCommands } from './agents/interact-commands.ts';
import { registerAgentJobs } from './agents/jobs/agent-jobs.ts';
import { registerLanguageModel } from './agents/language-model/language-model.ts';
import { registerMcp } from './agents/mcp/mcp.ts';
import {
  BrowserSessions,
  menuSessions,
  registerSessionCommands,
  SessionsTree,
  showStatus,
} from './browser-sessions/browser-sessions.ts';
import { sessionTitle } from './browser-sessions/session-texts.ts';
import { registerChatTools } from './chat-tools/chat-tools.ts';
import { AgentSessions } from './connection/agent-sessions.ts';
import { Connection } from './connection/connection.ts';
import { registerConnectionCommands } from './connection/connection-commands.ts';
import { ApiKeys } from './connection/keys.ts';
import { RunTarget } from './connection/run-target.ts';
import type { StatusBar } from './connection/status-bar/status-bar.ts';
import { type Crawls, registerCrawls } from './crawls/crawls.ts';
import type { DraftFiles } from './crawls/draft/draft-files.ts';
import { registerDocsChat } from './docs-chat/docs-chat.ts';
import { registerFirstSteps } from './first-steps/first-steps.ts';
import { LiveViews } from './live-view/live-view.ts';
import { Pages } from './pages/pages.ts';
import { registerParse } from './parse/parse.ts';
import { listAgentRuns, runForChat } from './runs/agent-runs.ts';
import { createRuns } from './runs/create-runs.ts';
import { EditorMarks } from './runs/editor/editor-marks.ts';
import { createLongParts } from './runs/long-parts.ts';
import { nameRuns } from './runs/name-runs.ts';
import { ResultsView } from './runs/results/results-view.ts';
import { registerRunCommands } from './runs/run-commands.ts';
import { keepHistory } from './runs/run-history.ts';
import { serverTimeout } from './runs/run-limit.ts';
import { promptRequest } from './runs/run-request.ts';
import { RunStore } from './runs/run-store.ts';
import { targetSessions } from './runs/session/target-sessions.ts';
import { createWarmUp } from './runs/warm-up.ts';
import { registerSearch } from './search/search.ts';
import { registerRunTypes } from './types/python/python.ts';
import type { SnippetTypes } from './types/types.ts';
import { UserError } from './ui/commands.ts';
import { JobEndings } from './ui/job-endings.ts';
import { Disposables } from './ui/lifecycle.ts';
import { readSetting, replaceOldSetting } from './ui/settings.ts';
import { requireParts } from './ui/stand-ins/stand-ins.ts';
import { setDateLocale } from './ui/text/dates.ts';
import { messageOf } from './ui/text/text.ts';
import type { VirtualDocuments } from './ui/virtual-documents/virtual-documents.ts';
import { registerUsage } from './usage/usage.ts';
import { registerWatches } from './watches/watches.ts';
import { registerWebhooks } from './webhooks/webhooks.ts';

/** What activation has already created. */
interface Parts {
  context: vscode.ExtensionContext;
  documents: VirtualDocuments;
  drafts: DraftFiles;
  types: SnippetTypes;
  statusBar: StatusBar;
  log: vscode.LogOutputChannel;
}

export interface Features extends vscode.Disposable {
  pages: Pages;
}

/**
 * Creates the features, which take over from their stand-ins. Starts nothing until the user does something.
 * @throws if one can't be created, after disposing of the others
 */
export function createFeatures(parts: Parts): Features {
  const disposables = new Disposables();
  try {
    const pages = create(parts, disposables);
    requireParts();
    return { pages, dispose: () => disposables.dispose() };
  } catch (error) {
    disposables.dispose();
    throw error;
  }
}

function create(
  { context, documents, drafts, types, statusBar, log }: Parts,
  disposables: Disposables,
): Features['pages'] {
  const { extensionUri, secrets } = context;
  const add = disposables.add.bind(disposables);

  setDateLocale(vscode.env.language);
  void replaceOldSetting().catch((error: unknown) => log.warn(messageOf(error)));
  const keys = new ApiKeys({
    secrets,
    state: context.globalState,
    warn: (text) => log.warn(text),
    environment: process.env,
  });
  const milestones = add(registerFirstSteps(context, log));
  const connection = add(new Connection(context, log, keys));
  const shared = { connection, documents, log };
  const sessions = add(new BrowserSessions(connection, log, context.workspaceState));
  const agentSessions = add(new AgentSessions(connection, (text) => log.warn(text)));
  add(registerAgentSessions(agentSessions, log));
  add(
    agentSessions.onChange.on(() => {
      if (agentSessions.sessions.length > 0) milestones.reach('sharedBrowser');
    }),
  );

  const store = new RunStore();
  const hasLiveView = (sessionId: string) => sessions.store.hasLiveView(sessionId);
  const readWhole = async (runId: string, part: CutPart) => {
    const embedded = (await connection.existingAccess())?.embedded;
    if (!embedded) throw new UserError(l10n.t('The service that ran this code has stopped. Run the code again.'));
    const options = { timeoutMs: Number.POSITIVE_INFINITY };
    return (await embedded.readWholeResult({ params: { runId }, query: { part } }, options)).result;
  };
  const results = add(new ResultsView({ store, documents, extensionUri, log, hasLiveView, readWhole }));
  const marks = add(new EditorMarks(store));
  const target = new RunTarget();
  let chosen = sessions.store.currentId;
  add(
    sessions.store.onChange.on(() => {
      const { currentId } = sessions.store;
      if (currentId !== chosen) target.follow(currentId);
      chosen = currentId;
    }),
  );
  add(target.onDidChange.on(() => target.scrape && sessions.store.use(target.scrape.sessionId)));
  const runs = createRuns({
    store,
    sessions: targetSessions(sessions, target),
    connection,
    extensionUri,
    log,
  });
  add(
    listAgentRuns({
      runs,
      agents: agentSessions,
      onAgentRun: connection.onAgentRun,
      onServiceStopped: connection.onServiceStopped,
      sessionName: (id) => sessions.store.find(id)?.name,
      async stop(sessionId, language) {
        const { embedded } = await connection.access();
        await embedded?.resetRepl({ params: { sessionId }, body: { language } });
      },
      onFailure: (error) => log.warn(`Could not stop the code of an agent: ${messageOf(error)}`),
      now: Date.now,
    }),
  );
  const readSessions = () => sessions.policy.request('changed');
  add(nameRuns({ runs: store, sessions: sessions.store, read: readSessions, now: Date.now }));
  const currentSessionId = () => sessions.store.current?.id;
  const markCurrent = () => results.setCurrentSession(currentSessionId());
  add(sessions.store.onChange.on(markCurrent));
  add(
    store.onChange.on((change) => {
      if (change.kind === 'changed' && change.run.state === 'ok') milestones.reach('ranSnippet');
    }),
  );
  const folder = context.storageUri && vscode.Uri.joinPath(context.storageUri, 'runs').fsPath;
  const longParts = folder === undefined ? undefined : createLongParts(folder, (text) => log.warn(text));
  const history = add(keepHistory(store, context.workspaceState, longParts));
  add(results.onShown.on(() => void history.readLong()));
  void runs.resume();
  const warmUp = createWarmUp({
    hasRuns: () => store.runs.length > 0,
    send: () => connection.sendToService({ type: 'warm' }),
    monotonic: () => performance.now(),
  });
  add(vscode.window.onDidChangeActiveTextEditor((editor) => warmUp(editor?.document.languageId)));
  add(registerRunCommands({ runs, marks, results, connection, currentSessionId, files: types.files, log }));
  const serviceFolder = () => connection.dataDirectory;
  add(registerRunTypes({ runs: store, files: types.files, storage: context.globalStorageUri, serviceFolder, log }));

  const liveViews = add(
    new LiveViews({
      ...shared,
      sessions: sessions.store,
      agents: agentSessions,
      state: context.globalState,
      onWatched: () => milestones.reach('watchedSession'),
      onEnded: (sessionId) => sessions.ended(sessionId),
      extensionUri,
    }),
  );
  add(registerSessionCommands({ ...shared, sessions, runs, liveViews }));
  add(new SessionsTree(sessions, agentSessions, runs));
  add(connection.onServerConnected.on(() => milestones.reach('connectedServer')));
  add(registerConnectionCommands({ connection, sessions: () => menuSessions(sessions.store, runs), log }));
  showStatus(statusBar, sessions.store, connection, runs);

  const prompt = async (text: string) => {
    void results.reveal();
    await runs.run(promptRequest(text, serverTimeout(readSetting('runTimeout'))));
  };
  const program = context.asAbsolutePath('dist/service.cjs');
  const endings = add(new JobEndings());
  add(registerInteractCommands({ ...shared, target, prompt, sessions }));
  add(registerAgentJobs({ connection, endings, log }));
  add(registerLanguageModel(connection, secrets, log));
  add(registerMcp({ ...shared, secrets, program }));

  const webhooks = add(registerWebhooks({ ...shared, context }));
  const webhookUrl = () => webhooks.url();
  const pages = add(new Pages({ ...shared, endings }));
  const onCrawled = () => milestones.reach('crawledSite');
  const watches = add(
    registerWatches({
      ...shared,
      webhookUrl,
      crawl: (id) => crawls.site(id),
      reveal: (row) => crawls.revealWatch(row),
      state: context.globalState,
    }),
  );
  const crawls: Crawls = add(
    registerCrawls({
      ...shared,
      pages: pages.tree,
      watches: watches.rows,
      endings,
      drafts,
      session: () =>
        sessions.store.current && { ...sessions.store.current, title: sessionTitle(sessions.store.current) },
      state: context.workspaceState,
      webhookUrl,
      onCrawled,
    }),
  );
  add(registerParse(shared));
  add(registerSearch(shared));
  add(registerActivity({ ...shared, pages: pages.tree }));
  add(registerUsage({ connection, extensionUri, log }));

  const onAnswered = () => milestones.reach('askedDocs');
  const docs = add(registerDocsChat({ ...shared, extensionUri, state: context.workspaceState, onAnswered }));
  const showRun = () => {
    if (readSetting('revealRunResults') === 'always') void results.reveal();
  };
  add(
    registerChatTools({
      connection,
      runCode: (code, signal) => runForChat(runs, code, signal, showRun),
      crawls,
      answerFromDocs: (question, signal) => docs.answer(question, signal),
    }),
  );

  // Sessions survive a window reload only if the window links to the service again.
  sessions.policy.request('target');
  return pages;
}
