const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Returns the target of a redirect; undefined if the response isn't a redirect or has no valid Location. */
export function redirectTarget(status: number, location: string | undefined, from: URL): URL | undefined {
  if (!redirectStatuses.has(status) || location === undefined || location === '') return undefined;
  const target = URL.parse(headerText(location), from) ?? undefined;
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

/** Cookies that are set during redirects: some sites redirect until their cookie is sent back. */
export interface Cookies {
  store(url: URL, setCookie: string | readonly string[] | undefined): void;
  /** Returns the Cookie header for a URL; undefined if there are no cookies. */
  header(url: URL): string | undefined;
}

const maxCookies = 50;

/** Creates a cookie jar for one fetch: cookies are sent only to the host that set them, and `Secure` ones only over https. */
export function createCookies(): Cookies {
  const jars = new Map<string, Map<string, { value: string; secure: boolean }>>();
  return {
    store(url, setCookie) {
      if (setCookie === undefined) return;
      for (const line of typeof setCookie === 'string' ? [setCookie] : setCookie) {
        const [pair = '', ...attributes] = line.split(';');
        const equals = pair.indexOf('=');
        const name = pair.slice(0, equals).trim();
        if (equals < 1 || name === '') continue;
        const flags = attributes.map((attribute) => attribute.trim().toLowerCase());
        const jar = jars.get(url.hostname) ?? new Map<string, { value: string; secure: boolean }>();
        jars.set(url.hostname, jar);
        if (flags.some((flag) => /^max-age=(0|-\d+)$/.test(flag))) jar.delete(name);
        else if (jar.size < maxCookies) {
          jar.set(name, { value: pair.slice(equals + 1).trim(), secure: flags.includes('secure') });
        }
      }
    },
    header(url) {
      const jar = jars.get(url.hostname);
      if (!jar) return undefined;
      const pairs = [...jar].filter(([, { secure }]) => !secure || url.protocol === 'https:');
      return pairs.length === 0 ? undefined : pairs.map(([name, { value }]) => `${name}=${value}`).join('; ');
    },
  };
}
