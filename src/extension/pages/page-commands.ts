import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { siteAddress } from '../ui/ask-url/web-page.ts';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
import { type CommandId, commands, pageScheme } from '../ui/ids.ts';
import type { PageNode } from '../ui/job-pages.ts';
import { cancellable } from '../ui/progress.ts';
import { shortAddress } from '../ui/text/text.ts';
import { bytesOf } from './page-documents.ts';
import { type JobKind, type PageView, parsePath, pathOf, urlsOf } from './page-paths.ts';
import type { PagesStore } from './pages-store.ts';
import { type PagesTree, pageOfRow } from './pages-tree.ts';

export interface PageParts {
  store: PagesStore;
  tree: PagesTree;
  connection: Connection;
  log: vscode.LogOutputChannel;
}

/** The argument of a command: a page's row, a scrape from elsewhere, a document, or nothing for the active editor. */
export type PageArgument = PageNode | { scrapeId?: unknown; url?: unknown; beside?: unknown } | vscode.Uri | undefined;

interface Subject {
  job: { kind: JobKind; id: string };
  url: string;
  /** Scrape id, for interactions. */
  scrapeId: string | undefined;
}

const viewCommands: readonly { id: CommandId; view: PageView; missing: string }[] = [
  {
    id: commands.openPageHtml,
    view: 'html',
    missing: l10n.t('This page has no HTML. Request the format "html" or "rawHtml".'),
  },
  { id: commands.openPageLinks, view: 'links', missing: l10n.t('This page has no links. Request the format "links".') },
  { id: commands.openPageMetadata, view: 'metadata', missing: l10n.t('This page has no metadata.') },
  { id: commands.openPageJson, view: 'json', missing: l10n.t('This page has no document.') },
  {
    id: commands.openPageScreenshot,
    view: 'screenshot',
    missing: l10n.t('This page has no screenshot. Request the format "screenshot".'),
  },
];

/** Registers the commands that open a page and act on it. */
export function registerPageCommands({ store, tree, connection, log }: PageParts): vscode.Disposable {
  const command = (id: CommandId, run: (argument: PageArgument) => unknown) =>
    registerCommand<[PageArgument]>(id, log, (argument) => {
      requireTrust();
      return run(argument);
    });
  const uriOf = ({ job, url }: Subject, view: PageView) =>
    vscode.Uri.from({ scheme: pageScheme, path: pathOf(job, url, view) });

  /** Reads the page first, so that failures are messages and not empty editors. */
  async function uriWith(argument: PageArgument, view: PageView, missing: string): Promise<vscode.Uri> {
    const subject = await subjectOf(store, argument);
    const uri = uriOf(subject, view);
    await cancellable(l10n.t('Web Data: Loading {0}', shortAddress(subject.url, 60)), async () => {
      const path = parsePath(uri.path);
      if (path && !bytesOf(await store.read(path), view)) throw new UserError(missing);
    });
    return uri;
  }

  return vscode.Disposable.from(
    command(commands.openPage, async (argument) => {
      const uri = await uriWith(argument, 'markdown', l10n.t('This page has no document.'));
      const beside = argument !== undefined && 'beside' in argument && argument.beside === true;
      await vscode.commands.executeCommand(beside ? 'markdown.showPreviewToSide' : 'markdown.showPreview', uri);
    }),
    command(commands.openPageMarkdown, async (argument) => {
      const uri = await uriWith(argument, 'markdown', l10n.t('This page has no document.'));
      await vscode.window.showTextDocument(uri, { preview: true });
    }),
    ...viewCommands.map(({ id, view, missing }) =>
      command(id, async (argument) => {
        await vscode.commands.executeCommand('vscode.open', await uriWith(argument, view, missing), { preview: true });
      }),
    ),
    command(commands.openPageInSession, async (argument) => {
      const address = siteAddress((await subjectOf(store, argument)).url);
      if (!address) throw new UserError(l10n.t("This page's URL can't be opened in a session."));
      const sessionId = await vscode.commands.executeCommand(commands.newBrowserSession);
      if (typeof sessionId !== 'string') return;
      await cancellable(l10n.t('Web Data: Opening {0}', shortAddress(address.href, 60)), async (signal) => {
        const { client } = await connection.access();
        const code = `await page.goto(${JSON.stringify(address.href)}, { waitUntil: 'domcontentloaded' }); undefined`;
        await client.executeInBrowserSession({ params: { sessionId }, body: { code, language: 'node' } }, { signal });
      });
      await vscode.commands.executeCommand(commands.openLiveView, { sessionId });
    }),
    command(commands.interactWithPage, async (argument) => {
      await interact(await subjectOf(store, argument));
    }),
    command(commands.askAboutPage, async (argument) => {
      await interact(await subjectOf(store, argument));
      await vscode.commands.executeCommand(commands.sendPrompt);
    }),
    command(commands.copyPageUrl, async (argument) => {
      await vscode.env.clipboard.writeText((await subjectOf(store, argument)).url);
      vscode.window.setStatusBarMessage(l10n.t('$(check) URL copied'), 5_000);
    }),
    registerCommand<[PageNode]>(commands.loadMorePages, log, (node) => tree.loadMore(node)),
  );
}

async function interact({ scrapeId, url }: Subject): Promise<void> {
  if (!scrapeId)
    throw new UserError(l10n.t("The server didn't return a scrape ID for this page, so it can't be opened again."));
  await vscode.commands.executeCommand(commands.interactWithScrape, { id: scrapeId, target: url });
}

async function subjectOf(store: PagesStore, argument: PageArgument): Promise<Subject> {
  if (argument && 'job' in argument) {
    const found = pageOfRow(argument);
    if (found) return { job: found.job, url: found.page.url, scrapeId: found.page.id ?? undefined };
  }
  if (argument && 'scrapeId' in argument && typeof argument.scrapeId === 'string') {
    const url = typeof argument.url === 'string' ? argument.url : '';
    return { job: { kind: 'scrape', id: argument.scrapeId }, url, scrapeId: argument.scrapeId };
  }
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  const path = uri?.scheme === pageScheme ? parsePath(uri.path) : undefined;
  if (!path) throw new UserError(l10n.t('Select a page of a crawl first.'));
  const page = await store.page(path);
  const { document } = await store.read(path);
  const [fallback = path.page] = urlsOf(path.page);
  const scrapeId = path.kind === 'scrape' ? path.jobId : (page?.id ?? undefined);
  const url = page?.url ?? document.metadata?.url ?? fallback;
  return { job: { kind: path.kind, id: path.jobId }, url, scrapeId };
}
