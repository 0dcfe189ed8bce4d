import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limitWords, staleMessage } from '../connection/polling/server-store.ts';
import { setContextKey } from '../ui/commands.ts';
import { commands, views } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { icons, type RowIcon, rowItem } from '../ui/row-item.ts';
import { createTreeView } from '../ui/stand-ins/views.ts';
import { count, label } from '../ui/text/text.ts';
import { isPageNode, type JobPages, type PageNode } from '../ui/tree-rows.ts';
import { type ActivityGroup, groupEntries, Segments } from './activity-groups.ts';
import type { ActivityEntry } from './activity-store.ts';
import { activityTexts, activityTooltip, noRecordReason } from './activity-texts.ts';
import type { RecentActivity } from './recent-activity.ts';
import { failureOf, type JobDetails, jobOf, kindOf, runs } from './requests.ts';

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
export class ActivityTree extends Disposables implements vscode.TreeDataProvider<ActivityNode> {
  #activity: RecentActivity;
  #pages: JobPages;
  #changed = this.add(new vscode.EventEmitter<ActivityNode | ActivityNode[] | undefined>());
  #view: vscode.TreeView<ActivityNode>;
  #groups: GroupNode[] = [];
  #segments = new Segments();
  #items = new WeakMap<ActivityEntry, vscode.TreeItem>();
  #hasMore = false;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(activity: RecentActivity, pages: JobPages) {
    super();
    this.#activity = activity;
    this.#pages = pages;
    this.#view = this.add(createTreeView<ActivityNode>(views.activity, this));
    this.add(this.#view.onDidChangeVisibility(({ visible }) => activity.policy.setVisible(visible)));
    this.add(
      activity.store.onChange.on((change) => {
        if (change.kind === 'jobs') return this.#jobsChanged(change.ids);
        this.#showState();
        if (change.kind === 'all') this.refresh();
      }),
    );
    this.add(
      pages.onDidChange((changed) =>
        isPageNode(changed) ? this.#changed.fire(changed) : this.#redraw(new Set([changed.id])),
      ),
    );
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

  /** Returns why a crawl or batch failed, then its pages. */
  async #childrenOf(node: EntryNode): Promise<ActivityNode[]> {
    const job = jobOf(node.entry);
    if (!job) return [];
    const details = this.#activity.store.job(job.id);
    const reason = failureOf(details);
    const progress = details && !runs(details) ? Number.POSITIVE_INFINITY : details?.completed;
    return [...(reason === undefined ? [] : [{ reason, of: node }]), ...(await this.#pages.rows(job, progress))];
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
    const id = 'more';
    if (paging.kind === 'stopped') return rowItem({ id, label: paging.reason, icon: 'warning' });
    const command = { command: commands.loadMoreActivity, title: l10n.t('Load More') };
    return rowItem({ id, label: l10n.t('Load more'), icon: icons.more, ...(paging.kind === 'more' && { command }) });
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
  const { length } = group.entries;
  return rowItem({
    id: groupId,
    label: group.label,
    description: String(length),
    spoken: `${group.label}, ${count(length, 'request')}`,
    context: ['group'],
    below: 'expanded',
  });
}

function reasonItem({ reason, of }: ReasonNode): vscode.TreeItem {
  const id = `${of.entry.key} reason`;
  return rowItem({ id, label: reason, tooltip: reason, context: ['reason'], icon: icons.failed });
}

/** The icon of a request: of its state while it runs and if it failed, otherwise of its kind. */
function iconOf(icon: string, details: JobDetails | undefined): RowIcon {
  if (runs(details)) return icons.runs;
  if (details?.status === 'failed') return icons.failed;
  return details?.status === 'cancelled' ? icons.stopped : icon;
}

function entryItem(entry: ActivityEntry, details: JobDetails | undefined): vscode.TreeItem {
  const kind = kindOf(entry.endpoint);
  const hasRecord = noRecordReason(entry) === undefined;
  const job = jobOf(entry);
  return rowItem({
    ...activityTexts(entry, details),
    id: entry.key,
    icon: entry.errorStatus ? icons.warning : iconOf(kind.icon, details),
    context: [
      label(kind.id, 40),
      entry.id && 'named',
      hasRecord && 'record',
      hasRecord && kind.id === 'scrape' && 'markdown',
      job && 'pages',
      kind.retrieval === 'getExtract' && runs(details) && 'runningAgent',
    ],
    command: commandOf(entry),
    below: job && 'collapsed',
  });
}

/** A crawl or batch expands to its pages; a scrape opens its markdown. */
function commandOf(entry: ActivityEntry): vscode.Command | undefined {
  if (entry.id && noRecordReason(entry) === undefined && kindOf(entry.endpoint).id === 'scrape') {
    const scrape = { scrapeId: entry.id, url: entry.target };
    return { command: commands.openPage, title: l10n.t('Open Page'), arguments: [scrape] };
  }
  if (jobOf(entry)) return undefined;
  return { command: commands.openRecord, title: l10n.t('Open as JSON'), arguments: [{ key: entry.key }] };
}
