import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, settings, settingsSection } from '../ui/ids.ts';
import { label } from '../ui/text/text.ts';

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
