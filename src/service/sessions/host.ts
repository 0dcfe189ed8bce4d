import { randomUUID } from 'node:crypto';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '../../contract/execution.ts';
import { type CdpClient, connectCdpClient } from '../chrome/cdp-client.ts';
import { cdpSocket } from '../chrome/cdp-socket.ts';
import type { Browser, BrowserProvider } from '../chrome/chrome.ts';
import { createRelay, type Relay } from '../chrome/relay.ts';
import { followTabs, type Tabs } from '../chrome/tabs.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { keepPortableState, restorePortableState } from '../profiles/portable-state.ts';
import type { OpenProfile } from '../profiles/profiles.ts';
import { keepSessionCookies, restoreSessionCookies } from '../profiles/session-cookies.ts';
import type { Runner, RunnerOptions } from '../runners/runner.ts';
import { killStrays } from '../stray-processes.ts';

/** A browser made ready for a session: its relay, its first tab, its folders and its runners. */
export interface BrowserHost {
  readonly id: string;
  /** Holds what goes with this browser: its state and its snippets' working directory. */
  readonly directory: string;
  /** Where its downloads go; it stays when the browser ends, if anything is in it. */
  readonly downloads: string;
  readonly browser: Browser;
  readonly relay: Relay;
  readonly client: CdpClient;
  readonly tabs: Tabs;
  /** Told when a program of this service asks the browser to close. */
  onBrowserClose: () => void;
  /** The one runner of a language, made when first asked for. */
  runner(language: Language): Runner;
  /** Ends the browser and all that belongs to it; saves its profile where asked to. Rejects when the profile could not be saved. */
  close(options?: { saveProfile?: boolean }): Promise<void>;
}

export type RunnerFactory = (options: RunnerOptions) => Runner;

export interface HostOptions {
  provider: BrowserProvider;
  capabilities: Capabilities;
  runners: Readonly<Record<Language, RunnerFactory>>;
  /** Folder that hosts' folders are made in. */
  directory: string;
  /** Folder that downloads' folders are made in. */
  downloads: string;
  /** WebSocket origin of this service, as `ws://127.0.0.1:PORT`. */
  socketOrigin(): string;
}

/** Environment variable that every process of a host carries, with the host's folder as its value. */
export const hostMarker = 'WEBDATA_HOST';

/** Opens a browser with one tab, on a profile where one is given. On failure nothing is left behind. */
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
    // Not before there is a tab: with its last window Chrome forgets cookies without an end date.
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
            await (local ? keepSessionCookies(client, userDataDir) : keepPortableState(client, userDataDir, origins));
          }
          await opened.close();
          if (saveProfile && profile) await profile.save(userDataDir);
        } finally {
          await opened.close();
          await killStrays(hostMarker, directory);
          await removeFolder(directory);
          await rmdir(downloads).catch(() => undefined); // Something is in it.
          profile?.release();
        }
      },
    };
    return host;
  } catch (error) {
    await browser?.close();
    await removeFolder(directory);
    await removeFolder(downloads);
    profile?.release();
    throw error;
  }
}

/** A browser that has just ended may still be writing: try a few times. */
async function removeFolder(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
