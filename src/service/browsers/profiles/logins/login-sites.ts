import type { LoginSite, StorageState, StoredCookie } from '../../../../contract/sessions/logins.ts';
import { inTurns } from '../../../platform/async.ts';

type DomainCookie = Pick<StoredCookie, 'domain' | 'expires'>;

/** Returns the sites of cookies that haven't expired at `now` (milliseconds): a subdomain counts for its parent if that has cookies, too. */
export async function sitesOf(cookies: readonly DomainCookie[], now: number): Promise<LoginSite[]> {
  const valid = cookies.filter((cookie) => !hasExpired(cookie, now));
  const siteOf = siteFinder(valid);
  const sites = new Map<string, { cookies: number; first: number; last: number }>();
  await inTurns(valid, (cookie) => {
    const site = siteOf(hostOf(cookie));
    const found = sites.get(site) ?? { cookies: 0, first: Number.POSITIVE_INFINITY, last: 0 };
    found.cookies++;
    if (cookie.expires > 0) {
      found.first = Math.min(found.first, cookie.expires);
      found.last = Math.max(found.last, cookie.expires);
    }
    sites.set(site, found);
  });
  return [...sites]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([site, { cookies: count, first, last }]) => ({
      site,
      cookies: count,
      ...(last > 0 && { firstExpiry: date(first), lastExpiry: date(last) }),
    }));
}

/** Returns what of a login is still valid, of the given sites if there are any. */
export async function chosenPart(
  state: StorageState,
  sites: readonly string[] | undefined,
  now: number,
): Promise<StorageState> {
  const valid = state.cookies.filter((cookie) => !hasExpired(cookie, now));
  if (!sites) return { cookies: valid, origins: state.origins };
  const [chosen, siteOf] = [new Set(sites), siteFinder(valid)];
  const part: StorageState = { cookies: [], origins: [] };
  await inTurns(valid, (cookie) => {
    if (chosen.has(siteOf(hostOf(cookie)))) part.cookies.push(cookie);
  });
  await inTurns(state.origins, (each) => {
    const host = URL.parse(each.origin)?.hostname;
    if (host !== undefined && chosen.has(siteOf(host))) part.origins.push(each);
  });
  return part;
}

/** Returns a function from a host to its site: the shortest domain of the cookies that it is or lies in. */
function siteFinder(cookies: readonly DomainCookie[]): (host: string) => string {
  const hosts = new Set(cookies.map(hostOf));
  return (host) => {
    for (let dot = host.lastIndexOf('.'); dot >= 0; dot = dot > 0 ? host.lastIndexOf('.', dot - 1) : -1) {
      const parent = host.slice(dot + 1);
      if (hosts.has(parent)) return parent;
    }
    return host;
  };
}

function hostOf({ domain }: DomainCookie): string {
  return domain.replace(/^\./, '').toLowerCase();
}

function hasExpired({ expires }: DomainCookie, now: number): boolean {
  return expires > 0 && expires * 1000 <= now;
}

/** A date that JavaScript can represent, for seconds that may be further away. */
function date(seconds: number): string {
  return new Date(Math.min(seconds * 1000, 8.64e15)).toISOString();
}
