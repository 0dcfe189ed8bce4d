/**
 * A page address that a server gave, if it may be opened: https, or the very origin of a service on this machine.
 * Undefined for everything else (other schemes, user info, other hosts in the clear).
 */
export function openableAddress(text: unknown, serverBaseUrl: string): URL | undefined {
  if (typeof text !== 'string' || text.length > 8_000 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username || url.password) return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopback(url) && url.origin === originOf(serverBaseUrl) ? url : undefined;
}

/** True for 127.0.0.1 and [::1], the only names of this machine that nobody else can claim, and for localhost. */
export function isLoopback(url: URL): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** A site's address that may be opened in a browser: http or https, without user info. Undefined for everything else. */
export function siteAddress(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > 8_000 || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && !url.username && !url.password ? url : undefined;
}
