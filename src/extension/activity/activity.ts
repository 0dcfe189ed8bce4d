import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { mayPoll, vscodeTrust } from '../connection/polling/window-polling.ts';
import { views } from '../ui/ids.ts';
import type { JobPages } from '../ui/job-pages.ts';
import { Disposables } from '../ui/lifecycle.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import { registerActivityCommands } from './activity-commands.ts';
import type { Grouping } from './activity-groups.ts';
import { ActivityTree } from './activity-tree.ts';
import { RecentActivity } from './recent-activity.ts';

interface Parts {
  connection: Connection;
  documents: VirtualDocuments;
  pages: JobPages;
  state: vscode.Memento;
  log: vscode.LogOutputChannel;
}

const groupingKey = 'webdata.activityGrouping';

/** Registers the "Activity" view and its commands. */
export function registerActivity({ connection, documents, pages, state, log }: Parts): vscode.Disposable {
  const disposables = new Disposables();
  const activity = disposables.add(
    new RecentActivity({
      connection,
      trust: vscodeTrust,
      log,
      mayPoll,
      showProgress: (task) => void vscode.window.withProgress({ location: { viewId: views.activity } }, () => task),
    }),
  );
  const savedGrouping: Grouping = state.get(groupingKey) === 'endpoint' ? 'endpoint' : 'time';
  const tree = disposables.add(new ActivityTree(activity, savedGrouping, pages));
  const group = (by: Grouping) => {
    tree.grouping = by;
    void state.update(groupingKey, by);
  };
  const parts = {
    activity,
    connection,
    documents,
    get grouping() {
      return tree.grouping;
    },
    group,
    log,
  };
  disposables.add(registerActivityCommands(parts));
  return disposables;
}
