import { parseUrl } from '../../../contract/addresses.ts';

/**
 * Whether a host is in a list. `example.com` is that host at any port, `example.com:8080` at this one, and `*.example.com`
 * any host below it.
 * @param host `host` or `host:port`
 */
export function isListed(host: string, list: readonly string[]): boolean {
  const { name, port } = split(host);
  return list.some((entry) => {
    const listed = split(entry);
    if (listed.port !== '' && listed.port !== port) return false;
    return listed.name.startsWith('*.') ? name.endsWith(listed.name.slice(1)) : name === listed.name;
  });
}

/** Returns `host`, or `host:port` if the port isn't the scheme's; undefined for what has no host, such as a blank page. */
export function hostOf(url: string): string | undefined {
  const parsed = parseUrl(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.host : undefined;
}

function split(host: string): { name: string; port: string } {
  const [, name = host, port = ''] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return { name: name.toLowerCase().replace(/\.$/, ''), port };
}
