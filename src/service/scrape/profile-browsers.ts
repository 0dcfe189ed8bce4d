import type { Profiles } from '../profiles/profiles.ts';
import { type HostOptions, openHost } from '../sessions/host.ts';
import { ScrapeError } from './errors.ts';
import type { ProfileBrowser } from './render/chrome-renderer.ts';

/** Opens browsers on profiles for single scrapes, as sessions do. Throws a ServiceError: 409 while another one saves the profile. */
export function profileBrowsers(hosts: HostOptions, profiles: Pick<Profiles, 'open'>) {
  return async (team: string, profile: { name: string; saveChanges: boolean }): Promise<ProfileBrowser> => {
    if (!hosts.provider.keepsProfiles) {
      throw new ScrapeError(
        'NO_BROWSER',
        'Profiles need a browser of their own: the --browser-endpoint of this service is one shared browser. Leave profile out.',
      );
    }
    const { client, close } = await openHost(hosts, profiles.open(team, profile));
    return { client, close: () => close({ saveProfile: profile.saveChanges }) };
  };
}
