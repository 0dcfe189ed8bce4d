import * as vscode from 'vscode';
import type { RowTexts } from './text/text.ts';

/** The name of an icon, or that with a color. */
export type RowIcon = string | readonly [name: string, color: string];

/** A row of a tree. Its tooltip is its accessible name, unless it has a spoken one. */
export interface Row extends Partial<RowTexts> {
  label: string;
  id?: string | undefined;
  icon?: RowIcon | undefined;
  /** Words that conditions of commands look for. Empty values are left out. */
  context?: readonly unknown[];
  command?: vscode.Command | undefined;
  /** How it is shown if it has rows below it. */
  below?: 'collapsed' | 'expanded' | undefined;
}

/** Icons that say the same in every tree. */
export const icons = {
  failed: ['error', 'errorForeground'],
  more: 'ellipsis',
  runs: 'sync~spin',
  stopped: ['circle-slash', 'disabledForeground'],
  warning: ['warning', 'list.warningForeground'],
} as const satisfies Record<string, RowIcon>;

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

export function rowItem({ label, spoken, icon, context, below, ...same }: Row): vscode.TreeItem {
  const [name, color] = typeof icon === 'object' ? icon : [icon];
  return Object.assign(
    new vscode.TreeItem(label, below === undefined ? None : below === 'expanded' ? Expanded : Collapsed),
    same,
    context && { contextValue: context.filter(Boolean).join(' ') },
    name !== undefined && {
      iconPath: new vscode.ThemeIcon(name, color === undefined ? undefined : new vscode.ThemeColor(color)),
    },
    spoken !== undefined && { accessibilityInformation: { label: spoken } },
  );
}
