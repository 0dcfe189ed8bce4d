import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../client/job-documents.ts';
import { limitWords, staleMessage } from '../connection/polling/server-state.ts';
import { setContextKey } from '../ui/commands.ts';
import { commands, views } from '../ui/ids.ts';
import { isPageNode, type JobPages, type PageNode } from '../ui/job-pages.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { createTreeView } from '../ui/stand-ins/views.ts';
import { count, label } from '../ui/text/text.ts';
import { type ActivityGroup, groupEntries } from './activity-groups.ts';
import type { ActivityEntry } from './activity-store.ts';
import { activityTexts, activityTooltip, noRecordReason } from './activity-texts.ts';
import { failureOf, type JobDetails, runs } from './job-details.ts';
import { jobOf, kindOf } from './kinds.ts';
import type { RecentActivity } from './recent-activity.ts';
import { Segments } from './segments.ts';

/** A row: a group, a request, why it failed, "Load more", or a row of the pages of a crawl or batch. */
export type ActivityNode = GroupNode | EntryNode | ReasonNode | MoreNode | PageNode;
interface EntryNode {
  readonly entry: ActivityEntry;
  readonly group: GroupNode;
}
interface ReasonNode {
  readonly reason: string;
  readonly of: EntryNode;
}
interface GroupNode {
  readonly groupId: string;
  group: ActivityGroup;
  rows: readonly ActivityNode[];
}
interface MoreNode {
  readonly more: true;
}

const more: MoreNode = { more: true };

/** The "Activity" view. */
export class ActivityTree implements vscode.TreeDataProvider<ActivityNode>, vscode.Disposable {
  #activity: RecentActivity;
  #pages: JobPages;
  #changed = new vscode.EventEmitter<ActivityNode | ActivityNode[] | undefined>();
  #view: vscode.TreeView<ActivityNode>;
  #groups: GroupNode[] = [];
  #segments = new Segments();
  #items = new WeakMap<ActivityEntry, vscode.TreeItem>();
  #hasMore = false;
  #disposables = new Disposables();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(activity: RecentActivity, pages: JobPages) {
    this.#activity = activity;
    this.#pages = pages;
    this.#view = this.#disposables.add(createTreeView<ActivityNode>(views.activity, this));
    this.#disposables.add(this.#changed);
    this.#disposables.add(this.#view.onDidChangeVisibility(({ visible }) => activity.policy.setVisible(visible)));
    this.#disposables.add(
      activity.store.onChange.on((change) => {
        if (change.kind === 'jobs') return this.#jobsChanged(change.ids);
        this.#showState();
        if (change.kind === 'entries') this.refresh();
      }),
    );
    this.#disposables.add(pages.onDidChange((changed) => this.#pagesChanged(changed)));
    this.#showState();
    this.refresh();
    activity.policy.setVisible(this.#view.visible);
  }

  /** Rebuilds the groups from the store, and redraws only the rows that changed. */
  refresh(): void {
    const { entries, paging } = this.#activity.store;
    const groups = this.#segments.split(groupEntries(entries, Date.now()));
    const before = new Map(this.#groups.map((node) => [node.groupId, node]));
    const changed: GroupNode[] = [];
    const after = groups.map((group) => {
      const node = before.get(group.id) ?? { groupId: group.id, group, rows: [] };
      const hasChanged = !sameGroup(node.group, group);
      if (node.rows.length > 0 && hasChanged) changed.push(node);
      if (node.rows.length === 0 || hasChanged) fill(node, group);
      return node;
    });
    const hadMore = this.#hasMore;
    this.#hasMore = paging.kind !== 'end';
    const sameRoots =
      hadMore === this.#hasMore &&
      after.length === this.#groups.length &&
      after.every((node, index) => node === this.#groups[index]);
    this.#groups = after;
    if (!sameRoots) this.#changed.fire(undefined);
    else if (changed.length > 0) this.#changed.fire(this.#hasMore ? [...changed, more] : changed);
    else if (this.#hasMore) this.#changed.fire(more);
  }

  getChildren(element?: ActivityNode): ActivityNode[] | Promise<ActivityNode[]> {
    if (!element) return this.#hasMore ? [...this.#groups, more] : [...this.#groups];
    if (isPageNode(element)) return this.#pages.rows(element);
    if ('entry' in element) return this.#childrenOf(element);
    return 'rows' in element ? [...element.rows] : [];
  }

  getTreeItem(node: ActivityNode): vscode.TreeItem {
    if (isPageNode(node)) return this.#pages.item(node);
    if ('more' in node) return this.#moreItem();
    if ('rows' in node) return groupItem(node);
    if ('reason' in node) return reasonItem(node);
    const known = this.#items.get(node.entry);
    if (known) return known;
    const item = entryItem(node.entry, this.#activity.store.job(node.entry.id));
    this.#items.set(node.entry, item);
    return item;
  }

  /** Tooltips are created on demand, since most are never shown. */
  resolveTreeItem(item: vscode.TreeItem, node: ActivityNode): vscode.TreeItem {
    if ('entry' in node) item.tooltip = activityTooltip(node.entry, this.#activity.store.job(node.entry.id));
    return item;
  }

  getParent(node: ActivityNode): ActivityNode | undefined {
    if (isPageNode(node)) return node.parent;
    if ('reason' in node) return node.of;
    return 'entry' in node ? node.group : undefined;
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Returns why a crawl or batch failed, then its pages. */
  async #childrenOf(node: EntryNode): Promise<ActivityNode[]> {
    const job = jobOf(node.entry);
    if (!job) return [];
    const details = this.#activity.store.job(job.id);
    const reason = failureOf(details);
    const progress = details && !runs(details) ? Number.POSITIVE_INFINITY : details?.completed;
    return [...(reason === undefined ? [] : [{ reason, of: node }]), ...(await this.#pages.rows(job, progress))];
  }

  #pagesChanged(changed: PageNode | JobRef): void {
    if (isPageNode(changed)) this.#changed.fire(changed);
    else this.#redraw(new Set([changed.id]));
  }

  #jobsChanged(ids: ReadonlySet<string>): void {
    for (const { rows } of this.#groups) {
      for (const row of rows) if ('entry' in row && ids.has(row.entry.id ?? '')) this.#items.delete(row.entry);
    }
    this.#redraw(ids);
  }

  /** Redraws the rows of jobs with their pages. */
  #redraw(ids: ReadonlySet<string>): void {
    const rows = this.#groups.flatMap((group) => group.rows);
    const changed = rows.filter((row) => 'entry' in row && ids.has(row.entry.id ?? ''));
    if (changed.length > 0) this.#changed.fire(changed);
  }

  #moreItem(): vscode.TreeItem {
    const { paging } = this.#activity.store;
    const item = new vscode.TreeItem(paging.kind === 'stopped' ? paging.reason : l10n.t('Load more'));
    item.id = 'more';
    item.iconPath = new vscode.ThemeIcon(paging.kind === 'stopped' ? 'warning' : 'ellipsis');
    if (paging.kind === 'more') item.command = { command: commands.loadMoreActivity, title: l10n.t('Load More') };
    return item;
  }

  #showState(): void {
    const { store } = this.#activity;
    const rows = store.entries.length;
    setContextKey('activityState', store.state.kind);
    setContextKey('activityFiltered', store.filter !== undefined);
    this.#view.message = staleMessage(store.state, { rows, updatedAt: store.updatedAt, now: Date.now() });
    const filter = store.filter === undefined ? undefined : kindOf(store.filter).plural.toLowerCase();
    this.#view.description = [filter && l10n.t('only {0}', filter), limitWords(store.state)]
      .filter(Boolean)
      .join(' · ');
  }
}

function fill(node: GroupNode, group: ActivityGroup): void {
  const known = new Map(node.rows.flatMap((row) => ('entry' in row ? [[row.entry, row] as const] : [])));
  node.group = group;
  node.rows = group.entries.map((entry) => known.get(entry) ?? { entry, group: node });
}

/** Compares the ends only: entries are added at either end and removed at the last. Labels change at midnight. */
function sameGroup(one: ActivityGroup, other: ActivityGroup): boolean {
  const { entries: before } = one;
  const { entries: after } = other;
  return (
    one.label === other.label &&
    before.length === after.length &&
    before[0] === after[0] &&
    before.at(-1) === after.at(-1)
  );
}

function groupItem({ groupId, group }: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(group.label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = groupId;
  item.description = String(group.entries.length);
  item.accessibilityInformation = { label: `${group.label}, ${count(group.entries.length, 'request')}` };
  item.contextValue = 'group';
  return item;
}

function reasonItem({ reason, of }: ReasonNode): vscode.TreeItem {
  const item = new vscode.TreeItem(reason);
  item.id = `${of.entry.key} reason`;
  item.tooltip = reason;
  item.contextValue = 'reason';
  item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
  return item;
}

/** The icon of a request: of its state while it runs and if it failed, otherwise of its kind. */
function iconOf(icon: string, details: JobDetails | undefined): vscode.ThemeIcon {
  if (runs(details)) return new vscode.ThemeIcon('sync~spin');
  if (details?.status === 'failed') return new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
  if (details?.status === 'cancelled') {
    return new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
  }
  return new vscode.ThemeIcon(icon);
}

function entryItem(entry: ActivityEntry, details: JobDetails | undefined): vscode.TreeItem {
  const texts = activityTexts(entry, details);
  const kind = kindOf(entry.endpoint);
  const hasRecord = noRecordReason(entry) === undefined;
  const job = jobOf(entry);
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(texts.label, job ? Collapsed : None);
  item.id = entry.key;
  item.description = texts.description;
  item.accessibilityInformation = { label: texts.spoken };
  item.iconPath = entry.errorStatus
    ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
    : iconOf(kind.icon, details);
  item.contextValue = [
    label(kind.id, 40),
    entry.id && 'named',
    hasRecord && 'record',
    hasRecord && kind.id === 'scrape' && 'markdown',
    job && 'pages',
    kind.retrieval === 'getExtract' && runs(details) && 'runningAgent',
  ]
    .filter(Boolean)
    .join(' ');
  // A crawl or batch expands to its pages; a scrape opens its markdown.
  if (hasRecord && kind.id === 'scrape' && entry.id) {
    const scrape = { scrapeId: entry.id, url: entry.target };
    item.command = { command: commands.openPage, title: l10n.t('Open Page'), arguments: [scrape] };
  } else if (!job) {
    item.command = { command: commands.openRecord, title: l10n.t('Open as JSON'), arguments: [{ key: entry.key }] };
  }
  return item;
}
