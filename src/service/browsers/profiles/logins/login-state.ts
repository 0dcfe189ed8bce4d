import type { StorageState, StoredCookie } from '../../../../contract/sessions/logins.ts';
import { BrowserGone, type CdpClient } from '../../chrome/cdp-client.ts';
import type { Protocol } from '../../chrome/protocol.ts';
import { readLocalStorage, withBlankPages } from '../portable-state.ts';

/** Reads the login of a browser: all its cookies, and the local storage of `origins`. Throws 400 if that is too large. */
export async function readState(client: CdpClient, origins: Iterable<string>): Promise<StorageState> {
  const { cookies } = await client.send('Storage.getCookies');
  return { cookies: cookies.map(storedCookie), origins: await readLocalStorage(client, origins) };
}

/** Adds a login to a browser. Returns how many cookies the browser refused, such as a `__Secure-` one that isn't secure. */
export async function addState(client: CdpClient, state: StorageState): Promise<number> {
  const cookies = state.cookies.map(browserCookie);
  const set = (some: Protocol.Network.CookieParam[]) => client.send('Storage.setCookies', { cookies: some });
  let rejected = 0;
  try {
    if (cookies.length > 0) await set(cookies);
  } catch (error) {
    if (error instanceof BrowserGone) throw error;
    // One that is refused keeps the others out.
    for (const cookie of cookies) {
      await set([cookie]).catch((reason: unknown) => {
        if (reason instanceof BrowserGone) throw reason;
        rejected++;
      });
    }
  }
  const origins = state.origins.filter(({ origin }) => /^https?:/.test(origin) && URL.canParse(origin));
  if (origins.length === 0) return rejected;
  await withBlankPages(client, async (visit) => {
    for (const { origin, localStorage } of origins) {
      const items = JSON.stringify(localStorage.map(({ name, value }) => [name, value]));
      await visit(
        new URL(origin).origin,
        `for (const [name, value] of ${items}) localStorage.setItem(name, value); 'done'`,
      );
    }
  });
  return rejected;
}

function storedCookie(cookie: Protocol.Network.Cookie): StoredCookie {
  const { name, value, domain, path, httpOnly, secure, partitionKey } = cookie;
  return {
    name,
    value,
    domain,
    path,
    httpOnly,
    secure,
    expires: cookie.session ? -1 : cookie.expires,
    sameSite: cookie.sameSite ?? 'Lax',
    ...(partitionKey && {
      partitionKey: partitionKey.topLevelSite,
      _crHasCrossSiteAncestor: partitionKey.hasCrossSiteAncestor,
    }),
  };
}

function browserCookie(cookie: StoredCookie): Protocol.Network.CookieParam {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey } = cookie;
  return {
    name,
    value,
    path,
    httpOnly,
    secure,
    // With a domain, Chrome would send the cookie to subdomains, too.
    ...(domain.startsWith('.') ? { domain } : { url: `${secure ? 'https' : 'http'}://${domain}${path}` }),
    ...(expires > 0 && { expires }),
    ...(sameSite && { sameSite }),
    ...(partitionKey !== undefined && {
      partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: cookie._crHasCrossSiteAncestor ?? false },
    }),
  };
}
