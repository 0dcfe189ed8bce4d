import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { withUrl } from '../ui/ask-url/ask-url.ts';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
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

/** Registers "Scrape URL…" and "Map Site…", which open the page, and the list of pages. */
export function registerPageCommands({ connection, documents, log }: Parts): vscode.Disposable {
  return vscode.Disposable.from(
    registerCommand(commands.scrapeUrl, log, async (given?: unknown) => {
      requireTrust();
      return await withUrl({ title: l10n.t('Scrape URL'), command: commands.scrapeUrl, argument: given }, scrape);
    }),
    registerCommand(commands.mapSite, log, async (given?: unknown) => {
      requireTrust();
      return await withUrl({ title: l10n.t('Map Site'), command: commands.mapSite, argument: given }, map);
    }),
  );

  async function scrape(url: string): Promise<void> {
    const { data } = await cancellable(l10n.t('Web Data: scraping {0}', shortAddress(url, 60)), async (signal) => {
      const { client } = await connection.access();
      return await client.scrape({ body: { url } }, { signal });
    });
    if (data.warning) log.warn(`Scrape: ${label(data.warning, 300)}`);
    const name = `scrape/${nameOf(url)}`;
    const jobId = data.metadata?.scrapeId;
    const scraped = jobId ? { jobId, url } : undefined;
    if (data.markdown && scraped) {
      await vscode.commands.executeCommand(commands.openPageMarkdown, { scrapeId: scraped.jobId, url });
    } else if (data.markdown) await documents.open(`${name}.md`, data.markdown);
    else await documents.open(`${name}.json`, JSON.stringify(data, undefined, 2), scraped);
  }

  async function map(url: string): Promise<void> {
    const { links, warning } = await cancellable(
      l10n.t('Web Data: mapping {0}', shortAddress(url, 60)),
      async (signal) => {
        const { client } = await connection.access();
        return await client.mapSite({ body: { url } }, { signal });
      },
    );
    if (links.length === 0) throw new UserError(l10n.t('No pages were found on {0}.', label(hostOf(url) ?? url, 60)));
    vscode.window.setStatusBarMessage(l10n.t('$(check) {0} found', count(links.length, 'page')), 5_000);
    await vscode.commands.executeCommand(commands.chooseMappedPages, { url, ...(warning && { warning }), links });
  }
}

function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return safeFileName(host, pathname);
}
