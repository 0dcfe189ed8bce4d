import * as vscode from 'vscode';
import { offerMcp } from './agents/mcp/provider.ts';
import { standInForChatTools } from './chat-tools/tool-stand-ins.ts';
import { StatusBar } from './connection/status-bar/status-bar.ts';
import { targetOf } from './connection/target.ts';
import { DraftFiles } from './crawls/draft/draft-files.ts';
import { standInForChat } from './docs-chat/vscode-chat/chat-stand-ins.ts';
import type { Features } from './features.ts';
import { loadWhenNeeded } from './first-need.ts';
import { extendMarkdownIt, type MarkdownIt } from './pages/page-links.ts';
import { trackCells } from './runs/editor/cell-context.ts';
import { hasHistory } from './runs/stored-runs.ts';
import { SnippetTypes } from './types/types.ts';
import { loadOnce, setContextKey, standInForCommands } from './ui/commands.ts';
import { imageScheme, pageScheme } from './ui/ids.ts';
import { readSetting } from './ui/settings.ts';
import { standInForViews } from './ui/stand-ins/views.ts';
import { standInForFiles } from './ui/virtual-documents/read-only-files.ts';
import { VirtualDocuments } from './ui/virtual-documents/virtual-documents.ts';
import { storedWebhooks } from './webhooks/stored-state.ts';

const noLinks = new Map();

/** Registers stand-ins for everything that VS Code may ask for. The features, in features.ts, load when one is first used. */
export function activate(context: vscode.ExtensionContext): {
  extendMarkdownIt<Engine extends MarkdownIt>(engine: Engine): Engine;
} {
  const { subscriptions, workspaceState: state } = context;
  const add = <Part extends vscode.Disposable>(part: Part): Part => {
    subscriptions.push(part);
    return part;
  };
  const log = add(vscode.window.createOutputChannel('Web Data', { log: true }));
  const documents = add(new VirtualDocuments());
  const drafts = add(new DraftFiles(state));
  const types = add(new SnippetTypes(state, log));
  const statusBar = add(new StatusBar());

  let features: Features | undefined;
  const load = loadOnce(async () => {
    const { createFeatures } = await import('./features.ts');
    features = add(createFeatures({ context, documents, drafts, types, statusBar, log }));
  }, log);

  subscriptions.push(
    ...standInForCommands(load),
    ...standInForViews(load),
    standInForFiles(pageScheme, load),
    standInForFiles(imageScheme, load),
    standInForChat(context, load, log),
    standInForChatTools(load, log),
    offerMcp(context, log),
  );
  const target = targetOf(readSetting('serverBaseUrl'));
  statusBar.show(() => ({ target }));
  setContextKey('target', target.kind);
  setContextKey('hasRuns', hasHistory(state));
  setContextKey('hasDeliveries', storedWebhooks(state).hasDeliveries);
  add(trackCells(types.files));
  add(loadWhenNeeded(context, types.files, () => void load().catch(() => undefined)));
  return { extendMarkdownIt: (engine) => extendMarkdownIt(engine, (path) => features?.pages.linksOf(path) ?? noLinks) };
}
