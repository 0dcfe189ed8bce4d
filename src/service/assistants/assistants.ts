import { join } from 'node:path';
import type { Browsers } from '../browsers/browsers.ts';
import type { Handlers } from '../platform/http/bind.ts';
import type { Closing, Platform } from '../platform/platform.ts';
import type { Web } from '../web/web.ts';
import { openAgents } from './agent/agent.ts';
import { docsHandlers } from './docs-search/docs-search.ts';
import { createDocsSources } from './docs-search/sources.ts';
import { referenceIndexPath } from './docs-search/thread/indexes.ts';
import { interactHandlers } from './interact/handlers.ts';
import { createInteractions } from './interact/interact.ts';
import { createMcp } from './mcp/mcp.ts';
import { createSteering } from './steering/steering.ts';

/** The settings of what answers and acts for people and agents. */
export interface AssistantsOptions {
  dataDir: string;
  /** Folders of texts to answer questions from, in addition to the service's own documentation. */
  docsFolders: string[];
  /** Whether windows may let the service read folders, where its callers may have files read at all. */
  linked: boolean;
}

/** Opens the wing of assistants. Coding agents get what the API answers. */
export function openAssistants(
  platform: Platform,
  browsers: Browsers,
  web: Web,
  options: AssistantsOptions,
  { running }: Closing,
) {
  const { clock, network, models, events, agentKeys, links } = platform;
  const { sessions, keptRuns, isolation } = browsers;
  const { policy } = network;
  // Callers elsewhere aren't the user whose files are here, and with isolation code can't read them either.
  const readsFiles = !platform.isForOthers && isolation === undefined;
  const agents = openAgents(platform, browsers, web);
  running.defer(() => agents.close());
  platform.busy.jobs.push(agents.busy);
  const interactions = createInteractions({ ...platform, findJob: web.findScrape, sessions, policy });
  const docsSources = createDocsSources({
    ...platform,
    directory: join(options.dataDir, 'docs-sources'),
    reference: referenceIndexPath,
    folders: options.docsFolders,
    isGranted: async (team, folder) => options.linked && readsFiles && (await links.isGranted(team, folder)),
    scraper: web.scraper,
    jobs: web.crawls.jobs,
  });
  running.defer(() => docsSources.close());
  const steering = createSteering({ rulesOf: agentKeys.rulesOf, send: links.send, clock });
  running.defer(() => steering.close());
  events.on('sessionControlled', ({ team, sessionId, controlled }) =>
    steering.setControlled(team, sessionId, controlled),
  );
  events.on('sessionEnded', steering.ended);
  const handlers: Partial<Handlers> = {
    ...browsers.handlers,
    ...web.handlers,
    ...interactHandlers({ interactions, models, policy, keptRuns }),
    ...agents.handlers,
    ...docsHandlers(docsSources, platform),
    ...steering.handlers,
  };
  const mcp = createMcp({
    handlers,
    sessions,
    policy,
    steering,
    agentKeys,
    keys: platform.secrets,
    node: platform.fleet?.id,
    baseUrl: platform.baseUrl,
    readsFiles,
    files: join(options.dataDir, 'downloads', 'agents'),
    clock,
  });
  running.defer(() => mcp.close());
  events.on('keyRevoked', (id) => mcp.drop(({ storedKey }) => storedKey === id));
  return {
    agents,
    /** What all wings answer requests with. */
    handlers,
    /** Answers the requests of coding agents. */
    onMcp: mcp.handle,
  };
}
