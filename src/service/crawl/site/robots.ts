/** The rules of a robots.txt for one crawler (RFC 9309). */
export interface Robots {
  /** Returns whether a path with its query may be fetched, in time linear in its length. */
  allows(pathAndQuery: string): boolean;
  /** Seconds between requests that the site asks for; not in the RFC, but widely used. */
  crawlDelay: number | undefined;
  /** URLs of the site's sitemaps, as written. */
  sitemaps: string[];
}

export const allowAll: Robots = { allows: () => true, crawlDelay: undefined, sitemaps: [] };
export const disallowAll: Robots = { allows: () => false, crawlDelay: undefined, sitemaps: [] };

/** Maximum number of bytes of a robots.txt that are read; the RFC requires at least 500 KiB. */
export const robotsLimit = 512 * 1024;

const maxRules = 10_000;

interface Rule {
  pattern: string;
  allow: boolean;
}
interface Group {
  agents: string[];
  rules: Rule[];
  delay: number | undefined;
}

/** Parses a robots.txt for a crawler's user agent. Unknown lines are ignored. */
export function parseRobots(text: string, userAgent: string): Robots {
  const { groups, sitemaps } = readGroups(text);
  const product = productOf(userAgent);
  const named = product === '' ? [] : groups.filter(({ agents }) => agents.includes(product));
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  // The longest rule wins; of two equally long rules, the one that allows.
  const rules = chosen
    .flatMap((group) => group.rules)
    .sort((one, other) => other.pattern.length - one.pattern.length || Number(other.allow) - Number(one.allow));
  return {
    allows(pathAndQuery) {
      if (pathAndQuery === '/robots.txt') return true;
      const path = normalize(pathAndQuery);
      return rules.find(({ pattern }) => matches(pattern, path))?.allow ?? true;
    },
    crawlDelay: chosen.find(({ delay }) => delay !== undefined)?.delay,
    sitemaps,
  };
}

function readGroups(text: string): { groups: Group[]; sitemaps: string[] } {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  let namesAgents = false;
  let rules = 0;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, field, value] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    if (field === undefined || value === undefined) continue;
    const content = value.trim();
    switch (field.toLowerCase()) {
      case 'user-agent':
        if (!namesAgents || !group) {
          group = { agents: [], rules: [], delay: undefined };
          groups.push(group);
        }
        namesAgents = true;
        group.agents.push(productOf(content));
        break;
      case 'allow':
      case 'disallow':
        namesAgents = false;
        if (content !== '' && ++rules <= maxRules)
          group?.rules.push({ pattern: normalize(content), allow: field.toLowerCase() === 'allow' });
        break;
      case 'crawl-delay': {
        namesAgents = false;
        const seconds = Number(content);
        if (group && content !== '' && seconds >= 0) group.delay ??= seconds;
        break;
      }
      case 'sitemap':
        // Neither belongs to a group nor ends one.
        if (content !== '') sitemaps.push(content);
        break;
    }
  }
  return { groups, sitemaps };
}

/** Returns the product token of a user agent in lower case: `name` for `Name/1.0 (…)`. */
function productOf(userAgent: string): string {
  return /^[^\s/;(]+/.exec(userAgent.trim())?.[0].toLowerCase() ?? '';
}

/** Normalizes escapes for comparison: non-ASCII is escaped, unreserved characters are not, hex is upper case. */
function normalize(text: string): string {
  return text
    .replace(/[^\x21-\x7e]+/g, (characters) => encodeURIComponent(characters.toWellFormed()))
    .replace(/%[0-9a-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase();
    });
}

/** Returns whether a pattern with `*` and a final `$` matches the start of a path, piece by piece, each at its first occurrence. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = pieces;
  if (!path.startsWith(first)) return false;
  if (rest.length === 0) return !anchored || path.length === first.length;
  const last = anchored ? (rest.pop() ?? '') : '';
  let at = first.length;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return !anchored || (path.length - last.length >= at && path.endsWith(last));
}
