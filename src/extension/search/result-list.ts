import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { settled } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { count, label, shortAddress } from '../ui/text/text.ts';

/** The results of a query. */
export interface Found {
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
export async function showResults(found: Found, { openJson }: { openJson(): Promise<unknown> }): Promise<void> {
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
