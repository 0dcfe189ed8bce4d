import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import packageJson from '../../package.json' with { type: 'json' };
import { isPostgres } from '../storage/storage.ts';
import { openAgents } from './agent/agent.ts';
import { openChrome } from './chrome/chrome.ts';
import { openTemporaryFolders } from './chrome/temporary-folders.ts';
import type { Clock } from './clock.ts';
import { openCrawls } from './crawl/crawl.ts';
import { prepareDataDir } from './data-dir.ts';
import { documentsOfCrawls } from './docs-search/crawl-documents.ts';
import { createDocsSearch } from './docs-search/docs-search.ts';
import { docsHandlers } from './docs-search/handlers.ts';
import { referenceIndexPath } from './docs-search/index/reference-index.ts';
import { createDocsSources, readIndex } from './docs-search/sources.ts';
import { messageOf } from './errors.ts';
import { createFleet, type FleetTimings, homeOf } from './fleet/fleet.ts';
import { openSharedJobs } from './fleet/jobs/shared-jobs.ts';
import { createPeers } from './fleet/peers.ts';
import { isBeyondLoopback, linkedUrl, listensOnLoopback, localUrl, socketUrl } from './http/address.ts';
import type { Handlers } from './http/bind.ts';
import { createCapabilities } from './http/capabilities.ts';
import type { HttpServer, Route } from './http/http.ts';
import { createKeys } from './http/keys.ts';
import { createReadiness } from './http/operations.ts';
import { interactHandlers } from './interact/handlers.ts';
import { createInteractions } from './interact/interact.ts';
import { interactionTable } from './interact/interaction-table.ts';
import { openIsolation } from './isolation/isolation.ts';
import { always, firstOf } from './language-model/models.ts';
import { createWindowModels } from './language-model/window-models.ts';
import { announce } from './link/discovery.ts';
import { createLinks, type WindowLink } from './link/link.ts';
import { createTakeover } from './link/takeover.ts';
import { livePages } from './live-view/viewer-page.ts';
import type { Log } from './log.ts';
import { createMcp } from './mcp/mcp.ts';
import { countBrowsers, countJobs, countPages, countRuns, countSessions } from './metrics/counted.ts';
import { createMetrics } from './metrics/metrics.ts';
import { runningJobs, waitingDeliveries } from './metrics/stored-counts.ts';
import { defaultSpareBrowsers, type ServiceOptions } from './options.ts';
import { createProfiles } from './profiles/profiles.ts';
import { writerTable } from './profiles/writer-table.ts';
import { createRunners } from './runners/runners.ts';
import { pageVersions } from './scrape/changes/page-versions.ts';
import { scrapeHandlers, scrapeKeeper } from './scrape/handlers.ts';
import { modelExtractor } from './scrape/model-formats/model-formats.ts';
import { profileBrowsers } from './scrape/profile-browsers.ts';
import { openWebAccess, userAgent, type WebAccess } from './scrape/scrape.ts';
import { scrapeTable } from './scrape/scrape-table.ts';
import { firstEngine, sameEngine } from './search/engine.ts';
import { searchHandlers } from './search/handlers.ts';
import { createSearch } from './search/search.ts';
import { createWindowEngines } from './search/window-engines.ts';
import { createBilling } from './sessions/billing.ts';
import { sessionHandlers } from './sessions/handlers.ts';
import { type HostOptions, hostMarker } from './sessions/host.ts';
import { sessionTable } from './sessions/session-table.ts';
import { createSessions } from './sessions/sessions.ts';
import { createSteering, type Steering } from './steering/steering.ts';
import { createUnreadable, lockDataDir, openStorage, poolUseOf } from './storage/storage.ts';
import { spareBrowsersFor } from './system/memory.ts';
import { removeFolder } from './system/rename.ts';
import { killStrays } from './system/stray-processes.ts';
import { createActivity } from './team/activity.ts';
import { type AgentKeys, createAgentKeys } from './team/agent-keys.ts';
import { keyTable } from './team/key-table.ts';
import { createLedger } from './team/ledger.ts';
import { callersOf, openStoredKeys, requireTeamKey } from './team/stored-keys.ts';
import { openWebhooks } from './webhooks/webhooks.ts';

/** A running service. */
export interface Service {
  readonly baseUrl: string;
  readonly port: number;
  /** The paths and methods of its router. */
  readonly routes: readonly Route[];
  /**
   * Of a fleet: takes no new work and gives up its jobs. Resolves when its sessions have ended and its requests are answered.
   * Undefined without a fleet.
   */
  drain: (() => Promise<void>) | undefined;
  /** Closes all sessions, browsers and snippets, then stops the service. */
  close(reason: string): Promise<void>;
}

export interface ServiceParts {
  clock: Clock;
  log: Log;
  /** Called with the reason when the service is to stop. */
  onDone(reason: string): void;
  /** How nodes of a fleet notice each other's end. */
  fleetTimings?: FleetTimings;
}

/** Starts the service. Throws an Error with a one-line message to show: port in use, data directory in use or not writable. */
export async function startService(
  options: ServiceOptions,
  { clock, log, onDone, fleetTimings }: ServiceParts,
): Promise<Service> {
  const { dataDir, sharedDir = dataDir } = options;
  prepareDataDir(dataDir);
  const unlock = lockDataDir(dataDir);
  const cleanUp: (() => void | Promise<void>)[] = [unlock];
  /** Whether something was cut off when this service stopped. */
  let unfinished = false;
  try {
    const hostsDir = join(dataDir, 'browsers');
    const cleared = clearLeftovers(hostsDir, log).then(() => openTemporaryFolders(dataDir));
    cleared.catch(() => undefined);
    const location = { dataDir, url: options.database };
    const { database, check, close: closeDatabase } = await openStorage(location, log, clock.now());
    cleanUp.unshift(closeDatabase);
    const fleet =
      options.database === undefined
        ? undefined
        : createFleet({
            database,
            home: homeOf(dataDir),
            version: packageJson.version,
            clock,
            log,
            timings: fleetTimings,
            onExcluded: onDone,
          });
    cleanUp.unshift(async () => await fleet?.leave(unfinished));
    const shared =
      fleet && options.database !== undefined
        ? await openSharedJobs(options.database, { database, fleet, clock, log, onOutdated: onDone })
        : undefined;
    cleanUp.unshift(async () => await shared?.close());
    const metrics = createMetrics();
    metrics.read({
      requestsInProgress: () => server?.openRequests() ?? 0,
      runningJobs: () => runningJobs(database),
      waitingDeliveries: () => waitingDeliveries(database),
      databaseConnections: () => poolUseOf(database),
    });
    let stopping = false;
    let draining = false;
    const notReady = createReadiness(
      () => sql`SELECT 1`.execute(database),
      () => {
        if (stopping) return 'The service is stopping.';
        if (draining) return 'This node takes no new work.';
        return fleet?.isActive() === false ? "This node hasn't reached the database for a while." : undefined;
      },
    );
    const unreadable = createUnreadable(database, log, clock.now);
    const table = sessionTable(database);
    // Sessions of an earlier service are charged for while this one is built.
    const { promise: openedKeys, resolve: onKeys } = Promise.withResolvers<AgentKeys>();
    const ledger = createLedger(database, clock, options.credits, (caller, credits) => {
      void openedKeys.then((opened) => opened.use(caller, { credits }));
      metrics.credits(credits);
    });
    const activity = createActivity(database, clock);
    const billing = createBilling(database, table, ledger);
    const writers = writerTable(database, fleet);
    const leftBy = fleet ? 'gone nodes' : 'every service';
    fleet?.onDead(async (node) => {
      await Promise.all([billing.endOrphans({ node }), writers.clear({ node })]);
    });
    // What an earlier service left behind is cleaned up while this one is built.
    const ordered = Promise.all([billing.endOrphans(leftBy), writers.clear(leftBy)]);
    ordered.catch(() => undefined);
    const readKeys = openStoredKeys({
      table: keyTable(database),
      clock,
      log,
      onRevoked: (id) => mcp.drop(({ storedKey }) => storedKey === id),
    });
    readKeys.catch(() => undefined);
    // Loaded while the threads of the database start.
    const { startServer } = await import('./http/http.ts');
    const temporary = await cleared;
    cleanUp.unshift(() => temporary.close());

    const isolation =
      options.isolation === 'bubblewrap'
        ? await openIsolation({ dataDir, sharedDir, temporary, egress: () => web.egress() })
        : undefined;

    const capabilities = createCapabilities(fleet?.secret);
    // What callers elsewhere name is not reached from here: it may be in this network.
    const isForOthers = isBeyondLoopback(options.host) || options.publicUrl !== undefined;
    const windowModels = createWindowModels(log, { endpoints: !isForOthers });
    const windowEngines = createWindowEngines(log);
    let successor: string | undefined;
    const takeover = createTakeover<WindowLink>({
      version: packageJson.version,
      clock,
      idle: () => !sessions.busy() && !crawls.busy() && !agents.busy() && server?.openRequests() === 0,
      onTakeover: (version) => {
        successor = version;
        onDone(`version ${version} takes over`);
      },
    });
    cleanUp.unshift(() => takeover.close());
    const links = createLinks({
      version: packageJson.version,
      clock,
      log,
      ...(options.linked && {
        onAbandoned: () => onDone('the last window closed'),
        onHello: (from: WindowLink, version: string) => takeover.linked(from, version),
        onStop: () => onDone('requested by a window'),
      }),
      onWebhookSecret: (team, secret) => webhooks.setSecret(team, secret),
      onWarm: () => sessions.warm(),
      onModelMessage: windowModels.heard,
      ...(!isForOthers && { onSearchEndpoint: windowEngines.heard }),
      onLinkGone: (from) => {
        windowModels.gone(from);
        windowEngines.gone(from);
        takeover.gone(from);
      },
    });
    cleanUp.unshift(() => links.close());
    let server: HttpServer | undefined;
    const address = () => ({ ...options, port: server?.port ?? 0 });
    const baseUrl = () => linkedUrl(address());
    const profiles = createProfiles({ directory: join(sharedDir, 'profiles'), writers, clock, log });
    const runners = createRunners({
      dataDir,
      pythonPath: options.pythonPath,
      agentBrowserPath: options.agentBrowserPath,
      marker: [hostMarker, hostsDir],
      onNotice: (text) => log.info(text),
    });
    const provider = countBrowsers(openChrome({ ...options, temporary }, log), metrics);
    const hosts: HostOptions = {
      provider,
      isolation,
      capabilities,
      runners: countRuns(runners.create, metrics),
      directory: hostsDir,
      downloads: join(sharedDir, 'downloads'),
      socketOrigin: () => socketUrl(localUrl(address())),
      ...((options.denyPrivateTargets || (isolation && provider.local)) && {
        guard: { egress: () => web.egress(), policy: () => web.policy },
      }),
      log,
    };
    const models = firstOf(always(options.languageModel), windowModels);
    const versions = pageVersions(database, unreadable);
    const access = openWebAccess({
      provider,
      isolation,
      dataDir,
      browsersDir: hostsDir,
      markerName: hostMarker,
      ownPorts: () => (server ? [server.port] : []),
      denyPrivate: options.denyPrivateTargets,
      proxy: options.proxy,
      extractor: modelExtractor(models),
      versions,
      openProfile: profileBrowsers(hosts, profiles),
      clock,
      log,
    });
    const web: WebAccess = { ...access, scraper: countPages(access.scraper, metrics) };
    const webhooks = openWebhooks(options.webhooks, {
      database,
      unreadable,
      policy: web.policy,
      proxy: options.proxy,
      userAgent,
      awaitWindow: options.linked,
      onAttempt: metrics.webhookAttempt,
      shared,
      clock,
      log,
    });
    const jobEvents = countJobs(webhooks.events, metrics);
    const allSessions = createSessions({
      database,
      hosts,
      table,
      capabilities,
      origin: baseUrl,
      profiles,
      billing,
      activity,
      clock,
      log,
      maxSessions: options.maxSessions,
      fleet,
      spareBrowsers: spareBrowsersFor(options.spareBrowsers, defaultSpareBrowsers, hosts.provider.isQueued),
      isBusy: () => crawls.busy() || agents.busy(),
      onRunEvent: (team, event) => links.send(team, { type: 'run', event }),
      onChange: (team, sessionId, reason) => {
        if (reason === 'created') metrics.sessions.created();
        links.send(team, { type: 'sessions-changed', sessionId, reason });
      },
      onControl: (team, sessionId, controlled) => steering.setControlled(team, sessionId, controlled),
      onEnd: (sessionId) => {
        metrics.sessions.ended();
        steering.ended(sessionId);
      },
    });
    const sessions = countSessions(allSessions, metrics);

    const scrapes = scrapeTable(database, unreadable);
    const search = createSearch(firstEngine(sameEngine(options.searchEngine), windowEngines));
    const crawls = openCrawls({
      database,
      unreadable,
      location,
      dataDir,
      scraper: web.scraper,
      versions,
      fetcher: web.fetcher,
      policy: web.policy,
      models,
      activity,
      ledger,
      events: jobEvents,
      shared,
      clock,
      log,
    });
    const interactions = createInteractions({
      findJob: async (jobId) => (await scrapes.find(jobId)) ?? (await crawls.findScrape(jobId)),
      table: interactionTable(database),
      sessions,
      policy: web.policy,
      activity,
      clock,
      log,
    });

    const agents = openAgents({
      database,
      unreadable,
      scraper: web.scraper,
      mapSite: async (request) => {
        const site = await crawls.mapSite({
          ...request,
          sitemap: 'include',
          ignoreQueryParameters: true,
          location: undefined,
        });
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
      sessions,
      policy: web.policy,
      models,
      activity,
      ledger,
      events: jobEvents,
      shared,
      clock,
      log,
    });

    const docsSources = createDocsSources({
      directory: join(dataDir, 'docs-sources'),
      reference: () => readIndex(referenceIndexPath, log),
      folders: options.docsFolders,
      isGranted: (team, folder) => (options.linked ? links.isGranted(team, folder) : Promise.resolve(false)),
      documentsOf: documentsOfCrawls(crawls.jobs),
      clock,
      log,
    });
    const docsSearch = createDocsSearch({ indexesOf: docsSources.indexesOf, models, clock, log });

    const proof = { prove: (_nonce: string) => '' };
    const storedKeys = await readKeys;
    cleanUp.unshift(() => storedKeys.close());
    if (isBeyondLoopback(options.host) && options.apiKeys?.length === 0) requireTeamKey(storedKeys, options.host);
    const agentKeys: AgentKeys = createAgentKeys({ keys: storedKeys, shared: isPostgres(database), clock, log });
    onKeys(agentKeys);
    const steering: Steering = createSteering({
      rulesOf: agentKeys.rulesOf,
      send: (team, message) => links.send(team, message),
      clock,
    });
    await ordered;
    // Not earlier, since it begins to remove expired scrapes: a start that fails says only why.
    const keepScrape = scrapeKeeper({
      scraper: web.scraper,
      scrapes,
      versions,
      database,
      activity,
      ledger,
      clock,
      log,
    });
    const handlers: Partial<Handlers> = {
      ...sessionHandlers(sessions),
      ...interactHandlers({ interactions, models, policy: web.policy }),
      ...scrapeHandlers({
        scraper: web.scraper,
        keep: keepScrape,
        scrapes,
        ledger,
        findElsewhere: crawls.findScrape,
      }),
      ...searchHandlers({
        search,
        keepScrape,
        checkOptions: crawls.checkOptions,
        policy: web.policy,
        database,
        activity,
        ledger,
      }),
      ...crawls.handlers,
      ...agents.handlers,
      ...docsHandlers(docsSearch, docsSources),
      prove: ({ query }) => ({ proof: proof.prove(query.nonce) }),
      ...agentKeys.handlers,
      ...steering.handlers,
    };
    const secrets = [...(options.apiKeys ?? []).map(({ key }) => key), ...(fleet ? [fleet.secret] : [])];
    const mcp = createMcp({
      handlers,
      sessions,
      policy: web.policy,
      steering,
      agentKeys,
      keys: secrets,
      node: fleet?.id,
      baseUrl,
      // Callers elsewhere aren't the user whose files are here.
      readsFiles: !isForOthers && isolation === undefined,
      clock,
    });
    server = await startServer(options.port, {
      address: options,
      keys: createKeys(options.apiKeys, callersOf(storedKeys)),
      capabilities,
      handlers,
      operations: { metrics, notReady },
      onMcp: mcp.handle,
      onLink: links.onLink,
      watches: crawls.watches,
      peers: fleet && createPeers({ fleet, database, clock, isHere: sessions.isHere }),
      pages: livePages(capabilities, links.authorities, options.publicUrl),
      log,
    });
    const listening = server;
    // Windows and agents on this machine look for it at 127.0.0.1.
    const discovery = listensOnLoopback(options.host)
      ? announce(dataDir, {
          port: listening.port,
          pid: process.pid,
          apiKey: options.apiKeys?.[0]?.key ?? null,
          version: packageJson.version,
        })
      : undefined;
    if (discovery) {
      proof.prove = discovery.prove;
      secrets.push(discovery.secret);
    }
    await fleet?.join(options.nodeUrl ?? localUrl(address()));
    void check();
    webhooks.start();
    crawls.start();
    agents.start();
    sessions.warm();

    return {
      baseUrl: localUrl({ host: options.host, port: listening.port }),
      port: listening.port,
      routes: listening.routes,
      drain:
        fleet &&
        (async () => {
          draining = true;
          log.info('taking no new work: this node stops when its sessions have ended');
          await fleet.drain();
          await Promise.all([crawls.giveUp(), agents.giveUp()]);
          while (sessions.busy() || listening.openRequests() > 0) {
            await new Promise<void>((resolve) => void clock.after(drainCheckMs, resolve));
          }
        }),
      async close(reason) {
        stopping = true;
        log.info({ reason }, 'stopping the service');
        hosts.provider.stop?.();
        discovery?.remove();
        links.sendAll({ type: 'goodbye', reason, ...(successor && { successor }) });
        listening.stop();
        await mcp.close();
        steering.close();
        docsSources.close();
        const inTime = await within(stopMs, async () => {
          await Promise.all([crawls.close(), agents.close()]);
          await Promise.all([sessions.close(), web.close(), webhooks.close(), runners.close()]);
          await hosts.provider.close?.();
          await agentKeys.close();
          // The server waits for its sockets, and an open window would keep its link open.
          links.close();
          await listening.close();
        });
        if (!inTime) {
          unfinished = true;
          log.warn('the service did not stop in time; its processes are killed');
          await killStrays(hostMarker, hostsDir);
        }
        // Of a session whose end could not be stored.
        unfinished ||= sessions.busy();
        for (const step of cleanUp) await step();
      },
    };
  } catch (error) {
    for (const step of cleanUp) await step();
    throw error;
  }
}

/** How often a node that drains looks whether it has nothing left to do, in milliseconds. */
const drainCheckMs = 250;

/** How long the service may take to stop, in milliseconds; what takes longer is cut off. */
const stopMs = 7500;

/** Returns whether `work` ended within `ms` milliseconds; rejects as it does. */
async function within(ms: number, work: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  return await Promise.race([work().then(() => true), late]).finally(() => clearTimeout(timer));
}

/** Removes folders and stray processes of a service that was killed. The lock guarantees that no other service uses them. */
async function clearLeftovers(hostsDir: string, log: Log): Promise<void> {
  await killStrays(hostMarker, hostsDir);
  try {
    await removeFolder(hostsDir);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'a folder of an earlier browser could not be deleted');
  }
  mkdirSync(hostsDir, { recursive: true, mode: 0o700 });
}
