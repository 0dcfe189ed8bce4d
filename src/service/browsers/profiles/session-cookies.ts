import { constants } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CdpClient } from '../chrome/cdp-client.ts';
import type { Protocol } from '../chrome/protocol.ts';

const fileName = 'session-cookies.json';
/** Undefined on Windows. */
const noLinks = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/**
 * Saves session cookies with the profile: Chrome drops them when it exits, and many sites store a login in them.
 */
export async function saveSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const { cookies } = await client.send('Storage.getCookies');
  const kept = cookies
    .filter(({ session }) => session)
    .map(({ session: _, expires: __, size: ___, ...cookie }) => cookie);
  const path = join(userDataDir, fileName);
  // The browser can write there too: a link that it made must not lead to another file.
  await rm(path, { recursive: true, force: true });
  await writeFile(path, JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
}

/** Restores the session cookies that Chrome dropped. */
export async function restoreSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(join(userDataDir, fileName), { encoding: 'utf8', flag: noLinks });
  } catch {
    return; // The profile has no saved session cookies.
  }
  const cookies = JSON.parse(text) as Protocol.Network.CookieParam[];
  if (cookies.length > 0) await client.send('Storage.setCookies', { cookies });
}
