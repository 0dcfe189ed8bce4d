import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { MonitorCheckPage } from '../../contract/monitors.ts';
import type { Connection } from '../connection/connection.ts';
import { failureStatus } from '../connection/failures.ts';
import { UserError } from '../ui/commands.ts';
import { cancellable } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { dateAndTime } from '../ui/text/dates.ts';
import { hostOf, label, serverTime, shortAddress } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import { versionsOf } from './versions.ts';

/** A page of a check, or a check with one page that differs. */
export interface ChangeArgument {
  watchId: string;
  checkId: string;
  page?: MonitorCheckPage;
}

/** Opens how a page changed in VS Code's diff editor; a new page as it is. */
export async function openChange(
  { connection, documents }: { connection: Connection; documents: VirtualDocuments },
  { watchId, checkId, page: given }: ChangeArgument,
): Promise<void> {
  const { page, after } = await cancellable(l10n.t('Web Data: Loading the changes…'), async (signal) => {
    const { client } = await connection.access();
    const page = given ?? (await firstOf(client, watchId, checkId, signal));
    return { page, after: page?.status === 'changed' ? await textOf(client, page, signal) : undefined };
  });
  if (!page) throw new UserError(l10n.t('This check has no new or changed page.'));
  const { url, currentScrapeId: scrapeId, status } = page;
  const versions = status === 'changed' ? versionsOf(page.diff, after) : undefined;
  if (!versions) {
    if (scrapeId) await vscode.commands.executeCommand(commands.openPage, { scrapeId, url });
    else await vscode.commands.executeCommand(commands.scrapeUrl, url);
    return;
  }
  const { before, after: current, extension, whole } = versions;
  const { pathname = '' } = URL.parse(url) ?? {};
  const name = `${safeFileName(hostOf(url) ?? url, pathname)}.${extension}`;
  const folder = `watch/${page.id.slice(0, 8)}`;
  const at = serverTime(page.createdAt);
  const when = at === undefined ? label(page.createdAt, 40) : dateAndTime(at);
  const address = shortAddress(url, 60);
  await vscode.commands.executeCommand(
    'vscode.diff',
    documents.hold(`${folder}/before/${name}`, before),
    documents.hold(`${folder}/after/${name}`, current),
    whole
      ? l10n.t('{0}, changed {1}', address, when)
      : l10n.t('{0}, changed {1} (only the changed lines)', address, when),
    { preview: true },
  );
}

async function firstOf(client: Client, monitorId: string, checkId: string, signal: AbortSignal) {
  for (const status of ['changed', 'new'] as const) {
    const request = { params: { monitorId, checkId }, query: { status, limit: 1 } };
    const [page] = (await client.getMonitorCheck(request, { signal })).data.pages;
    if (page) return page;
  }
  return undefined;
}

/** Returns the Markdown that a check read; undefined if it is no longer stored. */
async function textOf(client: Client, { currentScrapeId: jobId }: MonitorCheckPage, signal: AbortSignal) {
  if (!jobId) return undefined;
  try {
    const { data } = await client.getScrape({ params: { jobId } }, { signal });
    return data.markdown ?? undefined;
  } catch (error) {
    const status = failureStatus(error);
    if (status === 404 || status === 410) return undefined;
    throw error;
  }
}
