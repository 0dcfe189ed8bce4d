import * as vscode from 'vscode';
import type { RowTexts } from './text/text.ts';

/** Creates a row of a tree with its texts. */
export function rowItem({ label, description, tooltip, spoken }: RowTexts, state?: vscode.TreeItemCollapsibleState) {
  const item = new vscode.TreeItem(label, state);
  item.description = description;
  item.tooltip = tooltip;
  item.accessibilityInformation = { label: spoken };
  return item;
}
