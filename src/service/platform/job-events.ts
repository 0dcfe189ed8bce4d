import type { WebhookConfig } from '../../contract/webhooks/webhooks.ts';
import type { Database } from './storage/storage.ts';

/** Something that happened in a job (specification, "Events"). */
export interface JobEvent {
  team: string;
  jobId: string;
  type:
    | `${'crawl' | 'batch_scrape'}.${'started' | 'page' | 'completed' | 'failed' | 'cancelled'}`
    | `monitor.${'page' | 'check.completed'}`
    | `${'agent' | 'extract'}.${'started' | 'action' | 'completed' | 'failed' | 'cancelled'}`;
  success: boolean;
  /**
   * JSON objects. Of a page: its document, or only its metadata if it failed. Of an agent or extract job: the step, or at
   * the end the answer with its sources. Empty for other events.
   */
  data: readonly Readonly<Record<string, unknown>>[];
  error?: string;
  /** The webhook of the job, if it has one. */
  webhook: WebhookConfig | undefined;
}

/**
 * Receives the events of jobs. `emit` is called within the transaction that stores what happened, so an event written
 * to the same database is stored if and only if what happened is.
 */
export interface JobEvents {
  emit(events: readonly JobEvent[], tx: Database): Promise<void>;
}
