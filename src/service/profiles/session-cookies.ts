import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CdpClient } from '../chrome/cdp-client.ts';

/** A cookie as returned by CDP. */
interface Cookie {
  session: boolean;
  expires?: number;
  size?: number;
  [field: string]: unknown;
}

const fileName = 'session-cookies.json';

/**
 * Saves session cookies with the profile: Chrome drops them when it exits, and many sites store a login in them.
 */
export async function saveSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const { cookies } = (await client.send('Storage.getCookies')) as { cookies: Cookie[] };
  const kept = cookies
    .filter(({ session }) => session)
    .map(({ session: _, expires: __, size: ___, ...cookie }) => cookie);
  await writeFile(join(userDataDir, fileName), JSON.stringify(kept), { mode: 0o600 });
}

/** Restores the session cookies that Chrome dropped. */
export async function restoreSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(join(userDataDir, fileName), 'utf8');
  } catch {
    return; // The profile has no saved session cookies.
  }
  const cookies = JSON.parse(text) as Cookie[];
  if (cookies.length > 0) await client.send('Storage.setCookies', { cookies });
}
