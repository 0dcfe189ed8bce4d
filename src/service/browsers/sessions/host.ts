import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { Language } from '../../../contract/sessions/execution.ts';
import { within } from '../../platform/async.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Capability } from '../../platform/http/capabilities.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { EgressProxy } from '../../platform/network/egress-proxy.ts';
import type { Fetcher } from '../../platform/network/fetch.ts';
import type { Platform } from '../../platform/platform.ts';
import { removeFolder } from '../../platform/system/rename.ts';
import { killStrays } from '../../platform/system/stray-processes.ts';
import type { StartedHost } from '../ahead.ts';
import { BrowserGone, connectCdpClient } from '../chrome/cdp-client.ts';
import { cdpSocket, createHold } from '../chrome/cdp-socket.ts';
import type { Browser, BrowserProvider } from '../chrome/chrome.ts';
import { notClosed } from '../chrome/launch.ts';
import { harmOf } from '../chrome/relay/harmless.ts';
import { createRelay } from '../chrome/relay/relay.ts';
import { followTabs } from '../chrome/tabs.ts';
import type { Isolation, Sandbox } from '../isolation/isolation.ts';
import { fetchAsBrowser } from '../live-view/icons.ts';
import { confineBrowser } from '../page/confinement.ts';
import { readSummary, saveSummary } from '../profiles/logins/login-summary.ts';
import {
  closePages,
  restorePortableState,
  restoreSessionCookies,
  savePortableState,
  saveSessionCookies,
} from '../profiles/portable-state.ts';
import type { OpenProfile } from '../profiles/profiles.ts';
import type { Runner, RunnerOptions, RunOutcome } from '../runners/runner.ts';
import { keepRoom, removeUnfinished } from './download-room.ts';
import { type HostFolders, hostFolders, hostMarker } from './host-folders.ts';

/** A browser that is ready for a session, with its relay, first tab, folders and runners. */
export type BrowserHost = Awaited<ReturnType<typeof openHost>>;

export interface HostOptions extends HostFolders, Pick<Platform, 'capabilities' | 'log'> {
  provider: BrowserProvider;
  runners: Readonly<Record<Language, (options: RunnerOptions) => Runner>>;
  /** Called when code has run. */
  onRun(language: Language, outcome: RunOutcome): void;
  /** Resolves to this service's WebSocket origin for programs on this machine, such as `ws://127.0.0.1:PORT`, once it listens. */
  socketOrigin(): Promise<string>;
  /** Keeps the sessions' programs apart; without it, they run with the permissions of the service. */
  isolation?: Isolation | undefined;
  /** Checks all requests of the browsers; without it, they reach whatever this machine does. */
  guard?: (() => AddressPolicy) | undefined;
  /** The proxy that checks the requests of local browsers. */
  egress(): Promise<EgressProxy>;
  fetcher: Fetcher;
  /** The service's own policy. */
  policy: AddressPolicy;
}

/** What a session wants of its browser. */
export interface HostRequest {
  profile?: OpenProfile | undefined;
  /** Narrows what it may connect to. */
  policy?: AddressPolicy | undefined;
  /** Whether its window is shown; see `checkShowsWindows`. */
  headed?: boolean | undefined;
  /** What was started of it already. */
  started?: StartedHost | undefined;
}

/** Opens a browser with one tab. Cleans up on failure. */
export async function openHost(options: HostOptions, { profile, policy, headed, started }: HostRequest = {}) {
  const id = started?.id ?? randomUUID();
  const { directory, userDataDir, workDir, downloads } = hostFolders(options, id);
  const marker = [hostMarker, directory] as const;

  const checks = policy ?? options.guard?.();
  const { local } = options.provider;
  const origins = new Set<string>();
  let sandbox: Sandbox | undefined;
  // What has been opened is closed in reverse: at the end of the host, or at once if it can't be opened.
  const opening = new AsyncDisposableStack();
  // What can't be deleted is left to the next service.
  opening.defer(() => removeUnfinished(downloads, options.log));
  opening.defer(() =>
    removeFolder(directory).catch((error: unknown) =>
      options.log.warn({ reason: messageOf(error) }, "a browser's folder could not be deleted"),
    ),
  );
  opening.defer(async () => await sandbox?.close());
  opening.defer(() => killStrays(hostMarker, directory));
  opening.defer(async () => await profile?.release());
  let ended: Browser['ended'] | undefined;
  try {
    for (const folder of [userDataDir, workDir, downloads]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await profile?.load(userDataDir);
    if (profile) for (const origin of (await readSummary(userDataDir)).origins) origins.add(origin);
    sandbox = await options.isolation?.open({
      profile: userDataDir,
      work: workDir,
      downloads,
      // A browser that already has a proxy uses the network of the machine to reach it.
      ...((checks || !local) && { service: await options.socketOrigin() }),
      policy,
    });
    const isolated = sandbox;
    const door = checks && local && !sandbox ? await (await options.egress()).door(undefined, policy) : undefined;
    opening.defer(() => door?.close());
    const proxyServer = sandbox?.proxyUrl ?? door?.url;
    if (started && (proxyServer !== undefined || sandbox))
      throw new Error('A browser that was started without its proxy or sandbox must not be used with one.');
    const opened = await options.provider.open({
      userDataDir,
      marker,
      ...(headed && { headed }),
      ...(proxyServer !== undefined && { proxyServer }),
      ...(sandbox && { isolate: sandbox.browser }),
      started: started?.browser,
    });
    opening.defer(() => opened.close());
    ended = opened.ended;
    const relay = createRelay(opened.pipe, {
      downloadPath: downloads,
      sharesDownloads: !sandbox,
      boundToProxy: checks !== undefined,
      ...(options.guard?.().denyPrivate && { refuses: harmOf }),
      onUnresponsive: () => opened.abandon('stopped responding'),
    });
    const client = await connectCdpClient(relay);
    if (options.guard && !local) await confineBrowser(client, options.guard());
    await client.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      downloadPath: downloads,
      eventsEnabled: true,
    });
    if (local) keepRoom(client, downloads, options.log);
    const tabs = await followTabs(client);
    tabs.onUrl((url) => {
      const origin = /^https?:/.test(url) && URL.parse(url)?.origin;
      if (origin) origins.add(origin);
    });
    await tabs.ensureOne();
    // Only once a tab is open: Chrome drops session cookies with its last window.
    if (profile) await (local ? restoreSessionCookies : restorePortableState)(client, userDataDir);
    const hold = createHold();
    const capabilities: Capability[] = [];
    const runners = new Map<Language, Runner>();
    const notClosedBefore = (error: unknown) =>
      options.log.warn({ reason: messageOf(error) }, "a session's pages could not be closed before its browser");
    const host = {
      /** Folder for downloads; unless empty, it is kept when the browser closes. */
      downloads,
      browser: opened,
      relay,
      client,
      tabs,
      fetch: fetchAsBrowser({ fetcher: options.fetcher, policy: options.policy, under: policy, local, origins }),
      /** Origins that may have local storage: those that it visited, and those of its profile. */
      origins,
      /** Whether snippets see only the session's own files. */
      isolated: isolated !== undefined,
      /** Keeps back what snippets do in the browser. */
      hold,
      /** Whose session it has. */
      team: '',
      /** Called when a snippet asks the browser to close. */
      onBrowserClose: (): void => undefined,
      /** Returns the runner of a language, created on first use. */
      runner(language: Language): Runner {
        const known = runners.get(language);
        if (known) return known;
        let running = 0;
        const capability = options.capabilities.add(
          { prefix: `/runners/${id}`, purpose: language },
          cdpSocket({
            relay,
            team: () => host.team,
            hold,
            isIdle: () => running === 0,
            onBrowserClose: () => host.onBrowserClose(),
          }),
        );
        capabilities.push(capability);
        const cdpUrl = options.socketOrigin().then((origin) => {
          const url = `${origin}${capability.path}`;
          return isolated?.serviceUrl(url) ?? url;
        });
        const created = options.runners[language]({
          cdpUrl,
          directory: workDir,
          downloads,
          marker,
          ...(isolated && { isolate: isolated.runner }),
          ...(language === 'node' && { started: started?.runner }),
        });
        const runner: Runner = {
          ...created,
          async run(request) {
            running++;
            try {
              const outcome = await created.run(request);
              options.onRun(language, outcome);
              return outcome;
            } finally {
              running--;
            }
          },
        };
        runners.set(language, runner);
        return runner;
      },
      /** Closes the browser and its runners, and saves its profile if requested. Rejects if the profile couldn't be saved. */
      async close({ saveProfile = false } = {}): Promise<void> {
        for (const capability of capabilities) capability.revoke();
        try {
          const disposed = Promise.all([...runners.values()].map((runner) => runner.dispose()));
          // Nothing of it is kept, and it would take a while to close by itself.
          if (local && !(saveProfile && profile)) opened.abandon('was closed');
          await disposed;
          if (saveProfile && profile) {
            const saving = local
              ? saveSessionCookies(client, userDataDir)
              : savePortableState(client, userDataDir, origins);
            const summary = saveSummary(client, userDataDir, origins, Date.now());
            await answered(opened, Promise.all([saving, summary]), local ? saveMs : remoteSaveMs);
            // Without it, the profile may lack some large values, but nothing else.
            if (local) await within(closePagesMs, closePages(client).catch(notClosedBefore));
            await opened.close(closeSavedMs);
            // What was killed may not have written all of it.
            if (local && (await opened.ended) === notClosed) throw new BrowserGone(`the browser ${notClosed}`);
            await profile.save(userDataDir);
          }
        } finally {
          await opening.disposeAsync();
        }
      },
    };
    return host;
  } catch (error) {
    await opening.disposeAsync();
    if (!ended || !(error instanceof BrowserGone)) throw error;
    throw new ServiceError(502, `The browser of the session ${await ended} before it could be used. Try again.`, {
      code: 'BROWSER_START',
      cause: error,
    });
  }
}

/** Throws 400 if browsers of this provider are shared, so that a profile would be, too. */
export function checkKeepsProfiles({ keepsProfiles }: Pick<BrowserProvider, 'keepsProfiles'>): void {
  if (keepsProfiles) return;
  throw new ServiceError(
    400,
    'Profiles need a separate browser for each session, but the --browser-endpoint of this service is one shared browser. Omit profile, or use an endpoint that opens a browser for each connection.',
    { code: 'PROFILES_NEED_OWN_BROWSER' },
  );
}

/** Throws 400 if the window of a browser can't be shown. */
export function checkShowsWindows({ provider, isolation }: Pick<HostOptions, 'provider' | 'isolation'>): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasDisplay = process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
  const problem = !provider.local
    ? 'its browsers run elsewhere (--browser-endpoint)'
    : isolation
      ? 'it runs browsers in a sandbox (--isolation bubblewrap)'
      : hasDisplay
        ? undefined
        : 'it has no display: neither DISPLAY nor WAYLAND_DISPLAY is set';
  if (!problem) return;
  throw new ServiceError(400, `This service can't show the window of a browser, because ${problem}. Omit headed.`, {
    code: 'NO_DISPLAY',
  });
}

/** Time limits for reading the state of a browser that is saved to its profile, in milliseconds. */
const saveMs = 5000;
const remoteSaveMs = 30_000;
/** How long its pages may take to close. */
const closePagesMs = 10_000;
/** How long one may take to write the rest as it closes. */
const closeSavedMs = 30_000;

/** Waits for work that the browser takes part in, and kills a browser that doesn't answer. */
async function answered(browser: Browser, work: Promise<unknown>, ms: number): Promise<void> {
  // Work that waits for an event isn't told that the browser is gone.
  const gone = browser.ended.then((how) => Promise.reject(new BrowserGone(`the browser ${how}`)));
  if (await within(ms, Promise.race([work, gone]))) return;
  browser.abandon('stopped responding');
  throw new BrowserGone('the browser stopped responding');
}
