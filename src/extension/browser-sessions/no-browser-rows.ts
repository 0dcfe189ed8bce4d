import * as vscode from 'vscode';
import { settings, settingsSection } from '../ui/ids.ts';
import { label } from '../ui/text.ts';

/** A row of the view while there is no Chrome: the setting to change, where it was looked for, and each of these places. */
export type NoBrowserNode = { hint: 'chrome-path' } | { hint: 'places' } | { place: string };

export function isNoBrowserNode(node: object): node is NoBrowserNode {
  return 'hint' in node || 'place' in node;
}

/** The rows below `parent`, or at the top without one. */
export function noBrowserRows(places: readonly string[], parent?: NoBrowserNode): NoBrowserNode[] {
  if (!parent) return places.length > 0 ? [{ hint: 'chrome-path' }, { hint: 'places' }] : [{ hint: 'chrome-path' }];
  return 'hint' in parent && parent.hint === 'places' ? places.map((place) => ({ place })) : [];
}

export function noBrowserItem(node: NoBrowserNode): vscode.TreeItem {
  if ('place' in node) {
    const item = new vscode.TreeItem(label(node.place, 200));
    item.tooltip = label(node.place, 1_000);
    return item;
  }
  if (node.hint === 'places') {
    const item = new vscode.TreeItem('Where it was looked for', vscode.TreeItemCollapsibleState.Expanded);
    item.id = 'no-browser-places';
    return item;
  }
  const item = new vscode.TreeItem('Set the Path of Chrome…');
  item.id = 'no-browser-setting';
  item.iconPath = new vscode.ThemeIcon('settings-gear');
  item.command = {
    command: 'workbench.action.openSettings',
    title: 'Set the Path of Chrome',
    arguments: [`${settingsSection}.${settings.chromePath}`],
  };
  return item;
}
