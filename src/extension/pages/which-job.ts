import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../client/job-documents.ts';
import type { Connection } from '../connection/connection.ts';
import { failureStatus } from '../connection/failures.ts';
import { UserError } from '../ui/commands.ts';
import { cancellable, chooseFrom } from '../ui/dialogs.ts';
import { commands, pageScheme } from '../ui/ids.ts';
import { serverTimeOfDay } from '../ui/text/dates.ts';
import { label, shortAddress } from '../ui/text/text.ts';
import { isPageNode } from '../ui/tree-rows.ts';
import { parsePath } from './page-paths.ts';
import type { PagesStore } from './pages-store.ts';

/** The argument of a command: a row of a page, crawl or request, or nothing. */
export type JobArgument =
  | { job?: unknown; crawlId?: unknown; entry?: { id?: unknown; endpoint?: unknown } }
  | object
  | undefined;

/** Returns the crawl or batch of a row; undefined if the argument has none. */
export function jobOfArgument(argument: JobArgument): JobRef | undefined {
  if (!argument) return undefined;
  if (isPageNode(argument)) return argument.job;
  if ('crawlId' in argument && typeof argument.crawlId === 'string') return { kind: 'crawl', id: argument.crawlId };
  const entry = 'entry' in argument ? argument.entry : undefined;
  if (typeof entry === 'object' && entry !== null && 'id' in entry && 'endpoint' in entry) {
    const { id, endpoint } = entry;
    if (typeof id === 'string') return { kind: endpoint === 'batch_scrape' ? 'batch' : 'crawl', id };
  }
  return undefined;
}

/** Returns the job of a row, of the page in the active editor, or the one that the user picks; undefined if canceled. */
export async function chooseJob(
  connection: Connection,
  argument: JobArgument,
  title: string,
): Promise<JobRef | undefined> {
  const given = jobOfArgument(argument) ?? jobOfEditor();
  if (given) return given;
  const { client } = await connection.access();
  const found = await cancellable(l10n.t('Web Data: Loading crawls…'), async (signal) => {
    const lists = await Promise.all(
      (['crawl', 'batch_scrape'] as const).map(async (endpoint) => {
        const { data } = await client.listActivity({ query: { endpoint, limit: 100 } }, { signal });
        return data.map((item) => ({ ...item, kind: endpoint === 'crawl' ? ('crawl' as const) : ('batch' as const) }));
      }),
    );
    return lists.flat().sort((one, other) => (other.created_at ?? '').localeCompare(one.created_at ?? ''));
  });
  const items = found.flatMap(({ id, kind, target, created_at }) =>
    id
      ? [
          {
            label: shortAddress(target ?? '', 80) || label(id, 60),
            description: [kind === 'batch' ? l10n.t('batch') : l10n.t('crawl'), serverTimeOfDay(created_at)]
              .filter(Boolean)
              .join(' · '),
            job: { kind, id },
          },
        ]
      : [],
  );
  const start = { title: l10n.t('Start Crawl…'), command: commands.startCrawl };
  const none = new UserError(l10n.t('No crawls in the last 24 hours.'), [start]);
  return (await chooseFrom(items, none, { title, placeHolder: l10n.t('Select a crawl or batch') }))?.job;
}

/** Returns whether a job id is of a crawl or a batch. */
export async function kindOfJob(store: PagesStore, connection: Connection, id: string): Promise<JobRef['kind']> {
  const known = store.loaded.find(({ job }) => job.id === id)?.job.kind;
  if (known) return known;
  const { client, embedded } = await connection.access();
  // The embedded service lists the pages of both alike.
  if (embedded) return 'crawl';
  try {
    await client.getCrawl({ params: { jobId: id }, query: { limit: 1 } });
    return 'crawl';
  } catch (error) {
    if (failureStatus(error) === 404) return 'batch';
    throw error;
  }
}

function jobOfEditor(): JobRef | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const path = uri?.scheme === pageScheme ? parsePath(uri.path) : undefined;
  return path && path.kind !== 'scrape' ? { kind: path.kind, id: path.jobId } : undefined;
}
