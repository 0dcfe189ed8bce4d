import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CdpClient } from '../chrome/cdp-client.ts';

/** A cookie as CDP shows it. */
interface Cookie {
  session: boolean;
  expires?: number;
  size?: number;
  [field: string]: unknown;
}

const fileName = 'session-cookies.json';

/**
 * Chrome forgets the cookies without an end date when it ends, and many sites keep a login in just those:
 * they are written beside the profile's own files.
 */
export async function keepSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  const { cookies } = (await client.send('Storage.getCookies')) as { cookies: Cookie[] };
  const kept = cookies
    .filter(({ session }) => session)
    .map(({ session: _, expires: __, size: ___, ...cookie }) => cookie);
  await writeFile(join(userDataDir, fileName), JSON.stringify(kept), { mode: 0o600 });
}

/** Gives a browser back the cookies that Chrome itself forgot. */
export async function restoreSessionCookies(client: CdpClient, userDataDir: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(join(userDataDir, fileName), 'utf8');
  } catch {
    return; // A profile without them.
  }
  const cookies = JSON.parse(text) as Cookie[];
  if (cookies.length > 0) await client.send('Storage.setCookies', { cookies });
}
