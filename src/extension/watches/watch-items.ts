import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { MonitorCheck, MonitorCheckPage } from '../../contract/monitors.ts';
import { siteAddress } from '../ui/ask-url/web-page.ts';
import { commands } from '../ui/ids.ts';
import { rowItem } from '../ui/row-item.ts';
import type { WatchNode } from '../ui/watch-rows.ts';
import { checkTexts, differing, isEnded, pageTexts, watchTexts } from './watch-texts.ts';
import type { Watch } from './watches-store.ts';

/** A row of watches. The fields of one are what commands get as their argument. */
export type WatchRow = WatchNode & { readonly parent?: WatchRow } & (
    | { readonly kind: 'group' }
    | { readonly kind: 'watch'; readonly watchId: string; readonly watch?: Watch; readonly tells?: boolean }
    | { readonly kind: 'check'; readonly watchId: string; readonly checkId: string; readonly check: MonitorCheck }
    | {
        readonly kind: 'page';
        readonly watchId: string;
        readonly checkId: string;
        readonly page: MonitorCheckPage;
        readonly url: string;
        readonly scrapeId: string | undefined;
        /** Host that its row doesn't repeat. */
        readonly site: string | undefined;
      }
    | {
        readonly kind: 'fact';
        readonly icon: string;
        readonly text: string;
        readonly description: string | undefined;
      }
    | { readonly kind: 'message'; readonly text: string; readonly failed: boolean }
    | { readonly kind: 'more' }
  );

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** @param count number of watches, for the row of their group */
export function watchRowItem(row: WatchRow, count: number): vscode.TreeItem {
  const item = contentOf(row, count);
  item.id = row.watchRow;
  item.contextValue ??= row.kind;
  return item;
}

function contentOf(row: WatchRow, count: number): vscode.TreeItem {
  switch (row.kind) {
    case 'group': {
      const item = new vscode.TreeItem(l10n.t('Watches'), Expanded);
      item.description = String(count);
      item.contextValue = 'watches';
      item.accessibilityInformation = { label: l10n.t('Watches, {0}', count) };
      return item;
    }
    case 'watch':
      return row.watch ? watchItem(row.watch, row.tells ?? false) : new vscode.TreeItem('');
    case 'check':
      return checkItem(row, row.check);
    case 'page':
      return pageItem(row, row.page);
    case 'fact': {
      const item = new vscode.TreeItem(row.text);
      const spoken = [row.text, row.description].filter(Boolean).join(', ');
      if (row.description !== undefined) item.description = row.description;
      item.tooltip = spoken;
      item.accessibilityInformation = { label: spoken };
      item.iconPath = new vscode.ThemeIcon(row.icon);
      return item;
    }
    case 'message': {
      const item = new vscode.TreeItem(row.text);
      item.tooltip = row.text;
      if (row.failed) {
        item.iconPath = failedIcon();
        item.command = { command: commands.refresh, title: l10n.t('Try Again') };
      }
      return item;
    }
    case 'more': {
      const item = new vscode.TreeItem(l10n.t('Load more'));
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.command = { command: commands.loadMoreChecks, title: l10n.t('Load More'), arguments: [row] };
      return item;
    }
  }
}

function watchItem(watch: Watch, tells: boolean): vscode.TreeItem {
  const item = rowItem(watchTexts(watch, tells, Date.now()), Collapsed);
  item.contextValue = watch.paused ? 'watch paused' : 'watch scheduled';
  const { summary } = watch;
  // At the first check every page is new: that is no change.
  const isFirst = summary !== undefined && summary.new === summary.totalPages;
  if (watch.checking) item.iconPath = new vscode.ThemeIcon('sync~spin');
  else if (watch.paused)
    item.iconPath = new vscode.ThemeIcon('eye-closed', new vscode.ThemeColor('disabledForeground'));
  else if (summary && summary.totalPages > 0 && summary.error === summary.totalPages) item.iconPath = failedIcon();
  else if (summary && !isFirst && differing(summary) > 0) item.iconPath = changedIcon('modified');
  else item.iconPath = new vscode.ThemeIcon('eye');
  return item;
}

function checkItem(row: WatchRow & { kind: 'check' }, check: MonitorCheck): vscode.TreeItem {
  const { summary } = check;
  const isOver = isEnded(check);
  const differs = isOver && differing(summary) > 0;
  const isOne = summary.totalPages === 1 && differs;
  const opens = isOver && !isOne && (differs || summary.error > 0);
  const item = rowItem(checkTexts(check, Date.now()), opens ? Collapsed : None);
  item.contextValue = 'check';
  if (!isOver) item.iconPath = new vscode.ThemeIcon('sync~spin');
  else if (check.status === 'failed') item.iconPath = failedIcon();
  else if (differs)
    item.iconPath = changedIcon(summary.changed > 0 ? 'modified' : summary.new > 0 ? 'added' : 'removed');
  else item.iconPath = new vscode.ThemeIcon('check', new vscode.ThemeColor('disabledForeground'));
  if (isOne && summary.removed === 0) item.command = open(row);
  return item;
}

function pageItem(row: WatchRow & { kind: 'page' }, page: MonitorCheckPage): vscode.TreeItem {
  const item = rowItem(pageTexts(page, row.site), None);
  const isWeb = siteAddress(page.url) !== undefined;
  // What commands for pages can open.
  item.contextValue = page.currentScrapeId ? 'page ok scraped' : 'watched';
  if (page.status === 'error') item.iconPath = failedIcon();
  else item.iconPath = changedIcon(icons[page.status] ?? 'modified');
  if (page.status === 'changed' || (page.status === 'new' && isWeb)) item.command = open(row);
  return item;
}

const icons: Readonly<Record<string, keyof typeof colors>> = { new: 'added', changed: 'modified', removed: 'removed' };
const colors = { added: 'addedResource', modified: 'modifiedResource', removed: 'deletedResource' } as const;

function changedIcon(change: keyof typeof colors): vscode.ThemeIcon {
  return new vscode.ThemeIcon(`diff-${change}`, new vscode.ThemeColor(`gitDecoration.${colors[change]}Foreground`));
}

function failedIcon(): vscode.ThemeIcon {
  return new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
}

function open(row: WatchRow): vscode.Command {
  return { command: commands.openChange, title: l10n.t('Open Changes'), arguments: [row] };
}
