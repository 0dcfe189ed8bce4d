import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { MonitorCheck, MonitorCheckPage } from '../../contract/monitors.ts';
import { label, messageOf } from '../ui/text/text.ts';
import type { WatchNode, WatchRows } from '../ui/tree-rows.ts';
import type { CheckReader } from './check-reader.ts';
import type { WatchNotices } from './notices.ts';
import { type WatchRow, watchRowItem } from './watch-items.ts';
import { siteOf, timingTexts, toldText } from './watch-texts.ts';
import type { PolledWatches, Watch } from './watches-store.ts';

const group: WatchRow = { watchRow: 'watches', kind: 'group' };
/** Rows per "Load more". */
const atATime = { checks: 20, pages: 100 };

/** The rows of watches: a group, below it each watch, below that its checks, below those the pages that differ. */
export class WatchesTree implements WatchRows {
  #watches: PolledWatches;
  #checks: CheckReader;
  #notices: WatchNotices;
  #changed = new vscode.EventEmitter<WatchNode[] | undefined>();
  /** Rows by ID: VS Code tells them apart by identity. */
  #rows = new Map<string, WatchRow>();
  #limits = new Map<string, number>();
  readonly onDidChange = this.#changed.event;

  constructor(watches: PolledWatches, checks: CheckReader, notices: WatchNotices) {
    this.#watches = watches;
    this.#checks = checks;
    this.#notices = notices;
    watches.store.onChange.on((change) => {
      if (change.kind === 'all') this.#changed.fire(undefined);
      if (change.kind === 'watch') this.redraw([change.id]);
    });
  }

  top(): WatchNode[] {
    return this.#watches.store.watches.length > 0 ? [group] : [];
  }

  async rows(of: WatchNode): Promise<WatchNode[]> {
    const row = of as WatchRow;
    try {
      if (row.kind === 'group') return this.#watches.store.watches.map(({ id }) => this.row(id));
      if (row.kind === 'watch') return await this.#below(row);
      if (row.kind === 'check') return await this.#pages(row);
      return [];
    } catch (error) {
      const text = l10n.t("Couldn't load the checks: {0}", label(messageOf(error), 200));
      const failure: WatchRow = {
        watchRow: `${row.watchRow} failed`,
        kind: 'message',
        parent: row,
        text,
        failed: true,
      };
      return [failure];
    }
  }

  item(node: WatchNode): vscode.TreeItem {
    const row = node as WatchRow;
    const { store } = this.#watches;
    if (row.kind !== 'watch') return watchRowItem(row, store.watches.length);
    const watch = store.find(row.watchId);
    return watch ? watchRowItem({ ...row, watch, tells: this.#notices.has(watch.id) }, 0) : new vscode.TreeItem('');
  }

  parent(node: WatchNode): WatchNode | undefined {
    return (node as WatchRow).parent;
  }

  /** Returns the row of a watch, to reveal it. */
  row(watchId: string): WatchRow {
    const watchRow = `watch ${watchId}`;
    const row = this.#rows.get(watchRow) ?? { watchRow, kind: 'watch', parent: group, watchId };
    this.#rows.set(watchRow, row);
    return row;
  }

  setVisible(visible: boolean): void {
    this.#watches.setVisible(visible);
  }

  redraw(ids = this.#watches.store.watches.map(({ id }) => id)): void {
    if (ids.length > 0) this.#changed.fire(ids.map((id) => this.row(id)));
  }

  /** Shows the next rows of a "Load more" row. */
  loadMore(node: WatchNode): void {
    const { parent } = node as WatchRow;
    if (!parent) return;
    const step = parent.kind === 'check' ? atATime.pages : atATime.checks;
    this.#limits.set(parent.watchRow, (this.#limits.get(parent.watchRow) ?? step) + step);
    this.#changed.fire([parent]);
  }

  async #below(row: WatchRow & { kind: 'watch' }): Promise<WatchNode[]> {
    const watch = this.#watches.store.find(row.watchId);
    if (!watch) return [];
    const { checks, more } = await this.#checks.checks(watch, this.#limits.get(row.watchRow) ?? atATime.checks);
    return [
      ...this.#facts(row, watch),
      ...checks.map((check) => this.#check(row, check)),
      ...(more ? [moreRow(row)] : []),
    ];
  }

  /** Returns when a watch looks and who is told, as rows. */
  #facts(parent: WatchRow & { kind: 'watch' }, watch: Watch): WatchRow[] {
    const [often, next] = timingTexts(watch, Date.now());
    const told = toldText(watch, this.#notices.has(watch.id));
    const fact = (name: string, icon: string, text: string, description?: string): WatchRow => ({
      watchRow: `${parent.watchRow} ${name}`,
      kind: 'fact',
      parent,
      icon,
      text,
      description,
    });
    return [...(often === undefined ? [] : [fact('often', 'clock', often, next)]), fact('told', 'bell', told)];
  }

  #check(parent: WatchRow & { kind: 'watch' }, check: MonitorCheck): WatchRow {
    const watchRow = `check ${check.id}`;
    const row: WatchRow = { watchRow, kind: 'check', parent, watchId: parent.watchId, checkId: check.id, check };
    this.#rows.set(watchRow, row);
    return row;
  }

  async #pages(row: WatchRow & { kind: 'check' }): Promise<WatchNode[]> {
    const limit = this.#limits.get(row.watchRow) ?? atATime.pages;
    const { pages, more } = await this.#checks.pages(row.check, limit);
    const watch = this.#watches.store.find(row.watchId);
    const site = watch && siteOf(watch);
    const { same } = row.check.summary;
    const rest = l10n.t('{0} unchanged', same.toLocaleString('en-US'));
    return [
      ...pages.map((page) => pageRow(row, page, site)),
      ...(more ? [moreRow(row)] : []),
      ...(same > 0
        ? [{ watchRow: `${row.watchRow} same`, kind: 'message', parent: row, text: rest, failed: false } as const]
        : []),
    ];
  }
}

function moreRow(parent: WatchRow): WatchRow {
  return { watchRow: `${parent.watchRow} more`, kind: 'more', parent };
}

function pageRow(parent: WatchRow & { kind: 'check' }, page: MonitorCheckPage, site: string | undefined): WatchRow {
  const { watchId, checkId } = parent;
  const scrapeId = page.currentScrapeId ?? undefined;
  return { watchRow: `page ${page.id}`, kind: 'page', parent, watchId, checkId, page, url: page.url, scrapeId, site };
}
