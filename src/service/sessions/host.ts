import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '../../contract/sessions/execution.ts';
import { BrowserGone, type CdpClient, connectCdpClient } from '../chrome/cdp-client.ts';
import { cdpSocket, createHold, type Hold } from '../chrome/cdp-socket.ts';
import type { Browser, BrowserProvider } from '../chrome/chrome.ts';
import { createRelay, type Relay } from '../chrome/relay/relay.ts';
import { followTabs, type Tabs } from '../chrome/tabs.ts';
import { messageOf } from '../errors.ts';
import type { AddressPolicy } from '../fetch/address-policy/address-policy.ts';
import type { EgressProxy, ProxyDoor } from '../fetch/egress-proxy.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Isolation, Sandbox } from '../isolation/isolation.ts';
import type { Log } from '../log.ts';
import { confineBrowser } from '../page/confinement.ts';
import { restorePortableState, savePortableState } from '../profiles/portable-state.ts';
import type { OpenProfile } from '../profiles/profiles.ts';
import { restoreSessionCookies, saveSessionCookies } from '../profiles/session-cookies.ts';
import type { Runner, RunnerOptions } from '../runners/runner.ts';
import { removeEmptyFolder, removeFolder } from '../system/rename.ts';
import { killStrays } from '../system/stray-processes.ts';

/** A browser that is ready for a session, with its relay, first tab, folders and runners. */
export interface BrowserHost {
  readonly id: string;
  /** Folder of the browser's state and the working directory of its snippets; deleted on close. */
  readonly directory: string;
  /** Folder for downloads; unless empty, it is kept when the browser closes. */
  readonly downloads: string;
  readonly browser: Browser;
  readonly relay: Relay;
  readonly client: CdpClient;
  readonly tabs: Tabs;
  /** Whether snippets see only the session's own files. */
  readonly isolated: boolean;
  /** Keeps back what snippets do in the browser. */
  readonly hold: Hold;
  /** Called when a snippet asks the browser to close. */
  onBrowserClose: () => void;
  /** Returns the runner of a language, created on first use. */
  runner(language: Language): Runner;
  /** Closes the browser and its runners, and saves its profile if requested. Rejects if the profile couldn't be saved. */
  close(options?: { saveProfile?: boolean }): Promise<void>;
}

export type RunnerFactory = (options: RunnerOptions) => Runner;

export interface HostOptions {
  provider: BrowserProvider;
  capabilities: Capabilities;
  runners: Readonly<Record<Language, RunnerFactory>>;
  /** Parent folder of the hosts' folders. */
  directory: string;
  /** Parent folder of the download folders. */
  downloads: string;
  /** Returns this service's WebSocket origin for programs on this machine, such as `ws://127.0.0.1:PORT`. */
  socketOrigin(): string;
  /** Keeps the sessions' programs apart; without it, they run with the permissions of the service. */
  isolation?: Isolation | undefined;
  /** Checks all requests of the browsers; without it, they reach whatever this machine does. */
  guard?: RequestGuard | undefined;
  log: Log;
}

/** How the requests of browsers are checked. */
export interface RequestGuard {
  /** For local browsers. */
  egress(): Promise<EgressProxy>;
  /** For browsers that can't use the egress proxy. */
  policy(): AddressPolicy;
}

/** Environment variable set on every process of a host to the host's folder. */
export const hostMarker = 'WEBDATA_HOST';

/** Opens a browser with one tab, and a profile if one is given. Cleans up on failure. */
export async function openHost(options: HostOptions, profile?: OpenProfile): Promise<BrowserHost> {
  const id = randomUUID();
  const directory = join(options.directory, id);
  const marker = [hostMarker, directory] as const;
  const userDataDir = join(directory, 'profile');
  const workDir = join(directory, 'work');
  const downloads = join(options.downloads, id);

  const { guard } = options;
  const { local } = options.provider;
  const origins = new Set<string>();
  let browser: Browser | undefined;
  let door: ProxyDoor | undefined;
  let sandbox: Sandbox | undefined;
  try {
    for (const folder of [userDataDir, workDir, downloads]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await profile?.load(userDataDir);
    sandbox = await options.isolation?.open({
      profile: userDataDir,
      work: workDir,
      downloads,
      // A browser that already has a proxy uses the network of the machine to reach it.
      ...((guard || !local) && { service: options.socketOrigin() }),
    });
    const isolated = sandbox;
    if (guard && local && !sandbox) door = await (await guard.egress()).door();
    const proxyServer = sandbox?.proxyUrl ?? door?.url;
    const opened = await options.provider.open({
      userDataDir,
      marker,
      ...(proxyServer !== undefined && { proxyServer }),
      ...(sandbox && { isolate: sandbox.browser }),
    });
    browser = opened;
    const relay = createRelay(opened.pipe, {
      downloadPath: downloads,
      boundToProxy: guard !== undefined,
      onUnresponsive: () => opened.abandon('stopped responding'),
    });
    const client = await connectCdpClient(relay);
    if (guard && !local) await confineBrowser(client, guard.policy());
    await client.send('Browser.setDownloadBehavior', {
      behavior: 'allow',
      downloadPath: downloads,
      eventsEnabled: true,
    });
    const tabs = await followTabs(client);
    tabs.onChange(() => {
      for (const { url } of tabs.list()) if (/^https?:/.test(url)) origins.add(new URL(url).origin);
    });
    await tabs.ensureOne();
    // Only once a tab is open: Chrome drops session cookies with its last window.
    if (profile) await (local ? restoreSessionCookies : restorePortableState)(client, userDataDir);
    const hold = createHold();
    const capability = options.capabilities.add(
      { prefix: `/runners/${id}`, purpose: 'cdp' },
      cdpSocket({ relay, hold, onBrowserClose: () => host.onBrowserClose() }),
    );
    const runners = new Map<Language, Runner>();
    const host: BrowserHost = {
      id,
      directory,
      downloads,
      browser,
      relay,
      client,
      tabs,
      isolated: isolated !== undefined,
      hold,
      onBrowserClose: () => undefined,
      runner(language) {
        const known = runners.get(language);
        if (known) return known;
        const cdpUrl = `${options.socketOrigin()}${capability.path}`;
        const runner = options.runners[language]({
          cdpUrl: isolated?.serviceUrl(cdpUrl) ?? cdpUrl,
          directory: workDir,
          downloads,
          marker,
          ...(isolated && { isolate: isolated.runner }),
        });
        runners.set(language, runner);
        return runner;
      },
      async close({ saveProfile = false } = {}) {
        capability.revoke();
        try {
          await Promise.all([...runners.values()].map((runner) => runner.dispose()));
          if (saveProfile && profile) {
            const saving = local
              ? saveSessionCookies(client, userDataDir)
              : savePortableState(client, userDataDir, origins);
            await answered(opened, saving, local ? saveMs : remoteSaveMs);
          }
          await opened.close();
          if (saveProfile && profile) await profile.save(userDataDir);
        } finally {
          await opened.close();
          door?.close();
          await profile?.release();
          await killStrays(hostMarker, directory);
          await isolated?.close();
          await discard(directory, options.log);
          await removeEmptyFolder(downloads).catch((error: unknown) => logLeft(options.log, error));
        }
      },
    };
    return host;
  } catch (error) {
    await browser?.close();
    door?.close();
    await sandbox?.close();
    await profile?.release();
    await discard(directory, options.log);
    await discard(downloads, options.log);
    throw error;
  }
}

/** Time limits for reading the state of a browser that is saved to its profile, in milliseconds. */
const saveMs = 5000;
const remoteSaveMs = 30_000;

/** Waits for work that the browser takes part in, and kills a browser that doesn't answer. */
async function answered(browser: Browser, work: Promise<void>, ms: number): Promise<void> {
  const hung = 'stopped responding';
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    browser.abandon(hung);
  }, ms);
  try {
    // Work that waits for an event isn't told that the browser is gone.
    await Promise.race([work, browser.ended.then((how) => Promise.reject(new BrowserGone(`the browser ${how}`)))]);
  } catch (error) {
    throw late ? new BrowserGone(`the browser ${hung}`, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Deletes a folder. What can't be deleted is left to the next service. */
async function discard(directory: string, log: Log): Promise<void> {
  await removeFolder(directory).catch((error: unknown) => logLeft(log, error));
}

function logLeft(log: Log, error: unknown): void {
  log.warn({ reason: messageOf(error) }, "a browser's folder could not be deleted");
}
