import type * as vscode from 'vscode';
import type { JobRef } from '../../client/job-documents.ts';

/** A row below a crawl or batch: a page, a folder of pages, or a row to load more. */
export interface PageNode {
  readonly job: JobRef;
  readonly parent: PageNode | undefined;
}

/** The pages of crawls and batches as rows of any tree. */
export interface JobPages {
  /** Fires for a row whose children changed, or for a job whose rows changed. */
  readonly onDidChange: vscode.Event<PageNode | JobRef>;
  /**
   * Returns the rows directly below a job or row. Never rejects: a failure is a row.
   * @param progress how far the job has come: a number of pages, or infinite if it has ended
   */
  rows(of: JobRef | PageNode, progress?: number): Promise<PageNode[]>;
  item(node: PageNode): vscode.TreeItem;
}

/** Returns whether a row of a tree is a page's row. */
export function isPageNode(node: object): node is PageNode {
  return 'job' in node && 'parent' in node;
}

/** A row of watches: their group, a watch, a check of one, or a page of a check. */
export interface WatchNode {
  /** The ID of the tree's row. */
  readonly watchRow: string;
}

/** Watches as rows of any tree. */
export interface WatchRows {
  /** Fires for rows whose texts or children changed; undefined if the group has come or gone. */
  readonly onDidChange: vscode.Event<WatchNode[] | undefined>;
  /** Returns the group of all watches, if there are any. */
  top(): WatchNode[];
  /** Returns the rows directly below a row. Never rejects: a failure is a row. */
  rows(of: WatchNode): Promise<WatchNode[]>;
  item(node: WatchNode): vscode.TreeItem;
  parent(node: WatchNode): WatchNode | undefined;
  /** Called when the tree is shown or hidden. */
  setVisible(visible: boolean): void;
  /** Shows ages as they are now. */
  redraw(): void;
}

/** Returns whether a row of a tree is one of a watch. */
export function isWatchNode(node: object): node is WatchNode {
  return 'watchRow' in node;
}
