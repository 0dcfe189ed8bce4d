import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { siteAddress } from '../../contract/addresses.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { codeLens } from '../ui/code-lens.ts';
import { registerCommand, setContextKey, UserError } from '../ui/commands.ts';
import { cancellable, say } from '../ui/dialogs.ts';
import { type CommandId, commands, pageScheme } from '../ui/ids.ts';
import { waysToMore } from '../ui/scrape-again.ts';
import { shortAddress } from '../ui/text/text.ts';
import type { PageNode } from '../ui/tree-rows.ts';
import { bytesOf, type PageDocuments } from './page-documents.ts';
import { type JobKind, type PageView, parsePath, pathOf, urlsOf } from './page-paths.ts';
import type { PagesStore } from './pages-store.ts';
import { type PagesTree, pageOfRow } from './pages-tree.ts';

export interface PageParts extends Pick<FeatureParts, 'connection' | 'log'> {
  store: PagesStore;
  tree: PagesTree;
}

/** The argument of a command: a row of a page or of a scrape, a scrape from elsewhere, a document, or nothing for the active editor. */
export type PageArgument =
  | PageNode
  | { scrapeId?: unknown; url?: unknown; beside?: unknown; keep?: unknown }
  | { entry: { id?: string; target?: string } }
  | vscode.Uri
  | undefined;

interface Subject {
  job: { kind: JobKind; id: string };
  url: string;
  /** Scrape id, for interactions. */
  scrapeId: string | undefined;
}

/** What a page can be opened as, besides its Markdown as text. `missing`: what to do if the page doesn't have it. */
const otherViews: readonly (vscode.QuickPickItem & { view: PageView; missing: string })[] = [
  { label: l10n.t('$(open-preview) Preview'), view: 'markdown', missing: l10n.t('This page has no document.') },
  {
    label: l10n.t('$(code) HTML'),
    view: 'html',
    missing: l10n.t('This page has no HTML. Request the format "html" or "rawHtml".'),
  },
  {
    label: l10n.t('$(link) Links'),
    view: 'links',
    missing: l10n.t('This page has no links. Request the format "links".'),
  },
  { label: l10n.t('$(info) Metadata'), view: 'metadata', missing: l10n.t('This page has no metadata.') },
  {
    label: l10n.t('$(file-media) Screenshot'),
    view: 'screenshot',
    missing: l10n.t('This page has no screenshot. Request the format "screenshot".'),
  },
  {
    label: l10n.t('$(json) JSON'),
    description: l10n.t('the whole document'),
    view: 'json',
    missing: l10n.t('This page has no document.'),
  },
];

/** Registers the commands that open a page and act on it. */
export function registerPageCommands({ store, tree, connection, log }: PageParts): vscode.Disposable {
  const command = (id: CommandId, run: (argument: PageArgument) => unknown) =>
    registerCommand<[PageArgument]>(id, log, run);
  const uriOf = ({ job, url }: Subject, view: PageView, title?: string | null) =>
    vscode.Uri.from({ scheme: pageScheme, path: pathOf(job, url, view, title) });

  /** Reads the page first, so that failures are messages and not empty editors. */
  async function uriWith(subject: Subject, view: PageView, missing: string): Promise<vscode.Uri> {
    const uri = uriOf(subject, view);
    return await cancellable(l10n.t('Web Data: Loading {0}…', shortAddress(subject.url, 60)), async () => {
      const path = parsePath(uri.path);
      if (!path) return uri;
      const page = await store.read(path);
      if (!bytesOf(page, view)) throw new UserError(missing);
      return uriOf(subject, view, page.document.metadata?.title);
    });
  }

  return vscode.Disposable.from(
    command(commands.openPage, async (argument) => {
      const uri = await uriWith(await subjectOf(store, argument), 'markdown', l10n.t('This page has no document.'));
      const beside = argument !== undefined && 'beside' in argument && argument.beside === true;
      await vscode.commands.executeCommand(beside ? 'markdown.showPreviewToSide' : 'markdown.showPreview', uri);
    }),
    command(commands.openPageMarkdown, async (argument) => {
      const uri = await uriWith(await subjectOf(store, argument), 'markdown', l10n.t('This page has no document.'));
      // A page that was asked for stays open when the next one comes; pages that are leafed through share a tab.
      const keep = argument !== undefined && 'keep' in argument && argument.keep === true;
      await vscode.window.showTextDocument(uri, { preview: !keep });
    }),
    command(commands.openPageAs, async (argument) => {
      // The editor may be another one when the user has chosen.
      const subject = await subjectOf(store, argument);
      const title = l10n.t('Open {0} As', shortAddress(subject.url, 60));
      const chosen = await vscode.window.showQuickPick(otherViews, { title });
      if (!chosen) return;
      const uri = await uriWith(subject, chosen.view, chosen.missing);
      if (chosen.view === 'markdown') await vscode.commands.executeCommand('markdown.showPreview', uri);
      else await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
    }),
    command(commands.openPageInSession, async (argument) => {
      const address = siteAddress((await subjectOf(store, argument)).url);
      if (!address) throw new UserError(l10n.t("This page's URL can't be opened in a session."));
      const sessionId = await vscode.commands.executeCommand(commands.newBrowserSession);
      if (typeof sessionId !== 'string') return;
      await cancellable(l10n.t('Web Data: Opening {0}…', shortAddress(address.href, 60)), async (signal) => {
        const { client } = await connection.access();
        const code = `await page.goto(${JSON.stringify(address.href)}, { waitUntil: 'domcontentloaded' }); undefined`;
        await client.executeInBrowserSession({ params: { sessionId }, body: { code, language: 'node' } }, { signal });
      });
      await vscode.commands.executeCommand(commands.openLiveView, { sessionId });
    }),
    command(commands.scrapeOfPage, async (argument) => {
      if (!isPage(argument)) return undefined;
      const { scrapeId, url } = await subjectOf(store, argument);
      if (scrapeId) return { id: scrapeId, target: url };
      throw new UserError(l10n.t("The server didn't return a scrape ID for this page, so it can't be opened again."));
    }),
    command(commands.urlOfPage, async (argument) => (await subjectOf(store, argument)).url),
    command(commands.copyPageUrl, async (argument) => {
      await vscode.env.clipboard.writeText((await subjectOf(store, argument)).url);
      say(l10n.t('$(check) URL copied'));
    }),
    registerCommand<[PageNode]>(commands.loadMorePages, log, (node) => tree.loadMore(node)),
  );
}

/** Whether an argument, or without one the active editor, is a page. */
function isPage(argument: PageArgument): boolean {
  if (argument && 'job' in argument) return pageOfRow(argument) !== undefined;
  if (argument && 'scrapeId' in argument) return true;
  const uri = argument ?? vscode.window.activeTextEditor?.document.uri;
  return uri instanceof vscode.Uri && uri.scheme === pageScheme;
}

async function subjectOf(store: PagesStore, argument: PageArgument): Promise<Subject> {
  if (argument && 'job' in argument) {
    const found = pageOfRow(argument);
    if (found) return { job: found.job, url: found.page.url, scrapeId: found.page.id ?? undefined };
  }
  if (argument && 'entry' in argument && argument.entry.id !== undefined) {
    const { id, target = '' } = argument.entry;
    return { job: { kind: 'scrape', id }, url: target, scrapeId: id };
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
  const url = page?.url ?? document.metadata?.url ?? document.metadata?.sourceURL ?? fallback;
  return { job: { kind: path.kind, id: path.jobId }, url, scrapeId };
}

/**
 * The button in the title bar of a page's preview that gets what its text says is missing: links of a preview can't run
 * commands. VS Code tells only the name of the document that a preview shows.
 */
export function previewButton(
  store: Pick<PagesStore, 'read'>,
  documents: Pick<PageDocuments, 'named' | 'onRead'>,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  let shown: ReturnType<typeof waysToMore> = [];
  let updates = 0;
  async function update(): Promise<void> {
    const current = ++updates;
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const isPreview = tab?.input instanceof vscode.TabInputWebview && /markdown\.preview$/.test(tab.input.viewType);
    const path = isPreview ? documents.named(tab.label) : undefined;
    const ways = path ? await waysToMoreOf(store, path) : [];
    if (current !== updates) return;
    shown = ways;
    setContextKey('previewHasMore', ways.length > 0);
  }
  return vscode.Disposable.from(
    documents.onRead.on(() => void update()),
    vscode.window.tabGroups.onDidChangeTabs(() => void update()),
    vscode.window.tabGroups.onDidChangeTabGroups(() => void update()),
    registerCommand(commands.loadMoreOfPage, log, async () => {
      const rows = shown.map((way) => ({ label: way.title, way }));
      const title = l10n.t('Get More of This Page');
      const chosen = rows.length > 1 ? await vscode.window.showQuickPick(rows, { title }) : rows[0];
      if (chosen) await vscode.commands.executeCommand(chosen.way.command, ...chosen.way.arguments);
    }),
  );
}

/** Shows above the Markdown of a page what gets the content that it says is missing. */
export function pageLenses(store: Pick<PagesStore, 'read'>) {
  return {
    async provideCodeLenses({ uri }: Pick<vscode.TextDocument, 'uri'>): Promise<vscode.CodeLens[]> {
      const path = parsePath(uri.path);
      const ways = path?.view === 'markdown' ? await waysToMoreOf(store, path) : [];
      return ways.map((way) => codeLens(new vscode.Range(0, 0, 0, 0), way));
    },
  };
}

async function waysToMoreOf(store: Pick<PagesStore, 'read'>, path: Parameters<PagesStore['read']>[0]) {
  const { document = {} } = (await store.read(path).catch(() => undefined)) ?? {};
  const url = document.metadata?.sourceURL ?? document.metadata?.url;
  return url ? waysToMore(url, document) : [];
}
