import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { siteAddress } from '../../contract/addresses.ts';
import type { MonitorCheck, MonitorCheckPage } from '../../contract/monitors.ts';
import { commands } from '../ui/ids.ts';
import { icons, type Row, type RowIcon, rowItem } from '../ui/row-item.ts';
import type { WatchNode } from '../ui/tree-rows.ts';
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

/** @param count number of watches, for the row of their group */
export function watchRowItem(row: WatchRow, count: number): vscode.TreeItem {
  return rowItem({ id: row.watchRow, context: [row.kind], ...contentOf(row, count) });
}

function contentOf(row: WatchRow, count: number): Row {
  switch (row.kind) {
    case 'group':
      return {
        label: l10n.t('Watches'),
        description: String(count),
        spoken: l10n.t('Watches, {0}', count),
        context: ['watches'],
        below: 'expanded',
      };
    case 'watch':
      return row.watch ? watchContent(row.watch, row.tells ?? false) : { label: '' };
    case 'check':
      return checkContent(row, row.check);
    case 'page':
      return pageContent(row, row.page);
    case 'fact': {
      const { text, description, icon } = row;
      const spoken = [text, description].filter(Boolean).join(', ');
      return { label: text, ...(description !== undefined && { description }), tooltip: spoken, spoken, icon };
    }
    case 'message': {
      const content = { label: row.text, tooltip: row.text };
      if (!row.failed) return content;
      return { ...content, icon: icons.failed, command: { command: commands.refresh, title: l10n.t('Try Again') } };
    }
    case 'more': {
      const command = { command: commands.loadMoreChecks, title: l10n.t('Load More'), arguments: [row] };
      return { label: l10n.t('Load more'), icon: icons.more, command };
    }
  }
}

function watchContent(watch: Watch, tells: boolean): Row {
  return {
    ...watchTexts(watch, tells, Date.now()),
    icon: watchIcon(watch),
    context: ['watch', watch.paused ? 'paused' : 'scheduled'],
    below: 'collapsed',
  };
}

function watchIcon({ checking, paused, summary }: Watch): RowIcon {
  // At the first check every page is new: that is no change.
  const isFirst = summary !== undefined && summary.new === summary.totalPages;
  if (checking) return icons.runs;
  if (paused) return ['eye-closed', 'disabledForeground'];
  if (summary && summary.totalPages > 0 && summary.error === summary.totalPages) return icons.failed;
  return summary && !isFirst && differing(summary) > 0 ? changedIcon('modified') : 'eye';
}

function checkContent(row: WatchRow & { kind: 'check' }, check: MonitorCheck): Row {
  const { summary } = check;
  const differs = isEnded(check) && differing(summary) > 0;
  const isOne = summary.totalPages === 1 && differs;
  const opens = isEnded(check) && !isOne && (differs || summary.error > 0);
  return {
    ...checkTexts(check, Date.now()),
    icon: checkIcon(check),
    command: isOne && summary.removed === 0 ? open(row) : undefined,
    below: opens ? 'collapsed' : undefined,
  };
}

function checkIcon(check: MonitorCheck): RowIcon {
  const { summary, status } = check;
  if (!isEnded(check)) return icons.runs;
  if (status === 'failed') return icons.failed;
  if (differing(summary) === 0) return ['check', 'disabledForeground'];
  return changedIcon(summary.changed > 0 ? 'modified' : summary.new > 0 ? 'added' : 'removed');
}

function pageContent(row: WatchRow & { kind: 'page' }, page: MonitorCheckPage): Row {
  const isWeb = siteAddress(page.url) !== undefined;
  return {
    ...pageTexts(page, row.site),
    icon: page.status === 'error' ? icons.failed : changedIcon(changes[page.status] ?? 'modified'),
    // What commands for pages can open.
    context: page.currentScrapeId ? ['page', 'ok', 'scraped'] : ['watched'],
    command: page.status === 'changed' || (page.status === 'new' && isWeb) ? open(row) : undefined,
  };
}

const changes: Readonly<Record<string, keyof typeof colors>> = {
  new: 'added',
  changed: 'modified',
  removed: 'removed',
};
const colors = { added: 'addedResource', modified: 'modifiedResource', removed: 'deletedResource' } as const;

function changedIcon(change: keyof typeof colors): RowIcon {
  return [`diff-${change}`, `gitDecoration.${colors[change]}Foreground`];
}

function open(row: WatchRow): vscode.Command {
  return { command: commands.openChange, title: l10n.t('Open Changes'), arguments: [row] };
}
