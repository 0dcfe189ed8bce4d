import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { siteAddress } from '../../contract/addresses.ts';
import type { WebResult } from '../../contract/search.ts';
import type { Connection, FeatureParts } from '../connection/connection.ts';
import { failureCode } from '../connection/failures.ts';
import { remedyOf } from '../connection/remedies/remedies.ts';
import { UserError } from '../ui/commands.ts';
import { askText, cancellable } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { label, messageOf, shortAddress } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import { type Found, showResults } from './result-list.ts';

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
