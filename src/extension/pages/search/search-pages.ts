import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../../client/job-documents.ts';
import type { FoundPage } from '../../../contract/crawl/pages.ts';
import type { Connection } from '../../connection/connection.ts';
import { failureKind } from '../../connection/failures.ts';
import { registerCommand, requireTrust } from '../../ui/commands.ts';
import { commands, pageScheme } from '../../ui/ids.ts';
import { count, label, messageOf, shortAddress } from '../../ui/text/text.ts';
import { pathOf } from '../page-paths.ts';
import type { PagesStore } from '../pages-store.ts';
import type { SearchResults } from '../sources/page-source.ts';
import { type JobArgument, jobOfArgument, kindOfJob } from '../which-job.ts';

interface Parts {
  store: PagesStore;
  connection: Connection;
  log: vscode.LogOutputChannel;
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
    requireTrust();
    await search(parts, jobOfArgument(argument));
  });
}

async function search(parts: Parts, job: JobRef | undefined): Promise<void> {
  const pick = vscode.window.createQuickPick<MatchItem>();
  const title = job ? l10n.t('Search Pages') : l10n.t('Search Pages of All Crawls and Batches');
  pick.title = title;
  pick.placeholder = l10n.t('Words, or "words in quotes"');
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  let asking = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let shown: FoundPage[] = [];

  const read = async (cursor?: string): Promise<void> => {
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
      const results = await searchTarget(parts, { query, job, cursor }, signal);
      if (signal.aborted) return;
      shown = cursor === undefined ? results.results : [...shown, ...results.results];
      const active = pick.activeItems[0];
      // A row would be sorted among the matches.
      pick.title = results.note ? `${title} (${results.note})` : title;
      pick.items = itemsOf(shown, results);
      if (cursor !== undefined && active)
        pick.activeItems = pick.items.filter(({ label }) => label === active.label).slice(0, 1);
      pick.busy = results.incomplete;
      if (results.incomplete) timer = setTimeout(() => void read(), repeatMs);
    } catch (error) {
      if (signal.aborted || failureKind(error) === 'cancelled') return;
      pick.busy = false;
      pick.items = [note(`$(error) ${label(messageOf(error), 200)}`)];
    }
  };
  pick.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), debounceMs);
  });
  try {
    await new Promise<void>((resolve) => {
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item?.more !== undefined) void read(item.more);
        if (!item?.found) return;
        void openMatch(parts, item.found, item.at);
        resolve();
      });
      pick.onDidHide(() => resolve());
      pick.show();
    });
  } finally {
    clearTimeout(timer);
    asking.abort();
    pick.dispose();
  }
}

async function searchTarget(
  { store, connection }: Parts,
  { query, job, cursor }: { query: string; job: JobRef | undefined; cursor: string | undefined },
  signal: AbortSignal,
): Promise<SearchResults> {
  const { embedded } = await connection.access();
  if (embedded) {
    const { searchService } = await import('../sources/service-pages.ts');
    return await searchService(embedded, { query, jobId: job?.id, cursor, limit: pagesPerRead }, signal);
  }
  if (job) await store.source(job);
  const { searchLoaded } = await import('../sources/loaded-search.ts');
  return await searchLoaded(store.loaded, { query, job, cursor, limit: pagesPerRead });
}

function itemsOf(found: readonly FoundPage[], { total, cursor }: SearchResults): MatchItem[] {
  const items: MatchItem[] = [];
  if (found.length === 0) items.push(note(l10n.t('No pages match.')));
  for (const one of found) {
    const title = label(one.page.title ?? '', 60) || shortAddress(one.page.url, 60);
    items.push({ label: title, kind: vscode.QuickPickItemKind.Separator });
    const address = shortAddress(one.page.url, 80);
    for (const { line, column, length, text: lineText } of one.matches.slice(0, matchesPerPage)) {
      const item = {
        label: label(lineText, 160) || title,
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

function note(text: string): MatchItem {
  return { label: text, alwaysShow: true };
}

/** Opens the markdown of a page with the match selected. */
async function openMatch({ store, connection }: Parts, { jobId, page }: FoundPage, at: MatchItem['at']): Promise<void> {
  const job = { kind: await kindOfJob(store, connection, jobId), id: jobId };
  store.remember(job, [page]);
  const uri = vscode.Uri.from({ scheme: pageScheme, path: pathOf(job, page.url) });
  const start = at && new vscode.Position(at.line - 1, at.column - 1);
  const selection = start && at && new vscode.Range(start, start.translate(0, at.length));
  await vscode.window.showTextDocument(uri, { preview: true, ...(selection && { selection }) });
}
