import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { siteAddress } from '../../contract/addresses.ts';
import { withUrl } from '../ui/ask-url/ask-url.ts';
import { UserError } from '../ui/commands.ts';
import { commands, pageScheme } from '../ui/ids.ts';
import { messageOf } from '../ui/text/text.ts';
import { askKind, askQuery, type Subject, watchTitle } from './ask-watch.ts';
import type { WatchParts } from './watch-commands.ts';

/** Finds out what is to be watched, from the argument of the command or by asking, and uses it. */
export async function askSubject(
  parts: Pick<WatchParts, 'crawl'>,
  argument: unknown,
  use: (subject: Subject) => Promise<void>,
): Promise<void> {
  const known = await subjectOf(parts, argument);
  if (known) return await use(known);
  const kind = typeof argument === 'string' ? 'page' : await askKind();
  if (kind === undefined) return;
  if (kind === 'search') {
    const query = await askQuery();
    if (query !== undefined) await use({ kind, query });
    return;
  }
  const page = await pageOfEditor();
  const title = watchTitle(kind === 'page' ? l10n.t('Page') : l10n.t('Site'));
  await withUrl({ title, command: commands.watchForChanges, argument, offered: page }, (url) =>
    use({ kind, url }).catch((error: unknown) => {
      if (error instanceof vscode.CancellationError) throw error;
      // Another URL wouldn't help: the page wasn't read yet.
      throw new UserError(messageOf(error), [{ title: l10n.t('Try Again'), command: commands.watchForChanges }]);
    }),
  );
}

/** Returns what a row of a view, a page or a search is about; undefined if the argument says nothing of it. */
async function subjectOf({ crawl }: Pick<WatchParts, 'crawl'>, argument: unknown): Promise<Subject | undefined> {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const given = argument as { crawlId?: unknown; query?: unknown; entry?: ActivityRow; url?: unknown };
  if (typeof given.query === 'string') return { kind: 'search', query: given.query };
  if (typeof given.crawlId === 'string') return await siteOf(given.crawlId, undefined);
  if (given.entry) {
    const { endpoint, id = '', target = '' } = given.entry;
    if (endpoint === 'search') return { kind: 'search', query: target };
    if (endpoint === 'crawl') return await siteOf(id, target);
    return page(target);
  }
  const url =
    typeof given.url === 'string' ? given.url : await vscode.commands.executeCommand(commands.urlOfPage, argument);
  return page(url);

  async function siteOf(id: string, url: string | undefined): Promise<Subject> {
    const known = await crawl(id);
    const address = siteAddress(known?.url ?? url);
    if (!address) throw new UserError(l10n.t("The server didn't report the crawl's URL."));
    return { kind: 'site', url: address.href, ...(known && { crawlOptions: known.crawlOptions }) };
  }
}

interface ActivityRow {
  endpoint?: string;
  id?: string;
  target?: string;
}

function page(url: unknown): Subject {
  const address = siteAddress(url);
  if (address) return { kind: 'page', url: address.href };
  throw new UserError(l10n.t("This page's URL can't be watched."));
}

/** Returns the URL of the page in the active editor. */
async function pageOfEditor(): Promise<string | undefined> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== pageScheme) return undefined;
  const url = await vscode.commands.executeCommand(commands.urlOfPage, uri);
  return typeof url === 'string' ? url : undefined;
}
