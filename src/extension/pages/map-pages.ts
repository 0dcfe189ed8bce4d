import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { registerCommand, requireTrust } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { cancellable } from '../ui/progress.ts';
import { count, hostOf, label, shortAddress } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';

interface Parts {
  connection: Connection;
  documents: VirtualDocuments;
  log: vscode.LogOutputChannel;
}

/** The result of a map, or other pages to choose from. */
export interface SiteMap {
  /** The site, whose host the rows don't repeat; undefined for pages of several sites. */
  url?: string;
  /** What is listed, instead of the pages of a site. */
  title?: string;
  warning?: string | null | undefined;
  links: readonly { url: string; title?: string | null | undefined; description?: string | null | undefined }[];
}

type LinkItem = vscode.QuickPickItem & { url: string };

/** Registers the command that lists the pages of a map with checkboxes, and scrapes or crawls the selected ones. */
export function registerMapCommand(parts: Parts): vscode.Disposable {
  return registerCommand<[SiteMap]>(commands.chooseMappedPages, parts.log, async (map) => {
    requireTrust();
    const urls = await selectPages(parts, map);
    if (urls && urls.length > 0) await act(parts, urls);
  });
}

/** Shows the pages of a map with checkboxes; undefined if the user cancels or opens the JSON instead. */
async function selectPages({ documents }: Parts, map: SiteMap): Promise<string[] | undefined> {
  const pick = vscode.window.createQuickPick<LinkItem>();
  const site = label(hostOf(map.url) ?? map.url ?? '', 60);
  pick.title = map.title ?? l10n.t('{0} on {1}', count(map.links.length, 'page'), site);
  pick.placeholder = map.warning ? label(map.warning, 200) : l10n.t('Filter, then select the pages to scrape or crawl');
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.ignoreFocusOut = true;
  pick.buttons = [{ iconPath: new vscode.ThemeIcon('json'), tooltip: l10n.t('Open as JSON') }];
  pick.items = map.links.map(({ url, title }) => {
    const text = label(title ?? '', 80);
    const path = map.url === undefined ? shortAddress(url, 120) : label(pathOf(url), 120);
    return text ? { label: text, description: path, url } : { label: path, url };
  });
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems.map(({ url }) => url)));
      pick.onDidTriggerButton(() => {
        const name = `map/${safeFileName(site || 'pages')}.json`;
        void documents.open(name, JSON.stringify(map, undefined, 2));
        resolve(undefined);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** Asks what to do with the selected pages, and does it. */
async function act({ connection }: Parts, urls: readonly string[]): Promise<void> {
  const [first] = urls;
  const pages = count(urls.length, 'page');
  const choices = [
    ...(urls.length === 1 ? [{ label: l10n.t('$(cloud-download) Scrape'), action: 'scrape' as const }] : []),
    { label: l10n.t('$(files) Batch scrape'), description: pages, action: 'batch' as const },
    ...(urls.length === 1
      ? [{ label: l10n.t('$(globe) Crawl'), description: l10n.t('from this page'), action: 'crawl' as const }]
      : [
          {
            label: l10n.t('$(globe) Crawl'),
            description: l10n.t('one crawl from each of {0}', pages),
            action: 'crawl' as const,
          },
        ]),
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: l10n.t('{0} selected', pages) });
  if (!choice || !first) return;
  await cancellable(l10n.t('Web Data: Starting…'), async (signal) => {
    const { client } = await connection.access();
    if (choice.action === 'scrape') {
      const { data } = await client.scrape({ body: { url: first } }, { signal });
      const scrapeId = data.metadata?.scrapeId;
      if (scrapeId) await vscode.commands.executeCommand(commands.openPage, { scrapeId, url: first });
    }
    if (choice.action === 'batch') await client.startBatchScrape({ body: { urls: [...urls] } }, { signal });
    if (choice.action === 'crawl') {
      for (const url of urls) await client.startCrawl({ body: { url } }, { signal });
    }
  });
  await vscode.commands.executeCommand(commands.refresh);
  if (choice.action !== 'scrape') {
    vscode.window.setStatusBarMessage(
      choice.action === 'batch' ? l10n.t('$(check) Batch started') : l10n.t('$(check) Crawl started'),
      5_000,
    );
  }
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
