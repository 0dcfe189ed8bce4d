import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CdpClient, connectCdpClient } from '../../../browsers/chrome/cdp-client.ts';
import type { Browser } from '../../../browsers/chrome/chrome.ts';
import { createRelay } from '../../../browsers/chrome/relay/relay.ts';
import type { Sandbox } from '../../../browsers/isolation/isolation.ts';
import { messageOf } from '../../../platform/errors.ts';
import { removeFolder } from '../../../platform/system/rename.ts';
import { killStrays } from '../../../platform/system/stray-processes.ts';
import type { ScraperOptions } from '../scrape.ts';

export interface ScrapingBrowsersOptions extends Pick<ScraperOptions, 'provider' | 'markerName' | 'isolation' | 'log'> {
  /** Parent folder of the browsers' folders. */
  directory: string;
  /** Maximum number of browsers open at a time. */
  browsers: number;
}

export interface OpenBrowser {
  browser: Browser;
  client: CdpClient;
  directory: string;
  gone: boolean;
  closing: boolean;
  /** The targets of tabs that crashed. */
  crashed: Set<string>;
}

interface Tabs {
  /** Whether a team uses tabs now. */
  hasTabs(team: string): boolean;
  /** A browser is given to another team: whoever left it comes back to another one. */
  onShared(shared: OpenBrowser): void;
  /** A browser can't be used any more. */
  onGone(gone: OpenBrowser): void;
  /** A browser has ended, and its folder is deleted. */
  onEnded(): void;
  onCrashed(owner: OpenBrowser, targetId: string): void;
}

/**
 * The browsers that render pages: one for each team, so that what a page does to its browser reaches no other team. If there
 * are too many teams, one gets a browser whose teams have left or, if they all use theirs, shares one. Each tab has a context
 * of its own, so it sees no cookies, cache or storage of others.
 */
export function createScrapingBrowsers(options: ScrapingBrowsersOptions & Tabs) {
  const { provider, log } = options;
  /** By their teams. */
  const opened = new Map<Promise<OpenBrowser>, Set<string>>();

  async function openBrowser(forget: () => void): Promise<OpenBrowser> {
    const directory = join(options.directory, randomUUID());
    const userDataDir = join(directory, 'profile');
    await mkdir(join(userDataDir, 'Default'), { recursive: true, mode: 0o700 });
    // Prevents WebRTC from bypassing the proxy, and speculative DNS lookups.
    const preferences = {
      webrtc: {
        ip_handling_policy: 'disable_non_proxied_udp',
        multiple_routes_enabled: false,
        nonproxied_udp_enabled: false,
      },
      net: { network_prediction_options: 2 },
    };
    await writeFile(join(userDataDir, 'Default', 'Preferences'), JSON.stringify(preferences));
    let sandbox: Sandbox | undefined;
    try {
      sandbox = await options.isolation?.open({ profile: userDataDir });
      const browser = await provider.open({
        userDataDir,
        marker: [options.markerName, directory],
        onlyLoadsPages: true,
        ...(sandbox && { isolate: sandbox.browser }),
      });
      const onUnresponsive = () => browser.abandon('stopped responding');
      const client = await connectCdpClient(createRelay(browser.pipe, { onUnresponsive }));
      const one: OpenBrowser = { browser, client, directory, gone: false, closing: false, crashed: new Set() };
      const lose = () => {
        one.gone = true;
        forget();
        options.onGone(one);
      };
      // Who asks again at once gets another one.
      browser.pipe.onClose(lose);
      void browser.ended.then(async (reason) => {
        lose();
        if (!one.closing) log.warn({ reason }, 'a browser that renders pages stopped');
        await cleanUp(directory);
        await sandbox?.close();
        options.onEnded();
      });
      closePopups(client);
      client.on('Target.targetCrashed', ({ targetId }) => {
        one.crashed.add(targetId);
        options.onCrashed(one, targetId);
      });
      return one;
    } catch (error) {
      await cleanUp(directory);
      await sandbox?.close();
      throw error;
    }
  }

  async function cleanUp(directory: string): Promise<void> {
    await killStrays(options.markerName, directory);
    try {
      await removeFolder(directory);
    } catch (error) {
      // The next service deletes it.
      log.warn({ reason: messageOf(error) }, 'the folder of a browser that renders pages could not be deleted');
    }
  }

  return {
    /** Returns the browser of a team, which it opens if there is none. */
    of(team: string): Promise<OpenBrowser> {
      const own = [...opened].find(([, teams]) => teams.has(team));
      if (own) return own[0];
      const active = (teams: Set<string>) => [...teams].filter(options.hasTabs);
      const [least] = [...opened].sort(([, one], [, other]) => active(one).length - active(other).length);
      if (least && opened.size >= options.browsers) {
        const [shared, teams] = least;
        opened.set(shared, new Set([...active(teams), team]));
        return shared.then((browser) => {
          options.onShared(browser);
          return browser;
        });
      }
      const forget = () => void opened.delete(opening);
      const opening = openBrowser(forget);
      opened.set(opening, new Set([team]));
      opening.catch(forget);
      return opening;
    },
    async close(): Promise<void> {
      const all = [...opened.keys()];
      opened.clear();
      await Promise.all(
        all.map(async (opening) => {
          const one = await opening.catch(() => undefined);
          if (!one) return;
          one.closing = true;
          options.onGone(one);
          await one.browser.close();
          await cleanUp(one.directory);
        }),
      );
    },
  };
}

/** Closes windows that pages open: only one tab per context is used. */
function closePopups(client: CdpClient): void {
  client.on('Target.targetCreated', ({ targetInfo: { type, openerId, targetId } }) => {
    if (type === 'page' && openerId) client.send('Target.closeTarget', { targetId }).catch(() => undefined);
  });
  client.send('Target.setDiscoverTargets', { discover: true }).catch(() => undefined);
}
