import packageJson from '../../../package.json' with { type: 'json' };
import { isPostgres } from '../../storage/storage.ts';
import type { Clock } from './clock.ts';
import { createEvents, type Events } from './events.ts';
import { checkClock, createFleet, type FleetTimings, homeOf } from './fleet/fleet.ts';
import { openSharedJobs } from './fleet/jobs/shared-jobs.ts';
import { type AddressOptions, isBeyondLoopback } from './http/address.ts';
import { createCapabilities } from './http/capabilities.ts';
import type { HttpServer } from './http/http.ts';
import type { ApiKey } from './http/keys.ts';
import { createListener, type Faces } from './http/listener.ts';
import type { LanguageModel } from './language-model/language-model.ts';
import { createWindowModels } from './language-model/window-models.ts';
import { openWindows } from './link/windows.ts';
import type { Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { countJobs } from './metrics/stored-counts.ts';
import { openNetwork, userAgent } from './network/network.ts';
import { createUnreadable, type Database, openStorage, type Unreadable } from './storage/storage.ts';
import { createActivity } from './team/activity.ts';
import { createAgentKeys } from './team/agent-keys.ts';
import { keyTable } from './team/key-table.ts';
import { createLedger } from './team/ledger.ts';
import { callersOf, openStoredKeys, requireTeamKey } from './team/stored-keys.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';
import { openWebhooks } from './webhooks/webhooks.ts';

/** The settings of the platform. */
export interface PlatformOptions extends AddressOptions {
  /** 0 picks any free port. */
  port: number;
  dataDir: string;
  /** URL of the PostgreSQL database to use instead of a file in the data directory. */
  database: string | undefined;
  /** Where other services that use the same database reach this one; undefined: its own address. */
  nodeUrl: string | undefined;
  /** In addition to the stored keys. Undefined: requests need no key. */
  apiKeys: ApiKey[] | undefined;
  /** Credits that each team can spend per month; undefined: no limit. */
  credits: number | undefined;
  /** URL of the HTTP proxy to fetch pages through. */
  proxy: string | undefined;
  /** Block requests to private addresses. */
  denyPrivateTargets: boolean;
  webhooks: WebhookOptions;
  /** The model that answers prompts, if the environment configures one. */
  languageModel: LanguageModel | undefined;
  /** Stop shortly after the last window's link closes. */
  linked: boolean;
  /** How long the service and its sessions are kept after that, in minutes. */
  keepMinutes: number;
}

/** What surrounds the service. */
export interface Surroundings {
  clock: Clock;
  log: Log;
  /** Called with the reason when the service is to stop. */
  onDone(reason: string): void;
  /** How nodes of a fleet notice each other's end. */
  fleetTimings?: FleetTimings | undefined;
}

/** What is closed when the service stops, each in the reverse order of its opening. */
export interface Closing {
  /** What runs; it is cut off if it takes too long. */
  running: AsyncDisposableStack;
  /** What `running` depends on. */
  ground: AsyncDisposableStack;
}

/** What almost every part of the service is given. */
export interface Base {
  database: Database;
  unreadable: Unreadable;
  clock: Clock;
  log: Log;
}

/** What the wings above use. */
export type Platform = Awaited<ReturnType<typeof openPlatform>>;

/** Opens the platform. Throws an Error with a message to show. */
export async function openPlatform(options: PlatformOptions, surroundings: Surroundings, closing: Closing) {
  const { clock, log } = surroundings;
  const { running, ground } = closing;
  const data = await openData(options, surroundings, closing);
  const { database, poolUse, fleet, shared } = data;
  const base: Base = { database, unreadable: createUnreadable(database, log, clock.now), clock, log };
  const events = createEvents(log);
  const metrics = createMetrics();
  const team = await openTeam(options, base, events, metrics, closing);
  const capabilities = createCapabilities(fleet?.secret);
  const { storedCallers } = team;
  const listener = createListener(options, { ...base, poolUse, fleet, metrics, capabilities, storedCallers });
  running.defer(listener.close);
  const network = openNetwork({ ...options, ownPorts: listener.ports });
  running.defer(() => network.close());
  const webhooks = openWebhooks(options.webhooks, {
    ...base,
    policy: network.policy,
    proxy: options.proxy,
    userAgent,
    awaitWindow: options.linked,
    onAttempt: metrics.webhookAttempt,
    shared,
  });
  running.defer(() => webhooks.close());
  running.defer(() => team.agentKeys.close());
  const isForOthers = isBeyondLoopback(options.host) || options.publicUrl !== undefined;
  const windowModels = createWindowModels(log, { endpoints: !isForOthers });
  const busy: Record<'sessions' | 'jobs', (() => boolean)[]> = { sessions: [], jobs: [] };
  const isIdle = () => ![...busy.sessions, ...busy.jobs].some((check) => check()) && listener.openRequests() === 0;
  const { linked, keepMinutes } = options;
  const windows = openWindows({
    ...surroundings,
    events,
    windowModels,
    webhooks,
    isIdle,
    isForOthers,
    linked,
    keepMinutes,
  });
  // The server waits for its sockets, and an open window would keep its link open.
  running.defer(() => windows.links.close());
  ground.defer(() => windows.close());

  return {
    ...base,
    ...team,
    location: { dataDir: options.dataDir, url: options.database },
    /** The nodes that share the database, and their jobs; undefined without a fleet. */
    fleet,
    shared,
    events,
    /** Where jobs report what happens in them, for webhooks and metrics. */
    jobEvents: countJobs(webhooks.events, metrics),
    /** What runs: sessions, and jobs. Each part that has some adds a function that says so. */
    busy,
    metrics,
    network,
    models: {
      find: (team: string) => options.languageModel ?? windowModels.find(team),
      onChange: windowModels.onChange,
    },
    links: windows.links,
    capabilities,
    /** Whether callers may be on other machines: addresses that they name aren't requested from here, as these may be in this network. */
    isForOthers,
    /** What no answer may contain. */
    secrets: [...(options.apiKeys ?? []).map(({ key }) => key), ...(fleet ? [fleet.secret] : []), listener.secret],
    /** Returns the service's URL in links. */
    baseUrl: listener.baseUrl,
    /** Resolves to the WebSocket origin of this service for programs on this machine, such as `ws://127.0.0.1:PORT`, once it listens. */
    socketOrigin: listener.socketOrigin,
    /** Starts to listen, with what the wings answer. Rejects with Node's error if the port is in use. */
    async listen(faces: Faces): Promise<HttpServer> {
      const handlers = { ...faces.handlers, ...team.agentKeys.handlers };
      const server = await listener.listen({ ...faces, handlers }, windows.links);
      void data.check();
      webhooks.start();
      return server;
    },
    /** Lets requests go to another node from now on. */
    async drain(): Promise<void> {
      listener.drain();
      await fleet?.drain();
    },
    /** Says goodbye to windows and cancels the requests in progress. */
    stop(reason: string): void {
      windows.goodbye(reason);
      listener.stop();
    },
    /** Notes that something was cut off, so that other nodes take it over. */
    leaveUnfinished: data.leaveUnfinished,
  };
}

/** Opens the database, and the nodes that share it. */
async function openData(options: PlatformOptions, surroundings: Surroundings, { ground }: Closing) {
  const { clock, log, onDone, fleetTimings } = surroundings;
  const { dataDir, database: url } = options;
  const { database, poolUse, check, close } = await openStorage({ dataDir, url }, log, clock.now(), (shared) =>
    checkClock({ database: shared, clock }),
  );
  ground.defer(close);
  let unfinished = false;
  const leaveUnfinished = () => {
    unfinished = true;
  };
  const data = { database, poolUse, check, leaveUnfinished };
  if (url === undefined) return { ...data, fleet: undefined, shared: undefined };
  const fleet = createFleet({
    database,
    home: homeOf(dataDir),
    version: packageJson.version,
    clock,
    log,
    timings: fleetTimings,
    onExcluded: onDone,
  });
  ground.defer(() => fleet.leave(unfinished));
  const shared = await openSharedJobs(url, { database, fleet, clock, log, onOutdated: onDone });
  ground.defer(() => shared.close());
  return { ...data, fleet, shared };
}

/** Opens what belongs to teams: their keys, credits and activity. */
async function openTeam(
  { host, apiKeys, credits: limit }: PlatformOptions,
  { database, clock, log }: Base,
  events: Events,
  metrics: Metrics,
  { ground }: Closing,
) {
  const onRevoked = (id: string) => events.emit('keyRevoked', id);
  const keys = await openStoredKeys({ table: keyTable(database), clock, log, onRevoked });
  ground.defer(() => keys.close());
  if (isBeyondLoopback(host) && apiKeys?.length === 0) requireTeamKey(keys, host);
  const agentKeys = createAgentKeys({ keys, shared: isPostgres(database), clock, log });
  const ledger = createLedger(database, clock, limit, (caller, credits) => {
    agentKeys.use(caller, { credits });
    metrics.credits(credits);
  });
  return { agentKeys, ledger, activity: createActivity(database, clock), storedCallers: callersOf(keys) };
}
