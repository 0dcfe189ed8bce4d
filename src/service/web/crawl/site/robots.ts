import { createTurn } from '../../../platform/async.ts';
import { keepLast } from '../../../platform/maps.ts';
import { unescapePlain } from '../scope/urls.ts';
import { createRules, type RobotsRule } from './robots-rules.ts';

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
/** Rules with a `*`, each of which is looked for in the whole path. */
const maxWildcards = 1000;
/** Crawlers whose rules are kept. */
const maxCrawlers = 20;

interface Group {
  agents: string[];
  /** Each with the number of agents that were named before it: it isn't said to others. */
  delays: { seconds: number; named: number }[];
}
interface Rule extends RobotsRule {
  group: Group;
}

/** Parses a robots.txt. Unknown lines are ignored. Returns a function for the rules of a crawler, by its user agent. */
export async function parseRobots(text: string): Promise<(userAgent: string) => Robots> {
  const { groups, rules, sitemaps } = await read(text);
  const known = new Map<string, Robots>();
  return (userAgent) => {
    const product = productOf(userAgent);
    const robots = known.get(product) ?? robotsFor(product);
    keepLast(known, product, robots, maxCrawlers);
    return robots;
  };

  function robotsFor(product: string): Robots {
    const named = product === '' ? [] : groups.filter(({ agents }) => agents.includes(product));
    const chosen = new Set(named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*')));
    const agent = named.length > 0 ? product : '*';
    const isAllowed = createRules(rules.filter(({ group }) => chosen.has(group)));
    return {
      allows(pathAndQuery) {
        if (pathAndQuery === '/robots.txt') return true;
        // In a path they are characters like others, which rules have to escape (RFC 9309, 2.2.3).
        return isAllowed(normalize(pathAndQuery).replaceAll('$', '%24').replaceAll('*', '%2A'));
      },
      crawlDelay: [...chosen].flatMap(({ agents, delays }) => {
        const place = agents.indexOf(agent);
        return delays.find(({ named }) => named > place)?.seconds ?? [];
      })[0],
      sitemaps,
    };
  }
}

async function read(text: string): Promise<{ groups: Group[]; rules: Rule[]; sitemaps: string[] }> {
  const groups: Group[] = [];
  const rules: Rule[] = [];
  const sitemaps: string[] = [];
  let group: Group | undefined;
  let namesAgents = false;
  let counted = 0;
  let wildcards = 0;
  const turn = createTurn();
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    if (turn.isOver) await turn.end();
    // As Google does, a rule without its colon is obeyed: the site meant it.
    const [, field, value] =
      /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ??
      /^\s*(user-agent|allow|disallow)\s+([^\s#]+)\s*(?:#|$)/i.exec(line) ??
      [];
    if (field === undefined || value === undefined) continue;
    const content = value.trim();
    switch (field.toLowerCase()) {
      case 'user-agent':
        if (!namesAgents || !group) {
          group = { agents: [], delays: [] };
          groups.push(group);
        }
        namesAgents = true;
        group.agents.push(productOf(content));
        break;
      case 'allow':
      case 'disallow':
        namesAgents = false;
        if (content === '' || ++counted > maxRules || (content.includes('*') && ++wildcards > maxWildcards)) break;
        if (group)
          rules.push({
            group,
            pattern: normalize(content).replaceAll(/\$(?!$)/g, '%24'),
            allow: field.toLowerCase() === 'allow',
          });
        break;
      case 'crawl-delay': {
        // Only rules end the list of a group's agents (RFC 9309, 2.2.4).
        const seconds = Number(content);
        if (group && content !== '' && seconds >= 0 && Number.isFinite(seconds))
          group.delays.push({ seconds, named: group.agents.length });
        break;
      }
      case 'sitemap':
        // Neither belongs to a group nor ends one.
        if (content !== '') sitemaps.push(content);
        break;
    }
  }
  return { groups, rules, sitemaps };
}

/** Returns the product token of a user agent in lower case: `name` for `Name/1.0 (…)`. */
function productOf(userAgent: string): string {
  return /^[^\s/;(]+/.exec(userAgent.trim())?.[0].toLowerCase() ?? '';
}

/** Normalizes escapes for comparison: non-ASCII is escaped, unreserved characters are not, hex is upper case. */
function normalize(text: string): string {
  return unescapePlain(text.replace(/[^\x21-\x7e]+/g, (characters) => encodeURIComponent(characters.toWellFormed())));
}
