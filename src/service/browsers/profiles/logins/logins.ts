import type { StorageState } from '../../../../contract/sessions/logins.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Handlers } from '../../../platform/http/bind.ts';
import { createPool } from '../../../platform/pool.ts';
import { checkKeepsProfiles, type HostOptions, openHost } from '../../sessions/host.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Profiles } from '../profiles.ts';
import { parseLogin } from './login-files.ts';
import { chosenPart, sitesOf } from './login-sites.ts';
import { addState, readState } from './login-state.ts';

interface LoginsOptions {
  hosts: HostOptions;
  profiles: Profiles;
  sessions: Pick<Sessions, 'live'>;
  clock: Clock;
}

/** Browsers that read and write logins at the same time, and in addition one for each team that has none. */
const [browsersAtATime, besides] = [2, 1];

/** Handlers of profiles and their logins. A browser reads and writes logins: only it knows its own files. */
export function loginHandlers({ hosts, profiles, sessions, clock }: LoginsOptions) {
  const pool = createPool(browsersAtATime, besides);

  /** Opens a browser for `work`, once there may be another one. */
  async function inBrowser<Result>(team: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    checkKeepsProfiles(hosts.provider);
    const release = await pool.acquire(team, signal);
    return await work().finally(release);
  }

  /** Adds a login to a profile, which is created if there is none. */
  async function add(team: string, name: string, state: StorageState) {
    const host = await openHost(hosts, { profile: await profiles.open(team, { name, saveChanges: true }) });
    let rejected: number;
    try {
      rejected = await addState(host.client, state);
    } catch (error) {
      await host.close();
      throw error;
    }
    for (const { origin } of state.origins) host.origins.add(origin);
    await host.close({ saveProfile: true });
    return { success: true, cookies: state.cookies.length - rejected, rejected };
  }

  return {
    listProfiles: async (_request, { caller }) => ({ success: true, profiles: await profiles.list(caller.team) }),
    readLogin: async ({ body }) => {
      const { cookies } = await parseLogin(body.content);
      return { success: true, sites: await sitesOf(cookies, clock.now()) };
    },
    importLogin: async ({ body }, { caller, signal }) => {
      const state = await chosenPart(await parseLogin(body.content), body.sites, clock.now());
      if (state.cookies.length + state.origins.length === 0)
        throw new ServiceError(
          400,
          'The file has no login for these sites that is still valid. Log in and export it again.',
        );
      return await inBrowser(caller.team, signal, () => add(caller.team, body.name, state));
    },
    exportLogin: async ({ body }, { caller, signal }) => {
      if (!(await profiles.list(caller.team)).some(({ name }) => name === body.name))
        throw new ServiceError(404, 'Profile not found.');
      return await inBrowser(caller.team, signal, async () => {
        const profile = await profiles.open(caller.team, { name: body.name, saveChanges: false });
        const host = await openHost(hosts, { profile });
        try {
          return { success: true, state: await readState(host.client, host.origins) };
        } finally {
          await host.close();
        }
      });
    },
    saveLogin: async ({ params, body }, { caller, signal }) => {
      const session = await sessions.live(caller, params.sessionId);
      const state = await session.inTurn({ signal }, ({ host }) => readState(host.client, host.origins));
      return await inBrowser(caller.team, signal, () => add(caller.team, body.name, state));
    },
  } satisfies Partial<Handlers>;
}
