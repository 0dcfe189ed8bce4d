import { withoutParameters } from '../../../../contract/tracking.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { isOfVisit, parseLink, visitId, visitParameter } from './urls.ts';

/** A page as it was read. */
type Reading = Pick<ScrapedPage, 'links' | 'statusCode' | 'wording'>;

export interface VisitParametersUses {
  /** Reads a page again, as if by another visitor. */
  read(url: string): Promise<Reading | undefined>;
  /** Whether a page of the site may be read for that. */
  mayRead(url: URL): Promise<boolean>;
}

/** Links of a page with one value that lead to different pages; and of them, those that are read with it and without it. */
const least = { links: 3, same: 2, read: 6 };
/** Characters of a page from which an equal text tells that it is the same page. */
const minLength = 200;
/** Parameters that are tried, and the values of each. */
const most = { names: 10, values: 3 };

/** A parameter whose value may be an id. */
const parameter = /[?&;]([^?&;=#]+)=([a-z\d-]{16,})(?=[&;#]|$)/gi;

/** A value that most links of a page to its site have in common. */
interface Candidate {
  name: string;
  value: string;
  /** The links, by what is left of them without it. */
  links: Map<string, string>;
}

/**
 * Learns which parameters identify the visit: a site writes another value of them into the same links each time, and without
 * them these lead to the same pages.
 */
export function createVisitParameters(learned: Set<string>, { read, mayRead }: VisitParametersUses) {
  const tried = new Map<string, Set<string>>();
  let turn: Promise<void> = Promise.resolve();

  async function judge(url: URL, { name, value, links }: Candidate): Promise<void> {
    const key = visitParameter(url.origin, name);
    const values = tried.get(key) ?? new Set();
    if (learned.has(key) || values.has(value) || values.size >= most.values) return;
    if (tried.size >= most.names && !tried.has(key)) return;
    tried.set(key, values.add(value));
    const again = await read(url.href);
    const other = again && candidatesOf(url, again.links).find((each) => each.name === name);
    if (!other || other.value === value) return;
    const shared = [...links].filter(([rest]) => other.links.has(rest));
    if (shared.length < least.links || shared.length * 2 < links.size) return;
    let same = 0;
    for (const [rest, link] of shared.slice(0, least.read)) {
      if (!(await mayRead(new URL(rest)))) continue;
      const [one, two] = [await read(link), await read(rest)];
      if (isSame(one, two) && ++same === least.same) return void learned.add(key);
    }
  }

  return {
    /** Learns from the links of a page, before they are told apart. */
    async learn(page: string, links: readonly string[]): Promise<void> {
      const url = new URL(page);
      for (const candidate of candidatesOf(url, links)) {
        turn = turn.then(() => judge(url, candidate));
        await turn;
      }
    },
  };
}

function candidatesOf({ origin }: URL, links: readonly string[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const link of links) {
    if (!link.includes('?') || !link.startsWith(`${origin}/`)) continue;
    for (const [, name = '', value = ''] of link.matchAll(parameter)) {
      if (!visitId.test(value) || isOfVisit(name, value)) continue;
      const url = parseLink(link);
      if (!url) continue;
      url.search = withoutParameters(url.search, (each) => each === name);
      const candidate = found.get(`${name}=${value}`) ?? { name, value, links: new Map() };
      found.set(`${name}=${value}`, candidate);
      candidate.links.set(url.href, link);
    }
  }
  const common = [...found.values()].filter(({ links: { size } }) => size >= least.links);
  if (common.length === 0) return [];
  const own = new Set(links.filter((link) => link.startsWith(`${origin}/`)));
  return common.filter(({ links: { size } }) => size * 2 >= own.size);
}

function isSame(one: Reading | undefined, two: Reading | undefined): boolean {
  const [text, other] = [one, two].map((each) => (each && each.statusCode < 400 ? each.wording : undefined));
  return text !== undefined && text.length >= minLength && text.digest === other?.digest;
}
