import type { BrowserProvider } from '../../browsers/chrome/chrome.ts';
import type { Profiles } from '../../browsers/profiles/profiles.ts';
import { type HostOptions, openHost } from '../../browsers/sessions/host.ts';
import type { OpenProfileBrowser } from './render/chrome-renderer.ts';
import { ScrapeError } from './scrape-errors.ts';

/** Opens a browser with a profile for each scrape, as sessions do. Throws 409 while another browser is saving to the profile. */
export function profileBrowsers(hosts: HostOptions, profiles: Pick<Profiles, 'open'>): OpenProfileBrowser {
  return async (team, profile, proxyServer) => {
    if (!hosts.provider.keepsProfiles) {
      throw new ScrapeError(
        'NO_BROWSER',
        'Profiles need a separate browser, but the --browser-endpoint of this service is one shared browser. Omit profile.',
      );
    }
    const provider = proxyServer === undefined ? hosts.provider : behindProxy(hosts.provider, proxyServer);
    // The renderer checks the requests.
    const host = { ...hosts, provider, guard: undefined };
    const { client, close } = await openHost(host, { profile: await profiles.open(team, profile) });
    return { client, close: () => close({ saveProfile: profile.saveChanges }) };
  };
}

function behindProxy(provider: BrowserProvider, proxyServer: string): BrowserProvider {
  return { ...provider, open: (request) => provider.open({ ...request, proxyServer }) };
}
