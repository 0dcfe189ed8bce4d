import type { Sessions } from '../../browsers/sessions/sessions.ts';
import { messageOf } from '../../platform/errors.ts';
import type { SharedJobs } from '../../platform/fleet/jobs/shared-jobs.ts';
import type { JobEvents } from '../../platform/job-events.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Scraper } from '../../web/scrape/scrape.ts';
import { ScrapeError } from '../../web/scrape/scrape-errors.ts';
import { agentHandlers } from './handlers.ts';
import { type AgentJobs, createAgentJobs } from './jobs.ts';
import { createBrowse } from './run/browse.ts';
import type { MapSite, WebParts } from './run/web.ts';
import { agentJobTable } from './store/job-table.ts';

export type { FoundPage, SearchWeb } from './run/web.ts';

/** The endpoints for agent and extract jobs, with the state behind them. */
export type Agents = ReturnType<typeof openAgents>;

export interface AgentsParts
  extends Pick<Platform, 'database' | 'unreadable' | 'clock' | 'log' | 'models' | 'ledger' | 'activity'> {
  scraper: Pick<Scraper, 'scrape'>;
  mapSite: MapSite;
  searchFor: WebParts['searchFor'];
  robotsAgainst: WebParts['robotsAgainst'];
  sessions: Sessions;
  policy: AddressPolicy;
  events: JobEvents;
  shared?: SharedJobs | undefined;
}

export function openAgents(parts: AgentsParts) {
  const { sessions, unreadable, ...rest } = parts;
  const jobs: AgentJobs = createAgentJobs({
    ...rest,
    table: agentJobTable(parts.database, unreadable),
    browse: createBrowse(sessions),
  });
  const checkTarget = (url: URL) => {
    try {
      parts.policy.checkUrl(url);
    } catch (error) {
      throw new ScrapeError('SCRAPE_TARGET_REFUSED', messageOf(error), { cause: error });
    }
  };
  return {
    handlers: agentHandlers({ jobs, models: parts.models, checkTarget }),
    /** Whether a job is running or waiting to run. */
    busy: (): boolean => jobs.busy(),
    /** Resumes the jobs that were running when the service last stopped. */
    start: (): void => jobs.resume(),
    /** Stops all jobs, which another node may resume. The handlers still answer. */
    giveUp: (): Promise<void> => jobs.close(),
    close: (): Promise<void> => jobs.close(),
  };
}
