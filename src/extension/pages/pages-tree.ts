import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../client/job-documents.ts';
import type { LeftOutPages } from '../../contract/crawl/left-out.ts';
import type { JobPage, PageFolder } from '../../contract/crawl/pages.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { type Row as ItemRow, icons, type RowIcon, rowItem } from '../ui/row-item.ts';
import { leftOutCount, leftOutReason, leftOutWay, moreKnown, sumOf } from '../ui/text/page-texts.ts';
import { count, label, messageOf, pathAndQuery, shortAddress, warningLines } from '../ui/text/text.ts';
import type { JobPages, PageNode } from '../ui/tree-rows.ts';
import { pageRow, sharedEnding } from './page-rows.ts';
import type { PagesStore } from './pages-store.ts';
import type { FolderListing, PageSource } from './sources/page-source.ts';

/** Jobs with at most this many pages are listed without folders. */
const maxFlat = 30;
/** Rows per "Load more". */
const pageSize = 200;
/** Failed pages that are listed, and blocked ones. */
const maxProblems = 1_000;

type Row = PageNode & { readonly id: string } & (
    | { readonly kind: 'page'; page: JobPage; folder: string; ending: string }
    | { readonly kind: 'folder'; folder: PageFolder }
    | { readonly kind: 'problems'; failed: number; blocked: number }
    | { readonly kind: 'leftOut'; pages: readonly LeftOutPages[]; isAll: boolean }
    | { readonly kind: 'reason'; pages: LeftOutPages; host: string | undefined }
    | { readonly kind: 'example'; url: string; host: string | undefined }
    | { readonly kind: 'more' }
    | { readonly kind: 'message'; text: string; icon?: 'failed' | 'warning' }
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

  async rows(of: JobRef | PageNode, progress = 0): Promise<PageNode[]> {
    const row = 'job' in of ? (of as Row) : undefined;
    const job = row?.job ?? (of as JobRef);
    try {
      const source = await this.#store.source(job);
      source.follow?.(progress);
      return await this.#children(source, row);
    } catch (error) {
      return [failed(row ?? job, error)];
    }
  }

  item(node: PageNode): vscode.TreeItem {
    const row = node as Row;
    const opens = ['folder', 'problems', 'leftOut', 'reason'].includes(row.kind);
    // Where nothing else is, what was left out is what one looks for.
    const below = !opens ? undefined : row.kind === 'leftOut' && row.isAll ? 'expanded' : 'collapsed';
    return rowItem({ id: row.id, context: ['pages', row.kind], below, ...contentOf(row) });
  }

  /** Shows the next rows of a "Load more" row, or tries again what a row says has failed. */
  loadMore(node: PageNode): void {
    const row = node as Row;
    if (row.kind === 'message') this.#store.retry();
    else {
      const id = row.parent ? (row.parent as Row).id : rootId(row.job);
      this.#limits.set(id, (this.#limits.get(id) ?? pageSize) + pageSize);
    }
    this.#changed.fire(row.parent ?? row.job);
  }

  async #children(source: PageSource, row: Row | undefined): Promise<PageNode[]> {
    if (!row) return await this.#top(source);
    if (row.kind === 'folder') return await this.#folder(source, row);
    if (row.kind === 'problems') return await this.#problems(source, row);
    if (row.kind === 'leftOut') {
      const host = sharedHost(row.pages);
      return row.pages.map((pages) => create(row, { kind: 'reason', pages, host }, `reason ${pages.reason}`));
    }
    return row.kind === 'reason' ? examplesOf(row) : [];
  }

  async #top(source: PageSource): Promise<PageNode[]> {
    const { job } = source;
    const top = await this.#read(rootId(job), (cursor, limit) => source.folder(undefined, cursor, limit));
    const { pageCount, failedCount, blockedCount, folder } = top.first;
    const missing = await source.missing?.();
    const leftOut = missing?.leftOut.length
      ? [create(job, { kind: 'leftOut', pages: missing.leftOut, isAll: pageCount === 0 }, 'left out')]
      : [];
    const warnings = warningLines(missing?.warning).map((text) =>
      create(job, { kind: 'message', text, icon: 'warning' }, `warning ${text}`),
    );
    if (pageCount === 0) {
      const text = missing ? l10n.t('No pages') : l10n.t('No pages yet');
      const why = warnings.length > 0 ? warnings : [create(job, { kind: 'message', text }, '')];
      return [...why, ...leftOut];
    }
    const problems =
      failedCount + blockedCount > 0 && pageCount > maxFlat
        ? [create(job, { kind: 'problems', failed: failedCount, blocked: blockedCount }, 'problems')]
        : [];
    const rows =
      pageCount <= maxFlat && top.folders.length > 0
        ? [...warnings, ...leftOut, ...(await this.#flat(source, folder))]
        : [...warnings, ...problems, ...leftOut, ...this.#listing(job, top)];
    return source.failure === undefined ? rows : [...rows, failed(job, source.failure)];
  }

  async #flat(source: PageSource, folder: string): Promise<PageNode[]> {
    const { pages } = await source.list({ limit: maxFlat });
    const { inOrder } = await import('./sources/folders.ts');
    return this.#pageRows(source.job, folder, inOrder(pages));
  }

  async #folder(source: PageSource, row: Row & { kind: 'folder' }): Promise<PageNode[]> {
    const listing = await this.#read(row.id, (cursor, limit) => source.folder(row.folder.prefix, cursor, limit));
    return this.#listing(row, listing);
  }

  async #problems(source: PageSource, row: Row & { kind: 'problems' }): Promise<PageNode[]> {
    const limit = this.#limits.get(row.id) ?? pageSize;
    const rows: PageNode[] = [];
    for (const state of ['failed', 'blocked'] as const) {
      const { pages } = await source.list({ state, limit: Math.min(limit, maxProblems) });
      rows.push(...this.#pageRows(row, '', pages));
    }
    const left = row.failed + row.blocked - rows.length;
    if (left <= 0) return rows;
    if (limit < maxProblems) return [...rows, create(row, { kind: 'more' }, 'more')];
    const amount = rows.length.toLocaleString('en-US');
    const text = l10n.t('The first {0} pages. Use Save Pages As… for all of them.', amount);
    return [...rows, create(row, { kind: 'message', text }, 'left')];
  }

  /** Reads a listing up to the number of rows to show. */
  async #read(id: string, read: (cursor: string | undefined, limit: number) => Promise<FolderListing>) {
    const limit = this.#limits.get(id) ?? pageSize;
    const first = await read(undefined, Math.min(limit, 1_000));
    const all = { first, folder: first.folder, folders: [...first.folders], pages: [...first.pages] };
    let { cursor } = first;
    while (cursor !== null && all.folders.length + all.pages.length < limit) {
      const next = await read(cursor, pageSize);
      all.folders.push(...next.folders);
      all.pages.push(...next.pages);
      cursor = next.cursor;
    }
    return { ...all, more: cursor !== null };
  }

  #listing(
    of: JobRef | Row,
    { folder, folders, pages, more }: { folder: string; folders: PageFolder[]; pages: JobPage[]; more: boolean },
  ): PageNode[] {
    return [
      ...folders.map((one) => create(of, { kind: 'folder', folder: one }, `folder ${one.prefix}`)),
      ...this.#pageRows(of, folder, pages),
      ...(more ? [create(of, { kind: 'more' }, 'more')] : []),
    ];
  }

  #pageRows(of: JobRef | Row, folder: string, pages: readonly JobPage[]): PageNode[] {
    this.#store.remember('job' in of ? of.job : of, pages);
    const ending = sharedEnding(pages);
    return pages.map((page) => create(of, { kind: 'page', page, folder, ending }, `page ${page.order} ${page.url}`));
  }
}

/** Returns the job and URL of a page's row; undefined for other rows. */
export function pageOfRow(node: PageNode): { job: JobRef; page: JobPage } | undefined {
  const row = node as Row;
  return row.kind === 'page' ? { job: row.job, page: row.page } : undefined;
}

type RowContent = Row extends infer One ? (One extends Row ? Omit<One, 'id' | 'job' | 'parent'> : never) : never;

/** Creates a row below another one, or a top one of a job. */
function create(of: JobRef | Row, content: RowContent, name: string): PageNode {
  const above = 'job' in of ? { job: of.job, parent: of } : { job: of, parent: undefined };
  return { ...above, id: `${above.parent?.id ?? rootId(above.job)} > ${name}`, ...content } as Row;
}

/** Returns rows of pages that were left out, and how many more there are. */
function examplesOf(parent: Row & { kind: 'reason' }): PageNode[] {
  const { host, pages } = parent;
  const { examples, count, atLeast } = pages;
  const rows = examples.map((url) => create(parent, { kind: 'example', url, host }, url));
  const text = moreKnown({ count: count - rows.length, atLeast });
  return rows.length > 0 && count > rows.length ? [...rows, create(parent, { kind: 'message', text }, 'others')] : rows;
}

/** Returns the host of all pages that were left out but those on other websites, which their rows don't repeat. */
function sharedHost(leftOut: readonly LeftOutPages[]): string | undefined {
  const here = leftOut.filter(({ reason }) => reason !== 'host').flatMap(({ examples }) => examples);
  const hosts = new Set(here.map((url) => URL.parse(url)?.host));
  return hosts.size === 1 ? [...hosts][0] : undefined;
}

/** A row that says why pages are missing; a click reads them again. */
function failed(of: JobRef | Row, error: unknown): PageNode {
  const text = l10n.t("Couldn't load the pages: {0}", label(messageOf(error), 200));
  return create(of, { kind: 'message', text, icon: 'failed' }, 'error');
}

function rootId({ kind, id }: JobRef): string {
  return `${kind} ${id}`;
}

/** What gets the pages of a reason, where that isn't another crawl with wider parameters. */
const commandsByReason: Readonly<Record<string, CommandId>> = {
  limit: commands.continueCrawl,
  failure: commands.repeatCrawl,
};

function contentOf(row: Row): ItemRow {
  switch (row.kind) {
    case 'page': {
      const { state, id } = row.page;
      return {
        ...pageRow(row.page, row.folder, row.ending),
        icon: pageIcon(row.page),
        context: ['page', state === 'ok' ? 'ok' : 'notOk', id && 'scraped'],
        command: { command: commands.openPage, title: l10n.t('Open Page'), arguments: [row] },
      };
    }
    case 'folder': {
      const { name, pageCount, failedCount, blockedCount, prefix } = row.folder;
      const description = [
        count(pageCount, 'page'),
        failedCount && l10n.t('{0} failed', failedCount),
        blockedCount && l10n.t('{0} blocked', blockedCount),
      ]
        .filter(Boolean)
        .join(' · ');
      const spoken = l10n.t('Folder {0}, {1}', label(name, 80), description);
      return { label: label(name, 80), description, tooltip: label(prefix, 300), spoken, icon: 'folder' };
    }
    case 'problems': {
      const parts = [row.failed && count(row.failed, 'failed page'), row.blocked && count(row.blocked, 'blocked page')];
      return { label: parts.filter(Boolean).join(', '), icon: icons.warning };
    }
    case 'leftOut': {
      const text = l10n.t('Left out: {0}', leftOutCount(sumOf(row.pages)));
      const tooltip = row.pages.map((pages) => `${leftOutCount(pages)}: ${leftOutReason(pages)}`).join('\n');
      return { label: text, tooltip, spoken: text, icon: 'filter' };
    }
    case 'reason': {
      const { reason, count, atLeast, examples } = row.pages;
      const way = leftOutWay(row.pages);
      const why = leftOutReason(row.pages);
      const number = count.toLocaleString('en-US');
      const command = commandsByReason[reason] ?? commands.startCrawl;
      return {
        label: `${count === 0 ? l10n.t('maybe more') : atLeast ? `${number}+` : number} ${why}`,
        tooltip: [way, ...examples].filter(Boolean).join('\n'),
        spoken: [why, leftOutCount(row.pages), way].filter(Boolean).join(', '),
        ...(reason === 'limit' && { context: ['pages', 'reason', 'cut'] }),
        ...(way !== undefined && { description: way, command: { command, title: way, arguments: [row] } }),
      };
    }
    case 'example': {
      const command = { command: commands.scrapeUrl, title: l10n.t('Scrape This Page'), arguments: [row.url] };
      const tooltip = `${command.title}\n${label(row.url, 300)}`;
      const isHere = row.host !== undefined && URL.parse(row.url)?.host === row.host;
      const text = isHere ? label(pathAndQuery(row.url), 200) : shortAddress(row.url, 200);
      return { label: text, tooltip, spoken: row.url, icon: 'cloud-download', command };
    }
    case 'more': {
      const command = { command: commands.loadMorePages, title: l10n.t('Load More'), arguments: [row] };
      return { label: l10n.t('Load more'), icon: icons.more, command };
    }
    case 'message': {
      const content = { label: row.text, tooltip: row.text, icon: row.icon && icons[row.icon] };
      if (row.icon !== 'failed') return content;
      const command = { command: commands.loadMorePages, title: l10n.t('Try Again'), arguments: [row] };
      return { ...content, command };
    }
  }
}

function pageIcon({ state, warning }: JobPage): RowIcon {
  if (state === 'failed') return icons.failed;
  if (state === 'blocked') return icons.stopped;
  return warning ? icons.warning : 'file';
}
