import { parseUrl } from '../../../contract/addresses.ts';
import { getOrAdd } from '../maps.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Returns the target of a redirect; undefined if the response isn't a redirect or has no valid Location. */
export function redirectTarget(status: number, location: string | undefined, from: URL): URL | undefined {
  if (!redirectStatuses.has(status) || location === undefined || location === '') return undefined;
  const target = parseUrl(headerText(location), from) ?? undefined;
  // The fragment is kept, as in browsers.
  if (target && target.hash === '' && from.hash !== '') target.hash = from.hash;
  return target;
}

/** Decodes a header value: Node passes bytes as Latin-1 characters, but most servers send UTF-8. */
function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}

/** Headers that are sent to other origins too. */
const crossOriginHeaders = new Set(['accept', 'accept-language', 'user-agent']);

/** Returns the caller's headers to send to a hop of a redirect. */
export function headersFor(
  headers: Readonly<Record<string, string>>,
  first: URL,
  hop: URL,
): Readonly<Record<string, string>> {
  if (first.origin === hop.origin) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => crossOriginHeaders.has(name)));
}

const maxCookies = 50;

interface Cookie {
  name: string;
  value: string;
  path: string;
  secure: boolean;
}

/** Returns the attributes of a cookie by their names in lowercase. */
function attributesOf(attributes: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(
    attributes.map((attribute) => {
      const [name = '', ...value] = attribute.split('=');
      return [name.trim().toLowerCase(), value.join('=').trim()];
    }),
  );
}

/** Max-Age wins over Expires (RFC 6265, 5.3). */
function isExpired({ expires, 'max-age': maxAge }: Record<string, string | undefined>): boolean {
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0;
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

function isBelow(cookiePath: string, path: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}

/** Creates a cookie jar for one fetch: cookies are sent only to the host and path that set them, and `Secure` ones only over https. */
export function createCookies() {
  const jars = new Map<string, Map<string, Cookie>>();
  return {
    store(url: URL, setCookie: string | readonly string[] | undefined): void {
      if (setCookie === undefined) return;
      for (const line of typeof setCookie === 'string' ? [setCookie] : setCookie) {
        const [pair = '', ...attributes] = line.split(';');
        const equals = pair.indexOf('=');
        const name = pair.slice(0, equals).trim();
        if (equals < 1 || name === '') continue;
        const own = attributesOf(attributes);
        const path = own.path?.startsWith('/') ? own.path : url.pathname.replace(/\/[^/]*$/, '') || '/';
        const key = `${name};${path}`;
        const jar = getOrAdd(jars, url.hostname, () => new Map());
        if (isExpired(own)) jar.delete(key);
        else if (jar.size < maxCookies) {
          jar.set(key, { name, value: pair.slice(equals + 1).trim(), path, secure: own.secure !== undefined });
        }
      }
    },
    /** Returns the Cookie header for a URL; undefined if there are no cookies. */
    header(url: URL): string | undefined {
      const jar = jars.get(url.hostname);
      if (!jar) return undefined;
      const sent = [...jar.values()]
        .filter(({ secure, path }) => (!secure || url.protocol === 'https:') && isBelow(path, url.pathname))
        .sort((one, other) => other.path.length - one.path.length);
      return sent.length === 0 ? undefined : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
    },
  };
}
