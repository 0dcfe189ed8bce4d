const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Where an answer sends on to; undefined for one that does not, or does not say where to. */
export function redirectTarget(status: number, location: string | undefined, from: URL): URL | undefined {
  if (!redirectStatuses.has(status) || location === undefined || location === '') return undefined;
  const target = URL.parse(headerText(location), from) ?? undefined;
  // The fragment goes along, as in browsers.
  if (target && target.hash === '' && from.hash !== '') target.hash = from.hash;
  return target;
}

/** A header value as text: its bytes arrive one a character, and are UTF-8 more often than not. */
function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}

/** What may be told to another origin than the one that the caller's headers were meant for. */
const harmless = new Set(['accept', 'accept-language', 'user-agent']);

/** The caller's headers that go along with a redirect. */
export function headersFor(
  headers: Readonly<Record<string, string>>,
  first: URL,
  hop: URL,
): Readonly<Record<string, string>> {
  if (first.origin === hop.origin) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.has(name)));
}

/** The cookies that sites set on the way: some send on and on until theirs comes back. */
export interface Cookies {
  store(url: URL, setCookie: string | readonly string[] | undefined): void;
  /** The Cookie header for this URL, if there is anything to say. */
  header(url: URL): string | undefined;
}

const mostCookies = 50;

/** A jar for the length of one fetch: cookies go back to the very host that set them, over https if they ask for it. */
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
        else if (jar.size < mostCookies) {
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
