import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import type { JobPages } from '../ui/tree-rows.ts';
import { registerActivityCommands } from './activity-commands.ts';
import { ActivityTree } from './activity-tree.ts';
import { RecentActivity } from './recent-activity.ts';

interface Parts extends FeatureParts {
  pages: JobPages;
}

/** Registers the "Activity" view and its commands. */
export function registerActivity({ connection, documents, pages, log }: Parts): vscode.Disposable {
  const activity = new RecentActivity({ connection, log });
  const commands = registerActivityCommands({ activity, connection, documents, log });
  return vscode.Disposable.from(commands, new ActivityTree(activity, pages), activity);
}
