import type { Browsers } from '../../browsers/browsers.ts';
import type { Platform } from '../../platform/platform.ts';
import { targetCheck } from '../../web/scrape/scrape-errors.ts';
import type { Web } from '../../web/web.ts';
import { agentHandlers } from './handlers.ts';
import { createAgentJobs } from './jobs.ts';
import { createBrowse } from './run/browse.ts';
import { agentJobTable } from './store/job-table.ts';

/** Opens the endpoints for agent and extract jobs, which read the web as the API does, with the state behind them. */
export function openAgents(platform: Platform, { sessions }: Browsers, { scraper, crawls, search }: Web) {
  const { database, models, network } = platform;
  const { policy } = network;
  const jobs = createAgentJobs({
    ...platform,
    events: platform.jobEvents,
    table: agentJobTable(database, platform.unreadable),
    browse: createBrowse(sessions),
    scraper,
    policy,
    async mapSite(request) {
      const all = { sitemap: 'include', ignoreQueryParameters: true, location: undefined } as const;
      const site = await crawls.mapSite({ ...request, ...all });
      if (site.links.length === 0 && site.failure !== undefined) throw site.failure;
      return site.links;
    },
    searchFor: (team) =>
      search.isSetUp(team)
        ? async (query, { limit, signal }) => {
            const { results } = await search.search(query, { team, limit, signal });
            return (results.web ?? []).map(({ url, title, text }) => ({ url, title, description: text }));
          }
        : undefined,
    robotsAgainst: crawls.robotsAgainst,
  });
  return {
    handlers: agentHandlers({ jobs, models, checkTarget: targetCheck(policy) }),
    busy: jobs.busy,
    /** Resumes the jobs that were running when the service last stopped. */
    start: jobs.resume,
    close: jobs.close,
  };
}
