import * as vscode from 'vscode';
import { settings, settingsSection } from '../ui/ids.ts';
import { label } from '../ui/text.ts';

/** A row shown when Chrome isn't found: the setting to change, the heading of the searched locations, or one of them. */
export type NoBrowserNode = { hint: 'chrome-path' } | { hint: 'places' } | { place: string };

export function isNoBrowserNode(node: object): node is NoBrowserNode {
  return 'hint' in node || 'place' in node;
}

/** Returns the rows below `parent`, or the top-level rows without one. */
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
    const item = new vscode.TreeItem('Searched locations', vscode.TreeItemCollapsibleState.Expanded);
    item.id = 'no-browser-places';
    return item;
  }
  const item = new vscode.TreeItem('Set Chrome Path…');
  item.id = 'no-browser-setting';
  item.iconPath = new vscode.ThemeIcon('settings-gear');
  item.command = {
    command: 'workbench.action.openSettings',
    title: 'Set Chrome Path',
    arguments: [`${settingsSection}.${settings.chromePath}`],
  };
  return item;
}
