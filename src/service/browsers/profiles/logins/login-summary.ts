import { join } from 'node:path';
import * as z from 'zod';
import { loginSite } from '../../../../contract/sessions/logins.ts';
import type { CdpClient } from '../../chrome/cdp-client.ts';
import { readOwnJson, writeOwnJson } from '../own-files.ts';
import { sitesOf } from './login-sites.ts';

const summary = z.object({ origins: z.array(z.string()), sites: z.array(loginSite) });
/** What is known of the login in a saved state, without opening a browser: no secrets. */
export type LoginSummary = z.output<typeof summary>;

const fileName = 'login.json';
const maxOrigins = 1_000;

/** Writes the sites of a browser's cookies, and the origins that may have local storage, into its folder. */
export async function saveSummary(client: CdpClient, folder: string, origins: Iterable<string>, now: number) {
  const { cookies } = await client.send('Storage.getCookies');
  const dated = cookies.map(({ domain, expires, session }) => ({ domain, expires: session ? -1 : expires }));
  const found: LoginSummary = { origins: [...origins].slice(-maxOrigins), sites: await sitesOf(dated, now) };
  await writeOwnJson(join(folder, fileName), found);
}

/** Reads the summary of a saved state; empty if it has none. */
export async function readSummary(folder: string): Promise<LoginSummary> {
  try {
    return summary.parse(await readOwnJson(join(folder, fileName)));
  } catch {
    return { origins: [], sites: [] };
  }
}
