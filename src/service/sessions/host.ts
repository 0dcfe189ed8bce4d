import { randomUUID } from 'node:crypto';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '../../contract/execution.ts';
import { type CdpClient, connectCdpClient } from '../chrome/cdp-client.ts';
import { cdpSocket } from '../chrome/cdp-socket.ts';
import type { Browser, BrowserProvider } from '../chrome/chrome.ts';
import { createRelay, type Relay } from '../chrome/relay/relay.ts';
import { followTabs, type Tabs } from '../chrome/tabs.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { restorePortableState, savePortableState } from '../profiles/portable-state.ts';
import type { OpenProfile } from '../profiles/profiles.ts';
import { restoreSessionCookies, saveSessionCookies } from '../profiles/session-cookies.ts';
import type { Runner, RunnerOptions } from '../runners/runner.ts';
import { killStrays } from '../stray-processes.ts';

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
  /** Returns this service's WebSocket origin, such as `ws://127.0.0.1:PORT`. */
  socketOrigin(): string;
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
  for (const folder of [userDataDir, workDir, downloads]) await mkdir(folder, { recursive: true, mode: 0o700 });

  const { local } = options.provider;
  const origins = new Set<string>();
  let browser: Browser | undefined;
  try {
    await profile?.load(userDataDir);
    browser = await options.provider.open({ userDataDir, marker });
    const relay = createRelay(browser.pipe, { downloadPath: downloads });
    const client = await connectCdpClient(relay);
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
    const tabs = await followTabs(client);
    tabs.onChange(() => {
      for (const { url } of tabs.list()) if (/^https?:/.test(url)) origins.add(new URL(url).origin);
    });
    await tabs.ensureOne();
    // Only once a tab is open: Chrome drops session cookies with its last window.
    if (profile) await (local ? restoreSessionCookies : restorePortableState)(client, userDataDir);
    const capability = options.capabilities.add(
      `/runners/${id}`,
      cdpSocket({ relay, onBrowserClose: () => host.onBrowserClose() }),
    );
    const runners = new Map<Language, Runner>();
    const opened = browser;
    const host: BrowserHost = {
      id,
      directory,
      downloads,
      browser,
      relay,
      client,
      tabs,
      onBrowserClose: () => undefined,
      runner(language) {
        const known = runners.get(language);
        if (known) return known;
        const runner = options.runners[language]({
          cdpUrl: `${options.socketOrigin()}${capability.path}`,
          directory: workDir,
          downloads,
          marker,
        });
        runners.set(language, runner);
        return runner;
      },
      async close({ saveProfile = false } = {}) {
        capability.revoke();
        await Promise.all([...runners.values()].map((runner) => runner.dispose()));
        try {
          if (saveProfile && profile) {
            await (local ? saveSessionCookies(client, userDataDir) : savePortableState(client, userDataDir, origins));
          }
          await opened.close();
          if (saveProfile && profile) await profile.save(userDataDir);
        } finally {
          await opened.close();
          await killStrays(hostMarker, directory);
          await removeFolder(directory);
          await rmdir(downloads).catch(() => undefined); // It isn't empty.
          await profile?.release();
        }
      },
    };
    return host;
  } catch (error) {
    await browser?.close();
    await removeFolder(directory);
    await removeFolder(downloads);
    await profile?.release();
    throw error;
  }
}

/** Deletes a folder, with retries: a browser that has just exited may still be writing. */
async function removeFolder(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
