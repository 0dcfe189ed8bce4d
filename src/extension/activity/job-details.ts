import * as l10n from '@vscode/l10n';
import type { JobStateResult } from '../connection/polling/job-states.ts';
import { stepWords } from '../ui/text/agent-texts.ts';
import { amount, label, progress, stateWord } from '../ui/text/text.ts';

/** What the server says of a job in the list. */
export interface JobDetails {
  /** `scraping`, `processing`, `completed`, `failed`, `cancelled`, or any other status from the server. */
  readonly status: string;
  readonly completed: number | undefined;
  readonly total: number | undefined;
  /** What an agent did last. */
  readonly step?: string | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** Returns the details of a job; undefined if the server doesn't have it anymore. */
export function detailsOf(state: JobStateResult): JobDetails | undefined {
  if (state === 'gone') return undefined;
  const { status, completed, total, error, step } = state;
  return {
    status: status.slice(0, 100),
    completed: amount(completed),
    total: amount(total),
    step: step && stepWords(step),
    error: error ? error.slice(0, 4_096) : undefined,
  };
}

/** Whether a job is running. */
export function runs(details: JobDetails | undefined): boolean {
  return details?.status === 'scraping' || details?.status === 'processing';
}

/** Returns the progress of a running job, the pages of a completed one, or how it ended: `312/900`, `312 pages`, `failed`. */
export function jobWords({ status, completed, total, step }: JobDetails): string {
  if (status === 'processing') return step ?? l10n.t('running');
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
