import * as vscode from 'vscode';
import { liveViewType, views } from '../ids.ts';
import type { Disposable } from '../lifecycle.ts';
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

/** Rows whose children or texts changed; undefined for all of the tree. */
export type Changed<Row> = Row | Row[] | undefined;

/**
 * Reports changes of a tree's rows. VS Code drops a change that it is told of before it has taken in the children that it
 * asked for, and shows those from then on. So changes are reported when it has.
 */
export class RowChanges implements Disposable {
  #changed = new vscode.EventEmitter<Changed<unknown>>();
  #asked = 0;
  #answered = 0;
  #waiting = false;
  #held = new Set<unknown>();
  readonly event = this.#changed.event;

  fire(rows: Changed<unknown>): void {
    // A change of the whole tree is never dropped.
    if (rows === undefined) return this.#changed.fire(undefined);
    for (const row of [rows].flat()) this.#held.add(row);
    void this.#report();
  }

  /** Returns children that VS Code asks for. */
  async children<Rows>(children: () => Promise<Rows>): Promise<Rows> {
    this.#asked++;
    try {
      return await children();
    } finally {
      // When the timer ends, they were sent, or the next ones are being asked for.
      setTimeout(() => {
        this.#asked--;
        this.#answered++;
        void this.#report();
      });
    }
  }

  dispose(): void {
    this.#held.clear();
    this.#changed.dispose();
  }

  async #report(): Promise<void> {
    if (this.#asked > 0 || this.#waiting || this.#held.size === 0) return;
    this.#waiting = true;
    let answered: number;
    do {
      answered = this.#answered;
      // Any command will do: when VS Code answers it, it has taken in what was sent before.
      await vscode.commands.executeCommand('setContext', 'webdata.rowsTakenIn', true).then(undefined, () => undefined);
    } while (answered !== this.#answered);
    this.#waiting = false;
    if (this.#asked > 0) return;
    const rows = [...this.#held];
    this.#held.clear();
    if (rows.length > 0) this.#changed.fire(rows);
  }
}
