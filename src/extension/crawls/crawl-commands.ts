import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { siteAddress } from '../ui/ask-url/web-page.ts';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { count, shortAddress } from '../ui/text/text.ts';
import { crawlTexts } from './crawl-texts.ts';
import type { Crawl } from './crawls-store.ts';
import { draftCrawl, type StartParts, submitCrawl } from './draft/start-crawl.ts';

/** The argument of a command: a tree row, a crawl's id from elsewhere, or nothing from the palette. */
type CrawlArgument = { crawlId?: unknown } | undefined;

export function registerCrawlCommands(parts: StartParts): vscode.Disposable {
  const { crawls, connection, log } = parts;
  const { store } = crawls;
  const disposables = new Disposables();
  const command = <Arguments extends unknown[]>(
    id: Parameters<typeof registerCommand>[0],
    run: (...args: Arguments) => unknown,
  ) =>
    disposables.add(
      registerCommand<Arguments>(id, log, (...args) => {
        requireTrust();
        return run(...args);
      }),
    );

  command(commands.startCrawl, (given?: unknown) => draftCrawl(parts, given));
  command(commands.submitCrawl, (target: unknown) => submitCrawl(parts, target));
  command(commands.openCrawl, async (argument: CrawlArgument) => {
    const id = await chooseId(store.crawls, argument, l10n.t('Select a crawl to show'));
    if (id) await vscode.commands.executeCommand(commands.openRecord, { endpoint: 'crawl', id });
  });
  command(commands.cancelCrawl, async (argument: CrawlArgument) => {
    const id = await chooseId(store.active, argument, l10n.t('Select a crawl to cancel'));
    const crawl = id === undefined ? undefined : store.find(id);
    if (!id || !(await confirmCancel(crawl))) return;
    const { client } = await connection.access();
    await client.cancelCrawl({ params: { jobId: id } });
    crawls.cancelled(id);
  });
  command(commands.copyCrawlId, async (argument: CrawlArgument) => {
    const id = await chooseId(store.crawls, argument, l10n.t('Select a crawl to copy its ID'));
    if (!id) return;
    await vscode.env.clipboard.writeText(id);
    vscode.window.setStatusBarMessage(l10n.t('$(check) Crawl ID copied'), 5_000);
  });
  command(commands.openCrawledSite, async (argument: CrawlArgument) => {
    const id = await chooseId(store.crawls, argument, l10n.t('Select a crawl to open its site'));
    const address = siteAddress(id === undefined ? undefined : store.find(id)?.url);
    if (!address) throw new UserError(l10n.t("This crawl doesn't have a URL that can be opened."));
    await vscode.env.openExternal(vscode.Uri.parse(address.href, true));
  });
  disposables.add(store.onEnded.on((crawl) => void notifyEnded(crawl, parts)));
  return disposables;
}

/** Shows a notification when a crawl started by this window ends. */
async function notifyEnded(crawl: Crawl, { reveal }: StartParts): Promise<void> {
  if (!crawl.own || crawl.status === 'cancelled') return;
  const showResults = l10n.t('Show Pages');
  const site = crawl.url ? shortAddress(crawl.url, 60) : crawl.shortId;
  const pages = crawl.completed === undefined ? undefined : count(crawl.completed, 'page');
  const failed = crawl.status === 'failed';
  const text = failed ? failedText(site, pages) : completedText(site, pages);
  const chosen = failed
    ? await vscode.window.showWarningMessage(text, showResults)
    : await vscode.window.showInformationMessage(text, showResults);
  if (chosen) await reveal(crawl.id, true);
}

function completedText(site: string, pages: string | undefined): string {
  return pages === undefined
    ? l10n.t('Web Data: crawl of {0} completed.', site)
    : l10n.t('Web Data: crawl of {0} completed: {1}.', site, pages);
}

function failedText(site: string, pages: string | undefined): string {
  return pages === undefined
    ? l10n.t('Web Data: crawl of {0} failed.', site)
    : l10n.t('Web Data: crawl of {0} failed: {1}.', site, pages);
}

async function chooseId(crawls: readonly Crawl[], argument: CrawlArgument, title: string): Promise<string | undefined> {
  if (typeof argument?.crawlId === 'string') return argument.crawlId;
  const known = crawls.filter(({ hasId }) => hasId);
  if (known.length === 0) {
    throw new UserError(l10n.t('No crawls found.'), [{ title: l10n.t('Start Crawl…'), command: commands.startCrawl }]);
  }
  const picked = await vscode.window.showQuickPick(
    known.map((crawl) => {
      const { label, description } = crawlTexts(crawl, Date.now());
      return { label, description, id: crawl.id };
    }),
    { title },
  );
  return picked?.id;
}

async function confirmCancel(crawl: Crawl | undefined): Promise<boolean> {
  const cancel = l10n.t('Cancel Crawl');
  const chosen = await vscode.window.showWarningMessage(
    crawl?.url ? l10n.t('Cancel the crawl of {0}?', shortAddress(crawl.url, 60)) : l10n.t('Cancel this crawl?'),
    { modal: true, detail: l10n.t("A canceled crawl can't be resumed. Pages that were already crawled are kept.") },
    cancel,
  );
  return chosen === cancel;
}
