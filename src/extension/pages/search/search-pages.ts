import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../../client/job-documents.ts';
import type { FoundPage } from '../../../contract/crawl/pages.ts';
import type { FeatureParts } from '../../connection/connection.ts';
import { failureKind } from '../../connection/failures.ts';
import { registerCommand } from '../../ui/commands.ts';
import { settled } from '../../ui/dialogs.ts';
import { commands, pageScheme } from '../../ui/ids.ts';
import { count, label, messageOf, shortAddress } from '../../ui/text/text.ts';
import { noticeOf } from '../../ui/virtual-documents/document-text.ts';
import { parsePath, pathOf } from '../page-paths.ts';
import type { PagesStore } from '../pages-store.ts';
import type { SearchResults } from '../sources/page-source.ts';
import { type JobArgument, jobOfArgument, kindOfJob } from '../which-job.ts';
import { aroundMatch } from './match-lines.ts';

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  store: PagesStore;
}

interface MatchItem extends vscode.QuickPickItem {
  found?: FoundPage;
  /** Line and column from 1. */
  at?: { line: number; column: number; length: number };
  more?: string;
}

const debounceMs = 150;
const repeatMs = 1_000;
const pagesPerRead = 20;
const matchesPerPage = 5;

/** Registers "Search Pages…": full-text search over the pages of one job, or of all. */
export function registerSearchCommand(parts: Parts): vscode.Disposable {
  return registerCommand<[JobArgument]>(commands.searchPages, parts.log, async (argument) => {
    await search(parts, jobOfArgument(argument));
  });
}

async function search(parts: Parts, job: JobRef | undefined): Promise<void> {
  const pick = vscode.window.createQuickPick<MatchItem>();
  const title = job ? l10n.t('Search Pages') : l10n.t('Search Pages of All Crawls and Batches');
  pick.title = title;
  pick.placeholder = l10n.t('Words, or "words in quotes"');
  pick.matchOnDescription = true;
  let onlyChanges = false;
  let asking = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let shown: FoundPage[] = [];

  /** Lists what matches: from the start, or more of it. A repeated search lists as much as before and keeps the selected row. */
  const read = async ({ cursor, repeated = false }: { cursor?: string; repeated?: boolean } = {}): Promise<void> => {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const query = pick.value.trim();
    if (query === '') {
      shown = [];
      pick.items = [];
      pick.busy = false;
      return;
    }
    pick.busy = true;
    try {
      const before = cursor === undefined ? [] : shown;
      const wanted = repeated ? shown.length : 0;
      const { found, last } = await searchFor(parts, { query, job, cursor, onlyChanges }, before, wanted, signal);
      shown = found;
      const active = pick.activeItems[0];
      // A row would be sorted among the matches.
      pick.title = last.note ? `${title} (${last.note})` : title;
      pick.keepScrollPosition = repeated || cursor !== undefined;
      pick.items = itemsOf(shown, last);
      const selected = pick.items.find((item) =>
        repeated ? active && isSameRow(item, active) : item.found && item.found === found[before.length],
      );
      if (selected && pick.keepScrollPosition) pick.activeItems = [selected];
      pick.busy = last.incomplete;
      if (last.incomplete) timer = setTimeout(() => void read({ repeated: true }), repeatMs);
    } catch (error) {
      if (signal.aborted || failureKind(error) === 'cancelled') return;
      pick.busy = false;
      pick.items = [note(`$(error) ${label(messageOf(error), 200)}`)];
    }
  };
  const showButtons = () => {
    const tooltip = onlyChanges ? l10n.t('Show All Pages') : l10n.t('Only Changes');
    pick.buttons = [{ iconPath: new vscode.ThemeIcon(onlyChanges ? 'filter-filled' : 'filter'), tooltip }];
  };
  if (job?.kind === 'crawl' && parts.connection.target.kind === 'embedded') showButtons();
  pick.onDidTriggerButton(() => {
    onlyChanges = !onlyChanges;
    showButtons();
    void read();
  });
  pick.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), debounceMs);
  });
  const chosen = await settled<MatchItem, MatchItem>(pick, (item) => {
    if (item?.more !== undefined) void read({ cursor: item.more });
    return item?.found && item;
  });
  clearTimeout(timer);
  asking.abort();
  if (chosen?.found) await openMatch(parts, chosen.found, chosen.at);
}

type Query = { query: string; job: JobRef | undefined; cursor: string | undefined; onlyChanges: boolean };

/** Adds what is found to pages found before, until there are as many as wanted, or no more. */
async function searchFor(
  parts: Parts,
  query: Query,
  before: readonly FoundPage[],
  wanted: number,
  signal: AbortSignal,
): Promise<{ found: FoundPage[]; last: SearchResults }> {
  const last = await searchTarget(parts, query, signal);
  signal.throwIfAborted();
  const found = [...before, ...last.results];
  if (found.length >= wanted || last.cursor === undefined) return { found, last };
  return await searchFor(parts, { ...query, cursor: last.cursor }, found, wanted, signal);
}

function isSameRow(one: MatchItem, other: MatchItem): boolean {
  if (!one.found || !other.found) return one.more !== undefined && other.more !== undefined;
  return one.found.page.url === other.found.page.url && one.at?.line === other.at?.line;
}

async function searchTarget(
  { store, connection }: Parts,
  { query, job, cursor, onlyChanges }: Query,
  signal: AbortSignal,
): Promise<SearchResults> {
  const { embedded } = await connection.access();
  if (embedded) {
    const { searchService } = await import('../sources/service-pages.ts');
    return await searchService(embedded, { query, jobId: job?.id, cursor, limit: pagesPerRead, onlyChanges }, signal);
  }
  if (job) await store.source(job);
  const { searchLoaded } = await import('../sources/loaded-search.ts');
  return await searchLoaded(store.loaded, { query, job, cursor, limit: pagesPerRead });
}

function itemsOf(found: readonly FoundPage[], { total, cursor }: SearchResults): MatchItem[] {
  const items: MatchItem[] = [];
  if (found.length === 0) items.push(note(l10n.t('No pages match.')));
  for (const one of withoutTwins(found)) {
    const title = label(one.page.title ?? '', 60) || shortAddress(one.page.url, 60);
    items.push({ label: title, kind: vscode.QuickPickItemKind.Separator });
    const address = shortAddress(one.page.url, 80);
    for (const match of one.matches.slice(0, matchesPerPage)) {
      const { line, column, length } = match;
      const item = {
        label: label(aroundMatch(match)) || title,
        description: `${title} · ${address}:${line}`,
        alwaysShow: true,
      };
      items.push({ ...item, found: one, at: { line, column, length } });
    }
    if (one.matches.length === 0) items.push({ label: title, description: address, alwaysShow: true, found: one });
  }
  if (cursor !== undefined) {
    const rest = count(Math.max(0, total - found.length), 'more page');
    items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
    items.push({ label: l10n.t('$(ellipsis) Load more ({0})', rest), alwaysShow: true, more: cursor });
  }
  return items;
}

/** Leaves out pages that another crawl has with the same text: the first one stands for all. */
function withoutTwins(found: readonly FoundPage[]): FoundPage[] {
  const seen = new Set<string>();
  return found.filter(({ page, matches }) => {
    const key = JSON.stringify([page.url, page.title, matches.map(({ line, text }) => [line, text])]);
    return seen.size !== seen.add(key).size;
  });
}

function note(text: string): MatchItem {
  return { label: text, alwaysShow: true };
}

/** Opens the markdown of a page with the match selected. */
async function openMatch({ store, connection }: Parts, { jobId, page }: FoundPage, at: MatchItem['at']): Promise<void> {
  const job = { kind: await kindOfJob(store, connection, jobId), id: jobId };
  store.remember(job, [page]);
  const uri = vscode.Uri.from({ scheme: pageScheme, path: pathOf(job, page.url, 'markdown', page.title) });
  const path = parsePath(uri.path);
  // What stands above the page moves its lines down.
  const read = at && path && (await store.read(path).catch(() => undefined));
  const above = read ? noticeOf(read.document).split('\n').length - 1 : 0;
  const start = at && new vscode.Position(above + at.line - 1, at.column - 1);
  const selection = start && at && new vscode.Range(start, start.translate(0, at.length));
  await vscode.window.showTextDocument(uri, { preview: true, ...(selection && { selection }) });
}
