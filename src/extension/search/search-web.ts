import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { siteAddress } from '../../contract/addresses.ts';
import type { WebResult } from '../../contract/search.ts';
import type { Connection, FeatureParts } from '../connection/connection.ts';
import { failureCode } from '../connection/failures.ts';
import { remedyOf } from '../connection/remedies/remedies.ts';
import { UserError } from '../ui/commands.ts';
import { askText, cancellable, settled } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { count, label, messageOf, shortAddress } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';

type Parts = Pick<FeatureParts, 'connection' | 'documents'>;

const resultsAtATime = 20;
/** What was typed and has led to no results yet: it is there when the input opens again. */
let kept: string | undefined;

/**
 * Asks for a query and lists what is found, to open, scrape or crawl.
 * @param argument a query, or a row of the Activity view whose query is searched for again
 */
export async function searchWeb(parts: Parts, argument: unknown): Promise<void> {
  const query = queryOf(argument) ?? (await askQuery());
  if (query === undefined) return;
  kept = query;
  const found = await find(parts.connection, query);
  parts.connection.onRefresh.fire();
  if (found.results.length === 0) {
    throw new UserError(
      found.warning
        ? l10n.t('Nothing was found for "{0}": {1}', label(query, 60), label(found.warning, 300))
        : l10n.t('Nothing was found for "{0}".', label(query, 60)),
      [{ title: l10n.t('Search Again'), command: commands.searchWeb }],
    );
  }
  kept = undefined;
  const openJson = () => parts.documents.open(`search/${safeFileName(query)}.json`, found.json);
  await showResults(found, { openJson });
}

function queryOf(argument: unknown): string | undefined {
  const { entry } = (argument ?? {}) as { entry?: { target?: unknown } };
  const query = entry ? entry.target : argument;
  return typeof query === 'string' && query.trim() !== '' ? query : undefined;
}

async function askQuery(): Promise<string | undefined> {
  const title = l10n.t('Search the Web');
  return (
    (await askText({ title, placeHolder: l10n.t('Words to search for'), value: kept ?? selectedText() })) || undefined
  );
}

/** Returns the selection in the editor, if it is a few words. */
function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor?.selection.isSingleLine) return '';
  const text = editor.document.getText(editor.selection).trim();
  return text.length <= 200 ? text : '';
}

async function find(connection: Connection, query: string): Promise<Found> {
  try {
    return await cancellable(l10n.t('Web Data: Searching for {0}…', label(query, 60)), async (signal) => {
      const { client } = await connection.access();
      const answer = await client.searchWeb({ body: { query, limit: resultsAtATime } }, { signal });
      const results = (answer.data.web ?? []).flatMap(toListed);
      return {
        query,
        results,
        ...(answer.warning && { warning: answer.warning }),
        json: JSON.stringify(answer, undefined, 2),
      };
    });
  } catch (error) {
    if (error instanceof vscode.CancellationError) throw error;
    const isEmbedded = connection.target.kind === 'embedded';
    const remedy = isEmbedded ? remedyOf(error) : undefined;
    if (remedy) throw new UserError(remedy.message ?? messageOf(error), [{ ...remedy, args: [query], repeats: false }]);
    const setUp = { title: l10n.t('Set Up Search…'), command: commands.setUpSearch, args: [query] };
    const again = { title: l10n.t('Search Again'), command: commands.searchWeb };
    const isEngine = isEmbedded && failureCode(error)?.startsWith('SEARCH_ENGINE_');
    throw new UserError(messageOf(error), isEngine ? [setUp, again] : [again], { cause: error });
  }
}

/** Results whose URL can't be opened are left out. */
function toListed({ url, title, description }: WebResult): Found['results'] {
  const address = siteAddress(url);
  if (!address) return [];
  return [
    {
      url: address.href,
      title: label(title ?? '', 120) || shortAddress(url, 120),
      text: label(description ?? '', 300),
    },
  ];
}

/** The results of a query. */
interface Found {
  query: string;
  results: readonly { url: string; title: string; text: string }[];
  /** What didn't work. */
  warning?: string;
  /** The response, formatted. */
  json: string;
}

type ResultItem = vscode.QuickPickItem & { url: string };
type Action = 'scrape' | 'open' | 'crawl' | 'watch';
type Choice = { url: string; action?: Action } | 'json' | 'several' | 'watch';

const openButton = { iconPath: new vscode.ThemeIcon('link-external'), tooltip: l10n.t('Open in Browser') };
const crawlButton = { iconPath: new vscode.ThemeIcon('globe'), tooltip: l10n.t('Start Crawl…') };
const jsonButton = { iconPath: new vscode.ThemeIcon('json'), tooltip: l10n.t('Open as JSON') };
const watchButton = { iconPath: new vscode.ThemeIcon('eye'), tooltip: l10n.t('Watch for Changes…') };
const selectButton = { iconPath: new vscode.ThemeIcon('checklist'), tooltip: l10n.t('Select Several…') };

/** Lists results. The chosen one is scraped, opened in the browser or crawled; several can be selected for a batch. */
async function showResults(found: Found, { openJson }: { openJson(): Promise<unknown> }): Promise<void> {
  for (;;) {
    const chosen = await choose(found);
    if (!chosen) return;
    if (chosen === 'json') return void (await openJson());
    if (chosen === 'watch') {
      return void (await vscode.commands.executeCommand(commands.watchForChanges, { query: found.query }));
    }
    if (chosen === 'several') return await selectSeveral(found);
    const action = chosen.action ?? (await chooseAction(chosen.url));
    if (action === undefined) return;
    if (action !== 'back') return await act(action, chosen.url);
  }
}

async function choose(found: Found): Promise<Choice | undefined> {
  const pick = vscode.window.createQuickPick<ResultItem>();
  pick.title = l10n.t('{0} for "{1}"', count(found.results.length, 'result'), label(found.query, 60));
  pick.placeholder = found.warning
    ? label(found.warning, 200)
    : l10n.t('Filter, then choose a result to scrape, open or crawl');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.buttons = [selectButton, jsonButton, watchButton];
  pick.items = found.results.map(({ url, title, text }) => ({
    label: title,
    description: shortAddress(url, 100),
    ...(text !== '' && { detail: text }),
    buttons: [openButton, crawlButton],
    url,
  }));
  const accept = (item: ResultItem | undefined): Choice | undefined => item && { url: item.url };
  return await settled(pick, accept, (resolve) => {
    pick.onDidTriggerItemButton(({ button, item }) => {
      resolve({ url: item.url, action: button === crawlButton ? 'crawl' : 'open' });
    });
    pick.onDidTriggerButton((button) =>
      resolve(button === jsonButton ? 'json' : button === watchButton ? 'watch' : 'several'),
    );
  });
}

/** Lists the results with checkboxes, to scrape or crawl the selected ones. */
async function selectSeveral({ query, results, warning }: Found): Promise<void> {
  const title = l10n.t('{0} for "{1}"', count(results.length, 'result'), label(query, 60));
  const links = results.map(({ url, title }) => ({ url, title }));
  await vscode.commands.executeCommand(commands.chooseMappedPages, { title, links, ...(warning && { warning }) });
}

async function chooseAction(url: string): Promise<Action | 'back' | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { action: Action }>();
  pick.title = shortAddress(url, 100);
  pick.placeholder = l10n.t('What to do with this page');
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.items = [
    { label: l10n.t('$(cloud-download) Scrape'), description: l10n.t('open it as Markdown'), action: 'scrape' },
    { label: l10n.t('$(link-external) Open in Browser'), action: 'open' },
    { label: l10n.t('$(globe) Start Crawl…'), description: l10n.t('from this page'), action: 'crawl' },
    { label: l10n.t('$(eye) Watch for Changes…'), description: l10n.t('of this page'), action: 'watch' },
  ];
  const accept = (item: { action: Action } | undefined): Action | 'back' | undefined => item?.action;
  return await settled(pick, accept, (resolve) => pick.onDidTriggerButton(() => resolve('back')));
}

async function act(action: Action, url: string): Promise<void> {
  if (action === 'scrape') await vscode.commands.executeCommand(commands.scrapeUrl, url);
  if (action === 'crawl') await vscode.commands.executeCommand(commands.startCrawl, url);
  if (action === 'watch') await vscode.commands.executeCommand(commands.watchForChanges, url);
  if (action === 'open') await vscode.env.openExternal(vscode.Uri.parse(url, true));
}
