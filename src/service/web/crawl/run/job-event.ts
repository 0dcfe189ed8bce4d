import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import type { JobEvent } from '../../../platform/job-events.ts';
import type { Job } from '../store/job-table.ts';

/** Creates an event of a crawl or batch. */
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
