import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobState, SiteMap as SiteMapResponse } from '../../contract/crawl/crawl-jobs.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { followJob } from '../connection/polling/follow-job.ts';
import { inBackground, registerCommand, UserError } from '../ui/commands.ts';
import { cancellable, say, settled } from '../ui/dialogs.ts';
import { type CommandId, commands, views } from '../ui/ids.ts';
import type { JobEndings } from '../ui/job-endings.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { count, hostOf, label, pathAndQuery, shortAddress, withWarnings } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import { failuresOf } from './sources/page-source.ts';

interface Parts extends FeatureParts {
  endings: Pick<JobEndings, 'tell'>;
}

/** The result of a map, or other pages to choose from. */
export interface SiteMap {
  /** The site, whose host the rows don't repeat; undefined for pages of several sites. */
  url?: string;
  /** What is listed, instead of the pages of a site. */
  title?: string;
  warning?: string | null | undefined;
  /** What was read to find the pages, and why that ended, as far as the server tells. */
  read?: SiteMapResponse['read'];
  stopped?: string;
  /** Whether another look may find more pages. */
  canFindMore?: boolean;
  links: readonly { url: string; title?: string | null | undefined; description?: string | null | undefined }[];
}

type LinkItem = vscode.QuickPickItem & { url: string };
type PageAction = vscode.QuickPickItem & { command?: CommandId };

/** Registers the command that lists the pages of a map with checkboxes, and scrapes or crawls the selected ones. */
export function registerMapCommand(parts: Parts): vscode.Disposable {
  const disposables = new Disposables();
  disposables.add(
    registerCommand<[SiteMap]>(commands.chooseMappedPages, parts.log, async (map) => {
      const urls = await selectPages(map);
      if (urls === 'find more') return urls;
      if (urls === 'json') await openJson(parts, map);
      else if (urls && urls.length > 0) await act(parts, urls, () => disposables.disposed);
      return undefined;
    }),
  );
  return disposables;
}

/** Shows the pages of a map with checkboxes; the other action that the user chose, or undefined if the user cancels. */
async function selectPages(map: SiteMap): Promise<string[] | 'find more' | 'json' | undefined> {
  const pick = vscode.window.createQuickPick<LinkItem>();
  const found = map.title ?? l10n.t('{0} on {1}', count(map.links.length, 'page'), siteOf(map));
  pick.title = [found, readText(map)].filter(Boolean).join(' · ');
  const end = map.stopped === undefined ? undefined : ends[map.stopped]?.();
  // The notification of a map has its warning.
  const told = map.warning ? l10n.t('Pages may be missing: the notification says why') : undefined;
  const hint = map.title !== undefined && map.warning ? label(map.warning, 200) : (end ?? told);
  pick.placeholder = hint ?? l10n.t('Filter, then select the pages to scrape or crawl');
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  const findMore = { iconPath: new vscode.ThemeIcon('search-fuzzy'), tooltip: l10n.t('Find More') };
  pick.buttons = [
    ...(map.canFindMore ? [findMore] : []),
    { iconPath: new vscode.ThemeIcon('json'), tooltip: l10n.t('Open as JSON') },
  ];
  pick.items = map.links.map(({ url, title }) => {
    const text = label(title ?? '', 80);
    const path = map.url === undefined ? shortAddress(url, 120) : label(pathAndQuery(url), 120);
    return text ? { label: text, description: path, url } : { label: path, url };
  });
  const accept = (): string[] | 'find more' | 'json' => pick.selectedItems.map(({ url }) => url);
  return await settled(pick, accept, (resolve) => {
    pick.onDidTriggerButton((button) => resolve(button === findMore ? 'find more' : 'json'));
  });
}

async function openJson({ documents }: Parts, map: SiteMap): Promise<void> {
  await documents.open(`map/${safeFileName(siteOf(map) || 'pages')}.json`, JSON.stringify(map, undefined, 2));
}

function siteOf({ url }: SiteMap): string {
  return label(hostOf(url) ?? url ?? '', 60);
}

/** Why a map has not all pages of its site, as a hint. */
const ends: Readonly<Record<string, () => string>> = {
  limit: () => l10n.t('The site has more pages than are listed. Find More lists them.'),
  readPages: () => l10n.t("Some lists haven't been read yet. Find More reads them."),
  timeout: () => l10n.t('The map timed out before all lists were read.'),
};

/** Returns what was read to find the pages. */
function readText({ read }: SiteMap): string | undefined {
  if (!read) return undefined;
  const lists = Math.max(0, read.pages - 1);
  return [
    read.sitemaps > 0 && l10n.t('sitemap'),
    ...(read.files ?? []).map((url) => label(pathAndQuery(url).slice(1), 40)),
    read.pages > 0 && l10n.t('start page'),
    lists > 0 && (lists === 1 ? l10n.t('1 more page read') : l10n.t('{0} more pages read', lists)),
  ]
    .filter(Boolean)
    .join(', ');
}

/** Asks what to do with the selected pages, and does it. Several are scraped as one batch: a crawl has one site. */
async function act(parts: Parts, urls: readonly string[], isOver: () => boolean): Promise<void> {
  const pages = count(urls.length, 'page');
  const [url] = urls;
  const one: PageAction[] = [
    { label: l10n.t('$(cloud-download) Scrape'), command: commands.scrapeUrl },
    { label: l10n.t('$(globe) Start Crawl…'), description: l10n.t('from this page'), command: commands.startCrawl },
  ];
  const several: PageAction[] = [{ label: l10n.t('$(files) Batch Scrape'), description: pages }];
  const choice = await vscode.window.showQuickPick(urls.length === 1 ? one : several, {
    title: l10n.t('{0} selected', pages),
  });
  if (!choice) return;
  if (choice.command) return await vscode.commands.executeCommand(choice.command, url);
  await startBatch(parts, urls, isOver);
}

async function startBatch(parts: Parts, urls: readonly string[], isOver: () => boolean): Promise<void> {
  const { connection, log } = parts;
  const { id } = await cancellable(l10n.t('Web Data: Starting…'), async (signal) => {
    const { client } = await connection.access();
    return await client.startBatchScrape({ body: { urls: [...urls] } }, { signal });
  });
  connection.onRefresh.fire();
  say(l10n.t('$(check) Batch started'));
  inBackground('Batch', followBatch(parts, id, urls.length, isOver), log);
}

/** Tells that a batch has ended, how many of its pages it has, and what they lack. */
async function followBatch(parts: Parts, id: string, asked: number, isOver: () => boolean): Promise<void> {
  const { connection, endings } = parts;
  const ended = await followJob<JobState>({
    connection,
    read: ({ getBatchScrape }) => getBatchScrape({ params: { jobId: id }, query: { limit: 1 } }, { retries: 0 }),
    hasEnded: ({ status }) => status !== 'scraping',
    isOver,
  });
  if (!ended || ended.status === 'cancelled' || isOver()) return;
  connection.onRefresh.fire();
  const { completed, warned } = ended;
  const total = ended.total ?? asked;
  const isShort = typeof completed === 'number' && completed < total;
  const pages = isShort
    ? l10n.t('{0} of {1} pages', completed.toLocaleString('en-US'), total.toLocaleString('en-US'))
    : count(completed, 'page');
  const known = [pages, warned && l10n.t('{0} with a warning', warned)].filter(Boolean).join(', ');
  const ending =
    ended.status === 'completed'
      ? l10n.t('Web Data: Batch completed: {0}', known)
      : l10n.t(
          'Web Data: Batch failed: {0}',
          [ended.error && label(ended.error, 300), known].filter(Boolean).join(' · '),
        );
  const text = withWarnings(ending, ended.warning);
  const failed = ended.status !== 'completed' || completed === 0;
  const again = l10n.t('Scrape the Others Again');
  const chosen = await endings.tell(views.activity, { text, failed, ways: isShort ? [again] : [] });
  if (chosen === 'open') await vscode.commands.executeCommand(commands.openRecord, { endpoint: 'batch_scrape', id });
  else if (chosen) await startBatch(parts, await failedPages(connection, id), isOver);
}

/** Returns the pages of a batch that failed, without those that robots.txt disallows. */
async function failedPages(connection: Parts['connection'], id: string): Promise<string[]> {
  const failures = await cancellable(l10n.t('Web Data: Starting…'), async (signal) => {
    const { client } = await connection.access();
    return failuresOf(await client.getBatchScrapeErrors({ params: { jobId: id } }, { signal }));
  });
  const failed = failures.filter(({ state }) => state === 'failed');
  if (failed.length > 0) return failed.map(({ url }) => url);
  throw new UserError(
    failures.length > 0
      ? l10n.t('The other pages are blocked by robots.txt.')
      : l10n.t("The server didn't list the pages that failed."),
  );
}
