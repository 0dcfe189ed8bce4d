/** Turns what people type into URLs. Pure: used by the extension, the live view and the service's request bodies. */

const withScheme = /^https?:\/\//i;
/** A host with an optional port, then a path, query or fragment. A user name isn't part of it. */
const bareAddress = /^(\[[0-9a-f:.]+\]|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?)(:\d{1,5})?(?:[/?#].*)?$/isu;
/** Words before a colon that are schemes, not hosts: `tel:911` isn't a host with a port. */
const otherSchemes = /^(?:about|blob|chrome|data|file|ftp|javascript|mailto|sms|tel|urn|view-source|ws|wss):/i;
const privateNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;
const privateAddresses =
  /^(?:(?:0|10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[(?:::1?\]|f[cd]|fe[89ab]))/;

/**
 * Returns an address with a scheme: as it is if it has one, else with `https://`, or `http://` for loopback and
 * private hosts. Texts that aren't addresses are returned as they are.
 */
export function addScheme(text: string): string {
  const address = text.trim();
  const [, host = '', port] = bareAddress.exec(address) ?? [];
  if (host === '' || otherSchemes.test(address)) return text;
  const url = URL.parse(`http://${address}`);
  if (!url) return text;
  const isName = !host.startsWith('[') && !host.includes('.');
  // A single word is more likely a typing error than a host, unless it has a port.
  if (isName && port === undefined && !isPrivateHost(url.hostname)) return text;
  return `${isName || isPrivateHost(url.hostname) ? 'http' : 'https'}://${address}`;
}

/** Returns the http or https URL for an entered address, with its scheme added if it has none; undefined if it isn't one. */
export function webAddress(text: string): URL | undefined {
  const address = addScheme(text).trim();
  const url = withScheme.test(address) ? URL.parse(address) : null;
  return url && url.hostname !== '' ? url : undefined;
}

/** Returns whether a host, as `URL` writes it, is a loopback or private address or a name in a private network. */
export function isPrivateHost(hostname: string): boolean {
  return privateAddresses.test(hostname) || privateNames.test(hostname.replace(/\.$/, ''));
}

/** Returns the http URL of an https URL. A port stays; the default port of https becomes that of http. */
export function httpAddress(url: URL): URL {
  const http = new URL(url);
  http.protocol = 'http:';
  return http;
}
