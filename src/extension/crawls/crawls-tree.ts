import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { siteAddress } from '../../contract/addresses.ts';
import { limitWords, staleMessage } from '../connection/polling/server-store.ts';
import { setContextKey } from '../ui/commands.ts';
import { views } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { icons, type RowIcon, rowItem } from '../ui/row-item.ts';
import { createTreeView } from '../ui/stand-ins/views.ts';
import { beyondLimit } from '../ui/text/page-texts.ts';
import { warningLines } from '../ui/text/text.ts';
import {
  isPageNode,
  isWatchNode,
  type JobPages,
  type PageNode,
  type WatchNode,
  type WatchRows,
} from '../ui/tree-rows.ts';
import type { ActiveCrawls } from './active-crawls.ts';
import { crawlLines, crawlTexts, isEmpty } from './crawl-texts.ts';
import type { Crawl, CrawlsChange } from './crawls-store.ts';

/** A row: a crawl by its id, one of its warnings or options, a row of its pages, or a row of watches. */
export type CrawlNode = { crawlId: string } | { crawlId: string; option: string } | PageNode | WatchNode;

/** Ages are shown in minutes. */
const tickMs = 30_000;

/** The "Crawls" view. */
export class CrawlsTree extends Disposables implements vscode.TreeDataProvider<CrawlNode> {
  #crawls: ActiveCrawls;
  #pages: JobPages;
  #watches: WatchRows;
  #changed = this.add(new vscode.EventEmitter<CrawlNode | CrawlNode[] | undefined>());
  #nodes = new Map<string, CrawlNode>();
  #view: vscode.TreeView<CrawlNode>;
  #tick: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(crawls: ActiveCrawls, pages: JobPages, watches: WatchRows) {
    super();
    this.#crawls = crawls;
    this.#pages = pages;
    this.#watches = watches;
    this.#view = this.add(createTreeView<CrawlNode>(views.activeCrawls, this));
    this.add(this.#view.onDidChangeVisibility(({ visible }) => this.#setVisible(visible)));
    this.add(crawls.store.onChange.on((change) => this.#storeChanged(change)));
    this.add({ dispose: () => clearInterval(this.#tick) });
    this.add(
      pages.onDidChange((changed) => (isPageNode(changed) ? this.#changed.fire(changed) : this.#redraw([changed.id]))),
    );
    this.add(watches.onDidChange((changed) => this.#changed.fire(changed)));
    this.#storeChanged({ kind: 'all' });
    this.#setVisible(this.#view.visible);
  }

  async getChildren(element?: CrawlNode): Promise<CrawlNode[]> {
    const { store } = this.#crawls;
    if (element) {
      if (isWatchNode(element)) return await this.#watches.rows(element);
      if (isPageNode(element)) return await this.#pages.rows(element);
      if ('option' in element) return [];
      const crawl = store.find(element.crawlId);
      const lines = crawl ? crawlLines(crawl) : [];
      const options = lines.map((option) => ({ crawlId: element.crawlId, option }));
      const progress = crawl?.active ? (crawl.completed ?? 0) : Number.POSITIVE_INFINITY;
      const pages = crawl?.hasId ? await this.#pages.rows({ kind: 'crawl', id: crawl.id }, progress) : [];
      // The rows of pages repeat the warnings, which other servers tell only of the crawl.
      return [...options, ...pages.filter((row) => !lines.includes(String(this.#pages.item(row).label)))];
    }
    this.#nodes = new Map(store.crawls.map(({ id }) => [id, this.#nodes.get(id) ?? { crawlId: id }]));
    return [...this.#nodes.values(), ...this.#watches.top()];
  }

  getTreeItem(node: CrawlNode): vscode.TreeItem {
    if (isWatchNode(node)) return this.#watches.item(node);
    if (isPageNode(node)) return this.#pages.item(node);
    const crawl = this.#crawls.store.find(node.crawlId);
    if ('option' in node) {
      const { option } = node;
      const icon = warningLines(crawl?.warning).includes(option) ? icons.warning : undefined;
      return rowItem({ label: option, tooltip: option, icon, context: ['option'] });
    }
    return crawl ? crawlItem(crawl, this.#crawls.store.crawls) : new vscode.TreeItem('');
  }

  getParent(node: CrawlNode): CrawlNode | undefined {
    if (isWatchNode(node)) return this.#watches.parent(node);
    if (isPageNode(node)) return node.parent ?? this.#nodes.get(node.job.id);
    return 'option' in node ? this.#nodes.get(node.crawlId) : undefined;
  }

  /** Selects a crawl without moving the focus, and expands it if asked. */
  async reveal(crawlId: string, expand = false): Promise<void> {
    const node = this.#nodes.get(crawlId) ?? { crawlId };
    this.#nodes.set(crawlId, node);
    await this.#view.reveal(node, { select: true, focus: false, expand });
  }

  /** Selects and expands the row of a watch. */
  async revealWatch(row: WatchNode): Promise<void> {
    await this.#view.reveal(row, { select: true, focus: false, expand: true });
  }

  #storeChanged(change: CrawlsChange): void {
    const { store } = this.#crawls;
    const rows = store.crawls.length;
    setContextKey('crawlsState', store.state.kind);
    setContextKey(
      'hasCrawls',
      store.crawls.some(({ hasId }) => hasId),
    );
    setContextKey('crawling', store.active.length > 0);
    setContextKey(
      'crawlsCut',
      store.crawls.some(({ leftOut }) => beyondLimit(leftOut)),
    );
    this.#view.message = staleMessage(store.state, { rows, updatedAt: store.updatedAt, now: Date.now() });
    const active = store.active.length;
    this.#view.description = limitWords(store.state) ?? (active > 1 ? l10n.t('{0} running', active) : undefined);
    if (change.kind === 'all') this.#changed.fire(undefined);
    if (change.kind === 'crawl') this.#redraw([change.id]);
  }

  #setVisible(visible: boolean): void {
    this.#crawls.policy.setVisible(visible);
    this.#watches.setVisible(visible);
    clearInterval(this.#tick);
    if (!visible) return;
    this.#tick = setInterval(() => {
      this.#redraw([...this.#nodes.keys()]);
      this.#watches.redraw();
    }, tickMs);
  }

  #redraw(ids: readonly string[]): void {
    for (const id of ids) {
      const node = this.#nodes.get(id);
      if (node) this.#changed.fire(node);
    }
  }
}

function crawlItem(crawl: Crawl, all: readonly Crawl[]): vscode.TreeItem {
  const opens = crawlLines(crawl).length > 0 && (crawl.active || crawl.status === 'failed' || isEmpty(crawl));
  return rowItem({
    ...crawlTexts(crawl, Date.now(), all),
    id: crawl.id,
    icon: icon(crawl),
    context: [
      'crawl',
      crawl.hasId && (crawl.active ? 'active' : 'ended'),
      crawl.hasId && 'named',
      siteAddress(crawl.url) && 'site',
      beyondLimit(crawl.leftOut) && 'cut',
    ],
    below: opens ? 'expanded' : crawl.hasId ? 'collapsed' : undefined,
  });
}

function icon(crawl: Crawl): RowIcon {
  const { active, status, leftOut, warning } = crawl;
  if (active) return icons.runs;
  if (isEmpty(crawl) || (status === 'completed' && warning)) return icons.warning;
  // It can be continued.
  if (status === 'completed' && beyondLimit(leftOut)) return 'debug-pause';
  if (status === 'completed') return ['pass', 'testing.iconPassed'];
  return status === 'failed' ? icons.failed : icons.stopped;
}
