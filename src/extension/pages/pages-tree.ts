import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../client/job-documents.ts';
import type { JobPage, PageFolder } from '../../contract/crawl/pages.ts';
import { commands } from '../ui/ids.ts';
import type { JobPages, PageNode } from '../ui/job-pages.ts';
import { count, label, messageOf } from '../ui/text/text.ts';
import { pageRow } from './page-rows.ts';
import type { PagesStore } from './pages-store.ts';
import type { PageSource } from './sources/page-source.ts';

/** Jobs with at most this many pages are listed without folders. */
const maxFlat = 30;
/** Rows per "Load more". */
const pageSize = 200;

type Row = PageNode & { readonly id: string } & (
    | { readonly kind: 'page'; page: JobPage; folder: string }
    | { readonly kind: 'folder'; folder: PageFolder }
    | { readonly kind: 'problems'; failed: number; blocked: number }
    | { readonly kind: 'more'; of: PageNode | undefined }
    | { readonly kind: 'message'; text: string; failed: boolean }
  );

/** The rows of the pages of jobs, below their crawl or request in any tree. */
export class PagesTree implements JobPages {
  #store: PagesStore;
  #changed = new vscode.EventEmitter<PageNode | JobRef>();
  /** Row id -> number of rows to show below it. */
  #limits = new Map<string, number>();
  readonly onDidChange = this.#changed.event;

  constructor(store: PagesStore) {
    this.#store = store;
    store.onLoaded.on((job) => this.#changed.fire(job));
  }

  async rows(of: JobRef | PageNode): Promise<PageNode[]> {
    const row = 'job' in of ? (of as Row) : undefined;
    const job = row?.job ?? (of as JobRef);
    try {
      const source = await this.#store.source(job);
      return await this.#children(source, row);
    } catch (error) {
      const text = l10n.t("Couldn't load the pages: {0}", label(messageOf(error), 200));
      return [create(job, row, { kind: 'message', text, failed: true }, 'error')];
    }
  }

  item(node: PageNode): vscode.TreeItem {
    return rowItem(node as Row);
  }

  /** Shows the next rows of a "Load more" row. */
  loadMore(node: PageNode): void {
    const row = node as Row;
    if (row.kind !== 'more') return;
    const id = row.of ? (row.of as Row).id : rootId(row.job);
    this.#limits.set(id, (this.#limits.get(id) ?? pageSize) + pageSize);
    this.#changed.fire(row.of ?? row.job);
  }

  async #children(source: PageSource, row: Row | undefined): Promise<PageNode[]> {
    if (!row) return await this.#top(source);
    if (row.kind === 'folder') return await this.#folder(source, row);
    if (row.kind === 'problems') return await this.#problems(source, row);
    return [];
  }

  async #top(source: PageSource): Promise<PageNode[]> {
    const { job } = source;
    const top = await this.#read(rootId(job), (cursor, limit) => source.folder(undefined, cursor, limit));
    const { pageCount, failedCount, blockedCount, folder } = top.first;
    if (pageCount === 0)
      return [create(job, undefined, { kind: 'message', text: l10n.t('No pages yet'), failed: false }, '')];
    const problems =
      failedCount + blockedCount > 0 && pageCount > maxFlat
        ? [create(job, undefined, { kind: 'problems', failed: failedCount, blocked: blockedCount }, 'problems')]
        : [];
    if (pageCount <= maxFlat && top.folders.length > 0) {
      const { pages } = await source.list({ limit: maxFlat });
      const { inOrder } = await import('./sources/folders.ts');
      return this.#pageRows(job, undefined, folder, inOrder(pages));
    }
    return [...problems, ...this.#listing(job, undefined, top)];
  }

  async #folder(source: PageSource, row: Row & { kind: 'folder' }): Promise<PageNode[]> {
    const listing = await this.#read(row.id, (cursor, limit) => source.folder(row.folder.prefix, cursor, limit));
    return this.#listing(source.job, row, listing);
  }

  async #problems(source: PageSource, row: Row & { kind: 'problems' }): Promise<PageNode[]> {
    const limit = this.#limits.get(row.id) ?? pageSize;
    const rows: PageNode[] = [];
    for (const state of ['failed', 'blocked'] as const) {
      const { pages } = await source.list({ state, limit: Math.min(limit, 1_000) });
      rows.push(...this.#pageRows(source.job, row, '', pages));
    }
    const more = row.failed + row.blocked > rows.length && limit < 1_000;
    return more ? [...rows, create(source.job, row, { kind: 'more', of: row }, 'more')] : rows;
  }

  /** Reads a listing up to the number of rows to show. */
  async #read<Listing extends { folders: PageFolder[]; pages: JobPage[]; cursor: string | undefined; folder: string }>(
    id: string,
    read: (cursor: string | undefined, limit: number) => Promise<Listing>,
  ) {
    const limit = this.#limits.get(id) ?? pageSize;
    const first = await read(undefined, Math.min(limit, 1_000));
    const all = { first, folder: first.folder, folders: [...first.folders], pages: [...first.pages] };
    let { cursor } = first;
    while (cursor !== undefined && all.folders.length + all.pages.length < limit) {
      const next = await read(cursor, pageSize);
      all.folders.push(...next.folders);
      all.pages.push(...next.pages);
      cursor = next.cursor;
    }
    return { ...all, more: cursor !== undefined };
  }

  #listing(
    job: JobRef,
    parent: Row | undefined,
    { folder, folders, pages, more }: { folder: string; folders: PageFolder[]; pages: JobPage[]; more: boolean },
  ): PageNode[] {
    return [
      ...folders.map((one) => create(job, parent, { kind: 'folder', folder: one }, `folder ${one.prefix}`)),
      ...this.#pageRows(job, parent, folder, pages),
      ...(more ? [create(job, parent, { kind: 'more', of: parent }, 'more')] : []),
    ];
  }

  #pageRows(job: JobRef, parent: Row | undefined, folder: string, pages: readonly JobPage[]): PageNode[] {
    this.#store.remember(job, pages);
    return pages.map((page) => create(job, parent, { kind: 'page', page, folder }, `page ${page.order} ${page.url}`));
  }
}

/** Returns the job and URL of a page's row; undefined for other rows. */
export function pageOfRow(node: PageNode): { job: JobRef; page: JobPage } | undefined {
  const row = node as Row;
  return row.kind === 'page' ? { job: row.job, page: row.page } : undefined;
}

type RowContent = Row extends infer One ? (One extends Row ? Omit<One, 'id' | 'job' | 'parent'> : never) : never;

function create(job: JobRef, parent: PageNode | undefined, content: RowContent, name: string): PageNode {
  return { job, parent, id: `${parent ? (parent as Row).id : rootId(job)} > ${name}`, ...content } as Row;
}

function rootId({ kind, id }: JobRef): string {
  return `${kind} ${id}`;
}

function rowItem(row: Row): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem('', row.kind === 'folder' || row.kind === 'problems' ? Collapsed : None);
  item.id = row.id;
  item.contextValue = `pages ${row.kind}`;
  if (row.kind === 'page') {
    const texts = pageRow(row.page, row.folder);
    item.label = texts.label;
    item.description = texts.description;
    item.tooltip = texts.tooltip;
    item.accessibilityInformation = { label: texts.spoken };
    item.iconPath = pageIcon(row.page.state);
    item.contextValue = `page ${row.page.state === 'ok' ? 'ok' : 'notOk'}${row.page.id ? ' scraped' : ''}`;
    item.command = { command: commands.openPage, title: l10n.t('Open Page'), arguments: [row] };
  }
  if (row.kind === 'folder') {
    const { name, pageCount, failedCount, blockedCount, prefix } = row.folder;
    item.label = label(name, 80);
    item.description = [
      count(pageCount, 'page'),
      failedCount && l10n.t('{0} failed', failedCount),
      blockedCount && l10n.t('{0} blocked', blockedCount),
    ]
      .filter(Boolean)
      .join(' · ');
    item.tooltip = label(prefix, 300);
    item.accessibilityInformation = { label: l10n.t('Folder {0}, {1}', item.label, item.description) };
    item.iconPath = vscode.ThemeIcon.Folder;
  }
  if (row.kind === 'problems') {
    item.label = [row.failed && count(row.failed, 'failed page'), row.blocked && count(row.blocked, 'blocked page')]
      .filter(Boolean)
      .join(', ');
    item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  }
  if (row.kind === 'more') {
    item.label = l10n.t('Load more');
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    item.command = { command: commands.loadMorePages, title: l10n.t('Load More'), arguments: [row] };
  }
  if (row.kind === 'message') {
    item.label = row.text;
    item.tooltip = row.text;
    if (row.failed) item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
  }
  return item;
}

function pageIcon(state: string): vscode.ThemeIcon {
  if (state === 'failed') return new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
  if (state === 'blocked') return new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
  return new vscode.ThemeIcon('file');
}
