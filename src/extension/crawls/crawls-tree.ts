import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limitWords, staleMessage } from '../connection/polling/state-texts.ts';
import { siteAddress } from '../ui/ask-url/web-page.ts';
import { setContextKey } from '../ui/commands.ts';
import { views } from '../ui/ids.ts';
import { isPageNode, type JobPages, type PageNode } from '../ui/job-pages.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import { createTreeView } from '../ui/stand-ins/views.ts';
import type { ActiveCrawls } from './active-crawls.ts';
import { crawlLines, crawlTexts } from './crawl-texts.ts';
import type { Crawl, CrawlsChange } from './crawls-store.ts';

/** A row: a crawl by its id, one of its options, or a row of its pages. */
export type CrawlNode = { crawlId: string } | { crawlId: string; option: string } | PageNode;

/** Ages are shown in minutes. */
const tickMs = 30_000;

/** The "Active Crawls" view. */
export class CrawlsTree implements vscode.TreeDataProvider<CrawlNode>, vscode.Disposable {
  #crawls: ActiveCrawls;
  #pages: JobPages;
  #changed = new vscode.EventEmitter<CrawlNode | undefined>();
  #nodes = new Map<string, CrawlNode>();
  #view: vscode.TreeView<CrawlNode>;
  #tick: NodeJS.Timeout | undefined;
  #disposables = new Disposables();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(crawls: ActiveCrawls, pages: JobPages) {
    this.#crawls = crawls;
    this.#pages = pages;
    this.#view = this.#disposables.add(createTreeView<CrawlNode>(views.activeCrawls, this));
    this.#disposables.add(this.#changed);
    this.#disposables.add(this.#view.onDidChangeVisibility(({ visible }) => this.#setVisible(visible)));
    this.#disposables.add(crawls.store.onChange.on((change) => this.#storeChanged(change)));
    this.#disposables.add({ dispose: () => clearInterval(this.#tick) });
    this.#disposables.add(onSettingChanged(['viewsAutoRefresh'], () => this.#setVisible(this.#view.visible)));
    this.#disposables.add(
      pages.onDidChange((changed) => (isPageNode(changed) ? this.#changed.fire(changed) : this.#redraw([changed.id]))),
    );
    this.#storeChanged({ kind: 'all' });
    this.#setVisible(this.#view.visible);
  }

  async getChildren(element?: CrawlNode): Promise<CrawlNode[]> {
    const { store } = this.#crawls;
    if (element) {
      if (isPageNode(element)) return await this.#pages.rows(element);
      if ('option' in element) return [];
      const crawl = store.find(element.crawlId);
      const options = (crawl ? crawlLines(crawl) : []).map((option) => ({ crawlId: element.crawlId, option }));
      const pages = crawl?.hasId ? await this.#pages.rows({ kind: 'crawl', id: element.crawlId }) : [];
      return [...options, ...pages];
    }
    this.#nodes = new Map(store.crawls.map(({ id }) => [id, this.#nodes.get(id) ?? { crawlId: id }]));
    return [...this.#nodes.values()];
  }

  getTreeItem(node: CrawlNode): vscode.TreeItem {
    if (isPageNode(node)) return this.#pages.item(node);
    if ('option' in node) return optionItem(node.option);
    const crawl = this.#crawls.store.find(node.crawlId);
    return crawl ? crawlItem(crawl) : new vscode.TreeItem('');
  }

  getParent(node: CrawlNode): CrawlNode | undefined {
    if (isPageNode(node)) return node.parent ?? this.#nodes.get(node.job.id);
    return 'option' in node ? this.#nodes.get(node.crawlId) : undefined;
  }

  /** Selects a crawl without moving the focus, and expands it if asked. */
  async reveal(crawlId: string, expand = false): Promise<void> {
    const node = this.#nodes.get(crawlId) ?? { crawlId };
    this.#nodes.set(crawlId, node);
    await this.#view.reveal(node, { select: true, focus: false, expand });
  }

  dispose(): void {
    this.#disposables.dispose();
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
    this.#view.message = staleMessage(store.state, { rows, updatedAt: store.updatedAt, now: Date.now() });
    const active = store.active.length;
    this.#view.description = limitWords(store.state) ?? (active > 1 ? l10n.t('{0} running', active) : undefined);
    if (change.kind === 'all') this.#changed.fire(undefined);
    if (change.kind === 'crawl') this.#redraw([change.id]);
  }

  #setVisible(visible: boolean): void {
    this.#crawls.policy.setVisible(visible);
    clearInterval(this.#tick);
    if (visible && readSetting('viewsAutoRefresh'))
      this.#tick = setInterval(() => this.#redraw([...this.#nodes.keys()]), tickMs);
  }

  #redraw(ids: readonly string[]): void {
    for (const id of ids) {
      const node = this.#nodes.get(id);
      if (node) this.#changed.fire(node);
    }
  }
}

function crawlItem(crawl: Crawl): vscode.TreeItem {
  const texts = crawlTexts(crawl, Date.now());
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const opens = crawlLines(crawl).length > 0 && (crawl.active || crawl.status === 'failed');
  const item = new vscode.TreeItem(texts.label, opens ? Expanded : crawl.hasId ? Collapsed : None);
  item.id = crawl.id;
  item.description = texts.description;
  item.tooltip = texts.tooltip;
  item.accessibilityInformation = { label: texts.spoken };
  item.iconPath = icon(crawl);
  item.contextValue = [
    'crawl',
    crawl.hasId && (crawl.active ? 'active' : 'ended'),
    crawl.hasId && 'named',
    siteAddress(crawl.url) && 'site',
  ]
    .filter(Boolean)
    .join(' ');
  return item;
}

function icon({ active, status }: Crawl): vscode.ThemeIcon {
  if (active) return new vscode.ThemeIcon('sync~spin');
  if (status === 'completed') return new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed'));
  if (status === 'failed') return new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));
  return new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));
}

function optionItem(line: string): vscode.TreeItem {
  const item = new vscode.TreeItem(line);
  item.tooltip = line;
  item.contextValue = 'option';
  return item;
}
