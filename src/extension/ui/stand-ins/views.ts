import * as vscode from 'vscode';
import { liveViewType, views } from '../ids.ts';
import type { Disposable } from '../lifecycle.ts';
import { type Changed, RowChanges } from './row-changes.ts';
import { StandIn, takeOver } from './stand-ins.ts';

type Rows<Node> = vscode.TreeDataProvider<Node> & { onDidChangeTreeData: vscode.Event<Changed<Node>> };

/** The views that are trees. `resolves`: tooltips are created when they are shown. */
const trees = {
  [views.browserSessions]: { showCollapseAll: false, resolves: false },
  [views.activeCrawls]: { showCollapseAll: false, resolves: false },
  [views.activity]: { showCollapseAll: true, resolves: true },
  [views.webhooks]: { showCollapseAll: false, resolves: false },
};
const webviewViews = [views.runResults, views.usage, views.docs];

const treeViews = new Map<string, vscode.TreeView<unknown>>();

/** Registers all views. The first request for the content of one loads the features. */
export function standInForViews(load: () => Promise<void>): Disposable[] {
  const liveViews = new StandIn<vscode.WebviewPanelSerializer>(liveViewType, load);
  return [
    liveViews,
    vscode.window.registerWebviewPanelSerializer(liveViewType, {
      deserializeWebviewPanel: async (...panel) => (await liveViews.part()).deserializeWebviewPanel(...panel),
    }),
    ...Object.entries(trees).flatMap(([id, options]) => standInForTree(id, load, options)),
    ...webviewViews.flatMap((id) => {
      const standIn = new StandIn<vscode.WebviewViewProvider>(id, load);
      const provider: vscode.WebviewViewProvider = {
        resolveWebviewView: async (...view) => (await standIn.part()).resolveWebviewView(...view),
      };
      return [standIn, vscode.window.registerWebviewViewProvider(id, provider)];
    }),
  ];
}

function standInForTree(id: string, load: () => Promise<void>, { showCollapseAll, resolves }: TreeOptions) {
  const changes = new RowChanges();
  const standIn = new StandIn<Rows<unknown>>(id, load, (rows) => rows.onDidChangeTreeData((row) => changes.fire(row)));
  const treeDataProvider: vscode.TreeDataProvider<unknown> = {
    onDidChangeTreeData: changes.event,
    getChildren: (row) => changes.children(async () => (await standIn.part()).getChildren(row)),
    getTreeItem: async (row) => (await standIn.part()).getTreeItem(row),
    getParent: async (row) => (await standIn.part()).getParent?.(row),
    ...(resolves && {
      resolveTreeItem: async (item, row, token) => (await standIn.part()).resolveTreeItem?.(item, row, token) ?? item,
    }),
  };
  const view = vscode.window.createTreeView(id, { treeDataProvider, showCollapseAll });
  treeViews.set(id, view);
  return [view, changes, standIn];
}
type TreeOptions = (typeof trees)[keyof typeof trees];

/** Returns the view of a tree; undefined before activation. */
export function treeView(id: keyof typeof trees): vscode.TreeView<unknown> | undefined {
  return treeViews.get(id);
}

/** Shows the rows of a tree in the view that was registered for it at activation. */
export function createTreeView<Row>(id: keyof typeof trees, treeDataProvider: Rows<Row>): vscode.TreeView<Row> {
  let view = treeViews.get(id) as vscode.TreeView<Row> | undefined;
  takeOver(id, treeDataProvider, () => {
    view = vscode.window.createTreeView(id, { treeDataProvider, showCollapseAll: trees[id].showCollapseAll });
    return view;
  });
  return view as vscode.TreeView<Row>;
}

/** Shows a webview in the view that was registered for it at activation. */
export function registerWebviewView(id: string, provider: vscode.WebviewViewProvider): Disposable {
  return takeOver(id, provider, () => vscode.window.registerWebviewViewProvider(id, provider));
}

/** Restores the live views of the last window. */
export function restoreLiveViews(serializer: vscode.WebviewPanelSerializer): Disposable {
  return takeOver(liveViewType, serializer, () =>
    vscode.window.registerWebviewPanelSerializer(liveViewType, serializer),
  );
}
