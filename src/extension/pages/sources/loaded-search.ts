import * as l10n from '@vscode/l10n';
import type { JobRef } from '../../../client/job-documents.ts';
import type { LoadedPages } from './loaded-pages.ts';
import type { SearchResults } from './page-source.ts';

/** Searches what was loaded of jobs of a server that can't search, and says so. Loads the pages of `job` if it is given. */
export async function searchLoaded(
  jobs: readonly LoadedPages[],
  request: { query: string; job: JobRef | undefined; cursor: string | undefined; limit: number },
): Promise<SearchResults> {
  const { query, job, cursor, limit } = request;
  const searched = jobs.filter((one) => !job || one.job.id === job.id);
  if (job) for (const one of searched) await one.folder(undefined, undefined, 1);
  const skip = Number(cursor ?? 0);
  const parts = searched.map((one) => one.search(query, skip + limit));
  const results = parts.flatMap((part) => part.results).slice(skip, skip + limit);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const pages = searched.reduce((sum, { loaded }) => sum + loaded.pages, 0);
  const searchable = searched.reduce((sum, { loaded }) => sum + loaded.searchable, 0);
  const incomplete = searched.some(({ loading }) => loading);
  return {
    results,
    total,
    cursor: skip + limit < total ? String(skip + limit) : undefined,
    note: note(searched.length, pages, searchable, incomplete),
    incomplete,
  };
}

function note(jobs: number, pages: number, searchable: number, loading: boolean): string {
  if (jobs === 0) return l10n.t("this server doesn't search: expand a crawl first to search its pages");
  const amount = searchable.toLocaleString('en-US');
  if (loading) return l10n.t('in {0} loaded pages so far, loading…', amount);
  const left = pages - searchable;
  if (left <= 0) return l10n.t("in the {0} loaded pages: this server doesn't search.", amount);
  return l10n.t(
    "in the {0} loaded pages: this server doesn't search. {1} pages are too large to search here.",
    amount,
    left.toLocaleString('en-US'),
  );
}
