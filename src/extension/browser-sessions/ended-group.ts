import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { count } from '../ui/text/text.ts';

/** The row that holds the sessions that have ended. */
export interface EndedGroup {
  group: 'ended';
}
export const endedGroup: EndedGroup = { group: 'ended' };

export function isEndedGroup(node: object): node is EndedGroup {
  return 'group' in node;
}

export function endedGroupItem(sessions: number): vscode.TreeItem {
  const item = new vscode.TreeItem(l10n.t('Ended'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = 'ended-sessions';
  item.description = String(sessions);
  item.accessibilityInformation = { label: l10n.t('Ended, {0}', count(sessions, 'session')) };
  item.contextValue = 'ended-sessions';
  return item;
}
