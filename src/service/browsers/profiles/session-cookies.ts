import { join } from 'node:path';
import type { CdpClient } from '../chrome/cdp-client.ts';
import type { Protocol } from '../chrome/protocol.ts';
import { readOwnJson, writeOwnJson } from './own-files.ts';

const fileName = 'session-cookies.json';

/** Saves session cookies with the profile: Chrome drops them when it exits, and many sites store a login in them. */
export async function saveSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const { cookies } = await client.send('Storage.getCookies');
  const kept = cookies
    .filter(({ session }) => session)
    .map(({ session: _, expires: __, size: ___, ...cookie }) => cookie);
  await writeOwnJson(join(userDataDir, fileName), kept);
}

/** Restores the session cookies that Chrome dropped. */
export async function restoreSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const cookies = (await readOwnJson(join(userDataDir, fileName))) as Protocol.Network.CookieParam[] | undefined;
  if (cookies && cookies.length > 0) await client.send('Storage.setCookies', { cookies });
}
