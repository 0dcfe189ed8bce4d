import type { ScrapeDocument } from '../../../contract/scrape.ts';
import type { WebhookConfig } from '../../../contract/webhooks.ts';
import type { Database } from '../../storage/storage.ts';
import type { Job, JobKind } from '../store/job-table.ts';

/** Something that happened in a job (specification, "Events"). */
export interface JobEvent {
  team: string;
  jobId: string;
  type:
    | `${JobKind}.${'started' | 'page' | 'completed' | 'failed' | 'cancelled'}`
    | `${'agent' | 'extract'}.${'started' | 'action' | 'completed' | 'failed' | 'cancelled'}`;
  success: boolean;
  /** The document of a page, or only the metadata of a page that failed; a step or the data of an agent; empty for other events. */
  data: ScrapeDocument[];
  error?: string;
  /** The webhook of the job, if it has one. */
  webhook: WebhookConfig | undefined;
}

/**
 * Receives the events of jobs. `emit` is called within the transaction that stores what happened, so an event written
 * to the same database is stored if and only if its page is.
 */
export interface JobEvents {
  emit(events: readonly JobEvent[], tx: Database): Promise<void>;
}

export const noEvents: JobEvents = { emit: async () => undefined };

/** Creates an event of a job. */
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
