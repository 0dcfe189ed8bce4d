import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { AddressPolicy } from '../fetch/address-policy/address-policy.ts';
import type { SharedJobs } from '../fleet/jobs/shared-jobs.ts';
import type { Handlers } from '../http/bind.ts';
import type { JobEvents } from '../job-events.ts';
import type { LanguageModels } from '../language-model/language-model.ts';
import type { Log } from '../log.ts';
import type { Scraper } from '../scrape/scrape.ts';
import { ScrapeError } from '../scrape/scrape-errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Database, Unreadable } from '../storage/storage.ts';
import type { Activity } from '../team/activity.ts';
import type { Ledger } from '../team/ledger.ts';
import { agentHandlers } from './handlers.ts';
import { type AgentJobs, createAgentJobs } from './jobs.ts';
import { createBrowse } from './run/browse.ts';
import type { MapSite, WebParts } from './run/web.ts';
import { agentJobTable } from './store/job-table.ts';

export type { FoundPage, SearchWeb } from './run/web.ts';

/** The endpoints for agent and extract jobs, with the state behind them. */
export interface Agents {
  readonly handlers: Partial<Handlers>;
  /** Whether a job is running or waiting to run. */
  busy(): boolean;
  /** Resumes the jobs that were running when the service last stopped. */
  start(): void;
  /** Stops all jobs, which another node may resume. The handlers still answer. */
  giveUp(): Promise<void>;
  close(): Promise<void>;
}

export interface AgentsParts {
  database: Database;
  unreadable: Unreadable;
  scraper: Pick<Scraper, 'scrape'>;
  mapSite: MapSite;
  searchFor: WebParts['searchFor'];
  robotsAgainst: WebParts['robotsAgainst'];
  sessions: Sessions;
  policy: AddressPolicy;
  models: LanguageModels;
  activity: Activity;
  ledger: Ledger;
  events: JobEvents;
  shared?: SharedJobs | undefined;
  clock: Clock;
  log: Log;
}

export function openAgents(parts: AgentsParts): Agents {
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
    busy: () => jobs.busy(),
    start: () => jobs.resume(),
    giveUp: () => jobs.close(),
    close: () => jobs.close(),
  };
}
