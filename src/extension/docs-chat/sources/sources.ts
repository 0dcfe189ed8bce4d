import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { DocsSource } from '../../../contract/docs-search/docs-sources.ts';
import type { Connection, EmbeddedAccess, FeatureParts } from '../../connection/connection.ts';
import { failureStatus } from '../../connection/failures.ts';
import { registerCommand, UserError } from '../../ui/commands.ts';
import { askFolder, askText, cancellable } from '../../ui/dialogs.ts';
import { commands } from '../../ui/ids.ts';
import { count, isUuid, label } from '../../ui/text/text.ts';
import { finishedCrawls, sourceLabels } from './source-choices.ts';

type Parts = Pick<FeatureParts, 'connection' | 'log'>;

type Sources = Pick<EmbeddedAccess, 'client' | 'embedded'> & { connection: Connection };
type Addition = { folder: string } | { crawlId: string; name?: string };

/** Registers `Manage Docs Sources…`, for docs that the embedded service answers from in addition to its own. */
export function registerSourceCommands({ connection, log }: Parts): vscode.Disposable {
  return registerCommand<[unknown]>(commands.manageDocsSources, log, async (action) => {
    const sources = await sourcesOf(connection);
    await (action === 'addSource' ? addSource(sources) : manageSources(sources));
  });
}

async function sourcesOf(connection: Connection): Promise<Sources> {
  const { target } = connection;
  const why = l10n.t(
    '{0} answers from its own docs. Docs sources are available only with the embedded service, which reads them on this machine.',
    target.kind === 'server' ? label(target.host) : '',
  );
  const { client, embedded } = await connection.embedded(why, true);
  return { client, embedded, connection };
}

async function addSource(sources: Sources): Promise<void> {
  const addition = await chooseAddition(sources);
  if (addition) await add(sources, addition);
}

async function chooseAddition({ client }: Sources): Promise<Addition | undefined> {
  const folder = {
    label: l10n.t('$(folder) Folder of Docs…'),
    description: l10n.t('Markdown and reStructuredText in it and its subfolders, or else HTML'),
  };
  const byId = { label: l10n.t('$(symbol-key) Crawl by ID…'), description: '' };
  const crawls = async (): Promise<(vscode.QuickPickItem & { crawlId?: string })[]> => {
    const found = await finishedCrawls(client, Date.now(), AbortSignal.timeout(10_000)).catch(() => []);
    const items = found.map((crawl) => ({ ...crawl, label: `$(globe) ${crawl.label}` }));
    const head = { label: l10n.t('pages of a crawl'), kind: vscode.QuickPickItemKind.Separator };
    return [folder, head, ...items, byId];
  };
  const chosen = await vscode.window.showQuickPick(crawls(), {
    title: l10n.t('Add Docs Source'),
    placeHolder: l10n.t('Select docs to answer questions from'),
    // A preview that opens takes the focus.
    ignoreFocusOut: true,
  });
  if (chosen === folder) return await chooseFolder();
  if (chosen === byId) return await chooseCrawl();
  return chosen?.crawlId === undefined ? undefined : { crawlId: chosen.crawlId };
}

async function chooseFolder(): Promise<Addition | undefined> {
  const folder = await askFolder(l10n.t('Folder of Docs'), l10n.t('Add'));
  if (!folder) return undefined;
  if (folder.scheme !== 'file') throw new UserError(l10n.t('The service can read only folders on this machine.'));
  return { folder: folder.fsPath };
}

async function chooseCrawl(): Promise<Addition | undefined> {
  const options = { title: l10n.t('Add Docs Source'), prompt: l10n.t('ID of a finished crawl') };
  const crawlId = await askText(options, (text) =>
    isUuid(text) ? undefined : l10n.t('Enter the ID of a crawl, a UUID.'),
  );
  return crawlId === undefined ? undefined : { crawlId };
}

async function add({ embedded, connection }: Sources, body: Addition): Promise<void> {
  // The service reads only folders that the user chose.
  if ('folder' in body) connection.sendToService({ type: 'docs-folder', folder: body.folder });
  const { source, warning } = await cancellable(l10n.t('Web Data: Indexing docs…'), (signal) =>
    embedded.addDocsSource({ body }, { signal }),
  );
  const indexed = l10n.t(
    'Web Data: Indexed docs source "{0}": {1}, {2}.',
    label(source.name, 60),
    count(source.pages, 'page'),
    count(source.passages, 'passage'),
  );
  if (warning) void vscode.window.showWarningMessage(`${indexed} ${label(warning, 300)}`);
  else void vscode.window.showInformationMessage(indexed);
}

async function manageSources(sources: Sources): Promise<void> {
  const { embedded } = sources;
  const another = { label: l10n.t('$(add) Add Docs Source…'), description: '' };
  const list = async (): Promise<(vscode.QuickPickItem & { source?: DocsSource })[]> => {
    const known = await embedded.listDocsSources();
    return [...known.sources.map((source) => ({ ...sourceLabels(source), source })), another];
  };
  const chosen = await vscode.window.showQuickPick(list(), {
    title: l10n.t('Docs Sources'),
    placeHolder: l10n.t('Docs to answer questions from, in addition to the Web Data docs'),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (chosen === another) return await addSource(sources);
  if (chosen?.source) await manage(sources, chosen.source);
}

async function manage(sources: Sources, source: DocsSource): Promise<void> {
  const { embedded } = sources;
  const reindex = { label: l10n.t('$(refresh) Reindex'), description: l10n.t('reads the folder again') };
  const update = {
    label: l10n.t('$(refresh) Update'),
    description: l10n.t('crawls the site again and reads what changed'),
  };
  const remove = {
    label: l10n.t('$(trash) Remove'),
    description: l10n.t('deletes the index, not the folder or crawl'),
  };
  const items = [
    ...(source.kind === 'folder' ? [reindex] : source.crawlId ? [update] : []),
    ...(source.removable ? [remove] : []),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: label(source.name, 60),
    placeHolder: source.removable
      ? label(source.location, 200)
      : l10n.t('This source was set when the service started. To remove it, start the service without it.'),
    ignoreFocusOut: true,
  });
  if (chosen === reindex) await add(sources, { folder: source.location });
  if (chosen === update) await updateSource(sources, source);
  if (chosen === remove) {
    await embedded.removeDocsSource({ params: { sourceId: source.id } });
    void vscode.window.showInformationMessage(l10n.t('Web Data: Removed docs source "{0}".', label(source.name, 60)));
  }
}

/** Milliseconds between two looks at a crawl. */
const lookMs = 1_000;

/** Crawls the site of a source again, and answers from the new crawl. */
async function updateSource(sources: Sources, source: DocsSource): Promise<void> {
  const { client, embedded } = sources;
  const crawlId = await cancellable(l10n.t('Web Data: Crawling docs again…'), async (signal) => {
    const { id } = await startAgain(sources, source, signal);
    const params = { jobId: id };
    try {
      for (;;) {
        const { status } = await client.getCrawl({ params, query: { limit: 1 } }, { signal });
        if (status !== 'scraping') return id;
        await new Promise((resolve) => setTimeout(resolve, lookMs));
        signal.throwIfAborted();
      }
    } catch (error) {
      if (signal.aborted) await client.cancelCrawl({ params }).catch(() => undefined);
      throw error;
    }
  });
  await add(sources, { crawlId, name: source.name });
  await embedded.removeDocsSource({ params: { sourceId: source.id } });
}

/** Repeats the crawl of a source; if its pages are gone, starts another one at the same URL. */
async function startAgain(
  { client, embedded }: Sources,
  { crawlId, location }: DocsSource,
  signal: AbortSignal,
): Promise<{ id: string }> {
  try {
    return await embedded.repeatCrawl({ params: { jobId: crawlId ?? '' }, body: {} }, { signal });
  } catch (error) {
    if (failureStatus(error) !== 404) throw error;
    return await client.startCrawl({ body: { url: location } }, { signal });
  }
}
