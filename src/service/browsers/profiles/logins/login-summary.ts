import { constants } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { loginSite } from '../../../../contract/sessions/logins.ts';
import type { CdpClient } from '../../chrome/cdp-client.ts';
import { sitesOf } from './login-sites.ts';

const summary = z.object({ origins: z.array(z.string()), sites: z.array(loginSite) });
/** What is known of the login in a saved state, without opening a browser: no secrets. */
export type LoginSummary = z.output<typeof summary>;

const fileName = 'login.json';
const maxOrigins = 1_000;
/** Undefined on Windows. */
const noLinks = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Writes the sites of a browser's cookies, and the origins that may have local storage, into its folder. */
export async function saveSummary(client: CdpClient, folder: string, origins: Iterable<string>, now: number) {
  const { cookies } = await client.send('Storage.getCookies');
  const dated = cookies.map(({ domain, expires, session }) => ({ domain, expires: session ? -1 : expires }));
  const found: LoginSummary = { origins: [...origins].slice(-maxOrigins), sites: sitesOf(dated, now) };
  const path = join(folder, fileName);
  // The browser can write there too: a link that it made must not lead to another file.
  await rm(path, { recursive: true, force: true });
  await writeFile(path, JSON.stringify(found), { mode: 0o600, flag: 'wx' });
}

/** Reads the summary of a saved state; empty if it has none. */
export async function readSummary(folder: string): Promise<LoginSummary> {
  try {
    return summary.parse(JSON.parse(await readFile(join(folder, fileName), { encoding: 'utf8', flag: noLinks })));
  } catch {
    return { origins: [], sites: [] };
  }
}
