import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { PermitRequest } from '../../contract/mcp/agent-sessions.ts';
import { commands, settings, settingsSection } from '../ui/ids.ts';
import { requestText } from '../ui/text/agent-texts.ts';
import { count, label } from '../ui/text/text.ts';

/** A row shown when Chrome isn't found: a command to install one, the setting to change, the heading of the searched locations, or one of them. */
export type NoBrowserNode = { hint: 'install' } | { hint: 'chrome-path' } | { hint: 'places' } | { place: string };

export function isNoBrowserNode(node: object): node is NoBrowserNode {
  return 'hint' in node || 'place' in node;
}

/** Returns the rows below `parent`, or the top-level rows without one. */
export function noBrowserRows(places: readonly string[], parent?: NoBrowserNode): NoBrowserNode[] {
  if (!parent) {
    const rows: NoBrowserNode[] = [{ hint: 'install' }, { hint: 'chrome-path' }];
    return places.length > 0 ? [...rows, { hint: 'places' }] : rows;
  }
  return 'hint' in parent && parent.hint === 'places' ? places.map((place) => ({ place })) : [];
}

export function noBrowserItem(node: NoBrowserNode): vscode.TreeItem {
  if ('place' in node) {
    const item = new vscode.TreeItem(label(node.place, 200));
    item.tooltip = label(node.place, 1_000);
    return item;
  }
  if (node.hint === 'places') {
    const item = new vscode.TreeItem(l10n.t('Searched locations'), vscode.TreeItemCollapsibleState.Expanded);
    item.id = 'no-browser-places';
    return item;
  }
  if (node.hint === 'install') return installItem();
  const item = new vscode.TreeItem(l10n.t('Set Chrome Path…'));
  item.id = 'no-browser-setting';
  item.iconPath = new vscode.ThemeIcon('settings-gear');
  item.command = {
    command: 'workbench.action.openSettings',
    title: l10n.t('Set Chrome Path'),
    arguments: [`${settingsSection}.${settings.chromePath}`],
  };
  return item;
}

function installItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(l10n.t('Install Chrome…'));
  item.id = 'no-browser-install';
  item.iconPath = new vscode.ThemeIcon('cloud-download');
  item.tooltip = l10n.t('Opens a terminal with the command for this system, or the download page');
  item.command = { command: commands.installProgram, title: l10n.t('Install Chrome'), arguments: ['chrome'] };
  return item;
}

/** A row for what an agent waits to be allowed. */
export interface RequestNode {
  requestId: string;
}

export function isRequestNode(node: object): node is RequestNode {
  return 'requestId' in node;
}

/** Returns the item of a request; its buttons answer it. */
export function requestItem(request: PermitRequest): vscode.TreeItem {
  const text = requestText(request);
  const item = new vscode.TreeItem(text);
  item.id = `request ${request.id}`;
  item.iconPath = new vscode.ThemeIcon('question', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = request.kind === 'code' ? 'request code' : 'request';
  item.tooltip = [text, label(request.detail, 1000)].filter(Boolean).join('\n');
  item.accessibilityInformation = { label: l10n.t('{0}. Allow or deny it with the actions of this row.', text) };
  item.command = request.sessionId
    ? { command: commands.openLiveView, title: l10n.t('Open Live View'), arguments: [{ sessionId: request.sessionId }] }
    : { command: commands.showRequest, title: l10n.t('Show Request'), arguments: [{ requestId: request.id }] };
  return item;
}

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
