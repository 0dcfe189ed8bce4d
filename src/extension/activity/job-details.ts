import * as l10n from '@vscode/l10n';
import type { JobStateResult } from '../connection/polling/job-states.ts';
import { amount, label, progress, stateWord } from '../ui/text.ts';

/** What the server says of a crawl or batch in the list. */
export interface JobDetails {
  /** `scraping`, `completed`, `failed`, `cancelled`, or any other status from the server. */
  readonly status: string;
  readonly completed: number | undefined;
  readonly total: number | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** Returns the details of a job; undefined if the server doesn't have it any more. */
export function detailsOf(state: JobStateResult): JobDetails | undefined {
  if (state === 'gone') return undefined;
  const { status, completed, total, error } = state;
  return {
    status: status.slice(0, 100),
    completed: amount(completed),
    total: amount(total),
    error: error ? error.slice(0, 4_096) : undefined,
  };
}

/** Returns the progress of a running job, the pages of a completed one, or how it ended: `312/900`, `312 pages`, `failed`. */
export function jobWords({ status, completed, total }: JobDetails): string {
  if (status === 'scraping') return progress(completed, total) ?? l10n.t('running');
  const pages = completed === undefined ? undefined : progress(completed, undefined);
  if (status === 'completed') return pages ?? stateWord(status);
  return [stateWord(status), completed ? pages : undefined].filter(Boolean).join(', ');
}

/** Returns why a job failed, on one line; undefined if it didn't. */
export function failureOf(details: JobDetails | undefined): string | undefined {
  if (details?.status !== 'failed') return undefined;
  return label(details.error ?? '', 300) || l10n.t("The server didn't say why it failed.");
}
