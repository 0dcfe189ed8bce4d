import { isLoopback } from '../../../contract/addresses.ts';

/**
 * Returns a server-provided page URL if it is safe to open: https, or http on the origin of a service on this machine.
 * Undefined for everything else (other schemes, user info, other unencrypted hosts).
 */
export function openableAddress(text: unknown, serverBaseUrl: string): URL | undefined {
  const url = siteAddress(text);
  if (url?.protocol !== 'http:') return url;
  return isLoopback(url.hostname) && url.origin === URL.parse(serverBaseUrl)?.origin ? url : undefined;
}

/** Returns a site URL if it is safe to open in a browser: http or https without user info. Undefined for everything else. */
export function siteAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > 8_000 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && !url.username && !url.password ? url : undefined;
}
