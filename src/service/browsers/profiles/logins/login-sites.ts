import type { LoginSite, StorageState, StoredCookie } from '../../../../contract/sessions/logins.ts';

type DomainCookie = Pick<StoredCookie, 'domain' | 'expires'>;

/** Returns the sites of cookies that haven't expired at `now` (milliseconds): a subdomain counts for its parent if that has cookies, too. */
export function sitesOf(cookies: readonly DomainCookie[], now: number): LoginSite[] {
  const valid = cookies.filter((cookie) => !hasExpired(cookie, now));
  const siteOf = siteFinder(valid);
  const sites = new Map<string, { cookies: number; first: number; last: number }>();
  for (const cookie of valid) {
    const site = siteOf(hostOf(cookie));
    const found = sites.get(site) ?? { cookies: 0, first: Number.POSITIVE_INFINITY, last: 0 };
    found.cookies++;
    if (cookie.expires > 0) {
      found.first = Math.min(found.first, cookie.expires);
      found.last = Math.max(found.last, cookie.expires);
    }
    sites.set(site, found);
  }
  return [...sites]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([site, { cookies: count, first, last }]) => ({
      site,
      cookies: count,
      ...(last > 0 && { firstExpiry: date(first), lastExpiry: date(last) }),
    }));
}

/** Returns what of a login is still valid, of the given sites if there are any. */
export function chosenPart(state: StorageState, sites: readonly string[] | undefined, now: number): StorageState {
  const valid = state.cookies.filter((cookie) => !hasExpired(cookie, now));
  if (!sites) return { cookies: valid, origins: state.origins };
  const chosen = new Set(sites);
  const siteOf = siteFinder(valid);
  return {
    cookies: valid.filter((cookie) => chosen.has(siteOf(hostOf(cookie)))),
    origins: state.origins.filter(({ origin }) => {
      const host = URL.parse(origin)?.hostname;
      return host !== undefined && chosen.has(siteOf(host));
    }),
  };
}

/** Returns a function from a host to its site: the shortest domain of the cookies that it is or lies in. */
function siteFinder(cookies: readonly DomainCookie[]): (host: string) => string {
  const hosts = new Set(cookies.map(hostOf));
  return (host) => {
    const labels = host.split('.');
    for (let count = 1; count < labels.length; count++) {
      const parent = labels.slice(-count).join('.');
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
