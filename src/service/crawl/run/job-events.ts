import type { ScrapeDocument } from '../../../contract/scrape.ts';
import type { WebhookConfig } from '../../../contract/webhooks.ts';
import type { Job, JobKind } from '../store/job-table.ts';

/** Something that happened in a crawl or batch (specification, "Events"). */
export interface JobEvent {
  team: string;
  jobId: string;
  type: `${JobKind}.${'started' | 'page' | 'completed' | 'failed' | 'cancelled'}`;
  success: boolean;
  /** The document of a page; of a page that failed, its metadata alone; else nothing. */
  data: ScrapeDocument[];
  error?: string;
  /** Where the job's caller wants to hear of it. */
  webhook: WebhookConfig | undefined;
}

/**
 * Takes the events of jobs. It is called within the transaction that stores what happened: an event that is written
 * to the same database is there exactly when its page is.
 */
export interface JobEvents {
  emit(event: JobEvent): void;
}

export const noEvents: JobEvents = { emit: () => undefined };

/** The event of a job. */
export function jobEvent(
  { team, id, kind, webhook }: Job,
  what: 'started' | 'page' | 'completed' | 'failed' | 'cancelled',
  { data = [], error }: { data?: ScrapeDocument[]; error?: string | undefined } = {},
): JobEvent {
  return {
    team,
    jobId: id,
    type: `${kind}.${what}`,
    success: error === undefined,
    data,
    ...(error !== undefined && { error }),
    webhook,
  };
}
