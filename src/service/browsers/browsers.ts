import { join } from 'node:path';
import type { Handlers } from '../platform/http/bind.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Closing, Platform } from '../platform/platform.ts';
import { roomForSpares, spareBrowsersFor } from '../platform/system/memory.ts';
import { killStrays } from '../platform/system/stray-processes.ts';
import { defaultSpareBrowsers, type StartedHost } from './ahead.ts';
import { type BrowserProvider, openChrome } from './chrome/chrome.ts';
import type { TemporaryFolders } from './chrome/temporary-folders.ts';
import { type Isolation, type IsolationMode, openIsolation } from './isolation/isolation.ts';
import { livePages } from './live-view/viewer-page.ts';
import { loginHandlers } from './profiles/logins/logins.ts';
import { createProfiles } from './profiles/profiles.ts';
import { writerTable } from './profiles/writer-table.ts';
import { createRunners } from './runners/runners.ts';
import { createBilling } from './sessions/billing.ts';
import { sessionHandlers } from './sessions/handlers.ts';
import type { HostOptions } from './sessions/host.ts';
import { hostMarker, hostParents } from './sessions/host-folders.ts';
import { createKeptRuns } from './sessions/kept-runs.ts';
import { sessionTable } from './sessions/session-table.ts';
import { createSessions } from './sessions/sessions.ts';
import { trafficHandlers } from './traffic/handlers.ts';

/** The settings of browsers and their sessions. */
export interface BrowsersOptions {
  dataDir: string;
  /** Folder for profiles and downloads that all services with the same database share; undefined: the data directory. */
  sharedDir: string | undefined;
  publicUrl: string | undefined;
  maxSessions: number;
  chromePath: string | undefined;
  /** URL of the Selenium Grid (http, https) or CDP endpoint (ws, wss) that provides browsers, instead of launching them locally. */
  browserEndpoint: string | undefined;
  denyPrivateTargets: boolean;
  /** Python interpreter to use instead of the detected one. */
  pythonPath: string | undefined;
  /** agent-browser executable to use instead of the detected or installed one. */
  agentBrowserPath: string | undefined;
  spareBrowsers: number;
  headless: boolean;
  /** How snippets and browsers are kept apart from the service. */
  isolation: IsolationMode;
}

/** What the wings above use. */
export type Browsers = Awaited<ReturnType<typeof openBrowsers>>;

/** Opens the wing of browsers. Throws an Error with a message to show if sessions can't be isolated. */
export async function openBrowsers(
  platform: Platform,
  options: BrowsersOptions,
  { temporary, ahead }: { temporary: TemporaryFolders; ahead: StartedHost | undefined },
  { running, ground }: Closing,
) {
  const { database, clock, log, fleet, events, links, metrics, capabilities, busy } = platform;
  const { dataDir, sharedDir = dataDir } = options;
  ground.defer(() => temporary.close());
  const table = sessionTable(database);
  const billing = createBilling(database, table, platform.ledger);
  const writers = writerTable(database, fleet);
  fleet?.onDead(async (node) => {
    await Promise.all([billing.endOrphans({ node }), writers.clear({ node })]);
  });
  const leftBy = fleet ? 'gone nodes' : 'every service';
  const [isolation] = await Promise.all([
    options.isolation === 'bubblewrap'
      ? openIsolation({ dataDir, sharedDir, temporary, log, egress: platform.network.egress })
      : undefined,
    // Sessions of an earlier service are charged before there are new ones.
    billing.endOrphans(leftBy),
    writers.clear(leftBy),
  ]);
  const profiles = createProfiles({ directory: join(sharedDir, 'profiles'), writers, clock, log });
  const { hosts, runners } = openHosts(platform, options, { isolation, temporary }, running);
  const sessions = createSessions({
    ...platform,
    hosts,
    table,
    origin: platform.baseUrl,
    profiles,
    billing,
    maxSessions: options.maxSessions,
    spareBrowsers: spareBrowsersFor(options.spareBrowsers, defaultSpareBrowsers, hosts.provider.isQueued),
    mostSpares: roomForSpares(),
    ahead,
    isBusy: () => busy.jobs.some((check) => check()),
    onRunEvent: (team, event) => links.send(team, { type: 'run', event }),
    onChange: (team, sessionId, reason) => {
      if (reason === 'created') metrics.sessions.created();
      links.send(team, { type: 'sessions-changed', sessionId, reason });
    },
    onFailed: metrics.sessions.failed,
    onControl: (team, sessionId, controlled) => events.emit('sessionControlled', { team, sessionId, controlled }),
    onEnd: (sessionId) => {
      metrics.sessions.ended();
      events.emit('sessionEnded', sessionId);
    },
  });
  running.defer(() => sessions.close());
  busy.sessions.push(sessions.busy);
  events.on('warm', sessions.warm);
  events.on('windowsGone', ({ keepSeconds }) => void sessions.keep(keepSeconds));
  const keptRuns = createKeptRuns({ directory: join(dataDir, 'results'), ownLimits: !platform.isForOthers, log });
  ground.defer(() => keptRuns.close());

  return {
    sessions,
    /** How browsers are opened, for scrapes too. */
    hosts,
    profiles,
    isolation,
    keptRuns,
    /** The pages of live views. */
    pages: livePages(capabilities, links.authorities, options.publicUrl),
    handlers: {
      ...sessionHandlers(sessions, keptRuns),
      ...loginHandlers({ hosts, profiles, sessions, clock }),
      ...trafficHandlers(sessions),
      readMissingTool: async ({ query: { language, python } }) => ({
        success: true,
        folder: (await runners.missing(language, python)) ?? null,
      }),
    } satisfies Partial<Handlers>,
    /** Opens no more browsers. */
    stop: (): void => hosts.provider.stop?.(),
    /** Ends every process that a browser or a snippet has left behind. */
    killProcesses: (): Promise<void> => killStrays(hostMarker, hostParents(dataDir).directory),
  };
}

/** Prepares what opens a browser with its runners; neither starts before it is needed. */
function openHosts(
  { metrics, network, capabilities, socketOrigin, log }: Platform,
  options: BrowsersOptions,
  { isolation, temporary }: { isolation: Isolation | undefined; temporary: TemporaryFolders },
  running: AsyncDisposableStack,
) {
  const { dataDir, sharedDir } = options;
  const folders = hostParents(dataDir, sharedDir);
  const runners = createRunners({
    dataDir,
    pythonPath: options.pythonPath,
    agentBrowserPath: options.agentBrowserPath,
    marker: [hostMarker, folders.directory],
    onNotice: (text) => log.info(text),
  });
  const provider = countBrowsers(openChrome({ ...options, temporary }, log), metrics);
  running.defer(async () => await provider.close?.());
  running.defer(() => runners.close());
  const isGuarded = options.denyPrivateTargets || (isolation && provider.local);
  const hosts: HostOptions = {
    provider,
    isolation,
    capabilities,
    runners: runners.create,
    onRun: (language, { killed, exitCode }) =>
      metrics.run({ language, outcome: killed ? 'killed' : exitCode === 0 ? 'ok' : 'failed' }),
    ...folders,
    socketOrigin,
    ...(isGuarded && { guard: () => network.policy }),
    egress: network.egress,
    fetcher: network.fetcher,
    policy: network.policy,
    log,
  };
  return { hosts, runners };
}

/** Counts the browsers that a provider opens. */
function countBrowsers(provider: BrowserProvider, { browsers }: Pick<Metrics, 'browsers'>): BrowserProvider {
  return {
    ...provider,
    async open(request) {
      try {
        const browser = await provider.open(request);
        browsers.opened();
        void browser.ended.then(browsers.ended);
        return browser;
      } catch (error) {
        browsers.failed();
        throw error;
      }
    },
  };
}
