import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { lazy } from '../../../platform/lazy.ts';
import { lemmaOf, type Token } from './tokens.ts';

/** Crawl parameters that a sentence sets. */
export type Draft = Omit<CrawlOptions, 'regexOnFullURL' | 'maxConcurrency'>;

/** What a phrase means in a sentence. */
export type Meaning =
  /** Heads: what decides whether the things of a clause are wanted. `without` says nothing of the clauses around it. */
  | { is: 'not' | 'deny' | 'want' | 'only' | 'except'; aside?: true }
  /** `but` ends a clause; `if` makes its sentence set nothing; `should be`: what follows is about what precedes it. */
  | { is: 'but' | 'condition' | 'be' }
  /** Amounts. */
  | { is: 'most' | 'least' | 'per' | 'wait'; of?: undefined }
  | { is: 'most' | 'unit'; of: 'limit' | 'maxDepth' | 'maxDiscoveryDepth' | 'delay'; times?: number }
  /** An option, and what it becomes if it is wanted, alone wanted, or denied; nothing else can be said of it. */
  | {
      is: 'option' | 'all';
      wanted?: Draft;
      only?: Draft;
      denied?: Draft;
      isDefault?: true;
      needsSame?: true;
      verb?: string;
    }
  /** `as one page`, `merge`, which turn an option round: to treat duplicates as one is not to want them. */
  | { is: 'same'; wanted?: Draft; denied?: Draft }
  /** Words before the name of a user agent; `crawl as` needs one that looks like a robot's. */
  | { is: 'agent'; robot?: true }
  /** Where a thing is, what is said of it, or what follows it. */
  | { is: 'place' | 'about' | 'and' }
  /** Words of sections that seldom name one: `posts`, which do if nothing else does; `section`. */
  | { is: 'posts' | 'section' | 'generic' }
  | { is: 'filler' };

const site = '(site|website|web site|domain|host|server)';
const otherSite = '(other|external|outside|different|foreign|third party|another)';
const thisSite = `(the|this|same|the same|that|one|current|start) ${site}`;
const query = '(|different) (query|(query|url|get|search|tracking|utm) (string|parameter|param|tag)|parameter)';
const similar = '((similar|near duplicate|duplicate|duplicated) (|page|url|link)|page that look alike)';
const start = '(the|this) (start|first|home|main|landing) (page|url)';
const page = '(page|url|link)';

const option = (wanted?: Draft, denied?: Draft, only?: Draft) => ({ is: 'option', wanted, denied, only }) as const;

/** The rows of the table that mean more than their name. */
const meaningOf: Readonly<Record<string, Meaning>> = {
  no: { is: 'not', aside: true },
  pageLimit: { is: 'most', of: 'limit' },
  depth: { is: 'most', of: 'maxDepth' },
  discoveryDepth: { is: 'most', of: 'maxDiscoveryDepth' },
  delay: { is: 'most', of: 'delay' },
  page: { is: 'unit', of: 'limit' },
  click: { is: 'unit', of: 'maxDiscoveryDepth' },
  level: { is: 'unit', of: 'maxDepth' },
  millisecond: { is: 'unit', of: 'delay', times: 0.001 },
  second: { is: 'unit', of: 'delay', times: 1 },
  minute: { is: 'unit', of: 'delay', times: 60 },
  hour: { is: 'unit', of: 'delay', times: 3600 },
  robots: option({ ignoreRobotsTxt: false }, { ignoreRobotsTxt: true }),
  blockedPages: option({ ignoreRobotsTxt: true }, { ignoreRobotsTxt: false }),
  sitemap: option({ sitemap: 'include' }, { sitemap: 'skip' }, { sitemap: 'only' }),
  query: option({ ignoreQueryParameters: false }, { ignoreQueryParameters: true }),
  pagesWithQuery: { ...option({ ignoreQueryParameters: false }, { ignoreQueryParameters: true }), needsSame: true },
  similar: option({ deduplicateSimilarURLs: false }, { deduplicateSimilarURLs: true }),
  subdomains: option({ allowSubdomains: true }, { allowSubdomains: false }),
  otherSites: option({ allowExternalLinks: true }, { allowExternalLinks: false }),
  thisSite: option({}, undefined, { allowExternalLinks: false }),
  wholeSite: option({ crawlEntireDomain: true }, { crawlEntireDomain: false }),
  startSection: option({ crawlEntireDomain: false }),
  startLinks: option({ maxDiscoveryDepth: 1 }, undefined, { maxDiscoveryDepth: 1 }),
  thisPage: option({}, undefined, { limit: 1 }),
  startPage: option({}),
  links: { ...option({}, { maxDiscoveryDepth: 0 }), verb: 'follow' },
  slow: { is: 'option', wanted: { delay: 1 }, isDefault: true },
  all: { is: 'all', wanted: { crawlEntireDomain: true }, only: {}, denied: {} },
  robotAgent: { is: 'agent', robot: true },
  merge: { is: 'same', wanted: { deduplicateSimilarURLs: true }, denied: { deduplicateSimilarURLs: false } },
};

/** Every phrase that is understood, one meaning a line. `(a|b)` stands for either; the longest phrase at a place counts, and of equal ones the first. Words are compared by their stems, so `skip` is also `skipping` and `skipped`. */
const table = `
not: not, never, nor, neither, nothing, none, none of, nowhere, (no|not) (need|reason|point|interest) (to|for|of|in), refrain from, (zero page|not a single|not any|not one|zero page from), not interest in, not care (about|for), not bother with, of no interest, of no use, no thank, there should be no, under no circumstance, on no account
no: no, without, without any, minus
deny: skip, ignore, exclude, omit, avoid, leave (out|aside), left out, drop, remove, strip, disregard, bypass, override, forget, forget about, miss, overlook, (stay|keep) (away from|out of|off|clear of), steer clear of, refuse to, block, reject, disallow, disable, (turn|switch) off, filter out, discard, get rid of, rule out, cut out, forbid, ban, eliminate, hide, never mind, regardless of, rather than, instead of, exclusion, (out of|not in) scope, irrelevant, unwanted, unnecessary, not (relevant|necessary|needed), off limit, false, off
want: crawl, scrape, fetch, get, grab, collect, gather, visit, include, follow, allow, permit, enable, accept, use, want, need, read, take, keep, obey, respect, honor, honour, observe, heed, index, download, extract, find, cover, capture, pull, consider, check, explore, look (at|for|into), go, go (to|into|through), enter, open, access, touch, treat, count, show, give, start (|with|at|on|from), save, load, process, return, scope, in scope, inclusion, stray (to|into), rely on, descend (|into), dive into, interest in, care (about|for), bother with, harvest, ingest, import, retrieve, spider, browse, scan, mirror, fine, ok, okay, welcome, yes, true, matter, target
only: only, just, solely, exclusively, purely, nothing (but|except|other than|beside|beyond|outside), (focus|concentrate) on, (limit|restrict|confine) (|it|yourself|the crawl|crawl|this) to, stay, (stay|stick|remain|keep) (on|with|to|in|inside|within), only interest in
except: except, except for, other than, (apart|aside) from, beside, excepting, exception, with the exception of, save for, outside, outside of, (that|which) (is|are|do|does) not (|in|under|about|belong to)
but: but, but also, however, though, although, while, whereas, otherwise, then
condition: unless, if, whenever, when, until, once, because, since
be: is, are, was, were, be, do, does, did, (should|must|can|could|may|might|shall|will|would) (|be), (has|have|need|ought|suppose) to (|be), to be
most: at (|the) most, up to, maximum, maximum of, (no|not) (more|deeper|further|farther|fast) than, not exceed, (fewer|less) than, within, (stop|end) (after|at), cap, cap (|it) at, or (less|fewer), (top|total), in total, (is|are) enough, nothing deeper than, not (|go) beyond
pageLimit: (|page) limit (|to|of), page count
depth: (|crawl|maximum) depth (|of|limit|limit of), deep, (not|no|nothing) deeper than, (|at|to|with) (a|the) (|crawl|maximum) depth of
discoveryDepth: (|maximum) discovery depth (|of)
delay: (|crawl) delay (|of)
wait: wait (|for), pause (|for|of), sleep (|for), rest, interval (|of), gap (|of), apart, (in|) between, (in|) (between|before|after) (|the|each|every|any|all|two) (|consecutive) (request|page|fetch|call|download|url)
least: at (|the) least, more than, over, minimum, minimum of, beyond, (deep|deeper|further) than, exceed
per: per, each, every
page: page, url, webpage, web page, request, document, subpage, item, record, entry, result
click: ((click|hop|step) (|deep|away|down|far)|link (deep|away|down|far)) (|(from|of) (${start}|the home|the start)), link (from|of) ${start}
level: (level|layer|folder level|path segment) (|deep|down|of depth), (folder|directory|segment) (deep|down)
millisecond: ms, millisecond
second: s, sec, second
minute: min, minute
hour: hour, h
robots: (|the) (robots.txt|robots txt|robots) (|file|rule|directive|restriction|exclusion), what robots.txt say
blockedPages: ${page} (|that is|that are) (blocked|disallowed|forbidden|excluded) (by|in) (|the) (robots.txt|robots)
sitemap: (|the) (sitemap|site map|sitemap.xml) (|file), ${page} (|that are) (in|from|of|listed in|found in) (|the) (sitemap|site map)
query: ${query}
pagesWithQuery: ${page} (with|that differ (|only) (in|by)) (|their|the) ${query}
same: (be|are|as|count as) (one|the same|same|duplicate|identical) (|page|url)
similar: ${similar}
subdomains: (|other) (subdomain|sub domain), (link to|page on) (subdomain|sub domain)
otherSites: (|link (to|that lead to|that point to|that go to|leading to)|page on|page of) ${otherSite} ${site}, ${otherSite} (link|page|url|content), (outbound|outgoing|off site) link, off site, external, (leave|beyond) ${thisSite}, (leave|beyond) site, link that leave ${thisSite}
thisSite: ${thisSite}, internal link, link within ${thisSite}
wholeSite: (|the) (whole|entire|full|complete) ${site}, site wide, all of the site
startSection: (under|below|beneath|within) (the|this) (start url|start path|starting url|start section|url)
startLinks: (direct link|link (on|from|of) ${start}|page (|directly|that are|that are directly) linked (|directly) (from|on) ${start})
thisPage: (single|this) page, this url
startPage: ${start}
links: (|any|further|more|the) link
slow: (|be|very|go) (slow|slowly|gentle|gently|polite|politely)
all: (everything|anything) (|else), (every|each|any) (|single) (page|url), all (|the|of the|its|other) (page|url|content), all (|of) it, the rest (|of the site), whatever (|is), else
agent: (|robots|robots.txt) user agent (|string|name), (identify|identify yourself) as
robotAgent: (crawl|act|pose) as, pretend to be, rule (for|of)
place: in, about, regarding, concerning, related to, under, below, beneath, within, inside, from, on, of, at, (|that (is|are)) (located|found) (in|under), that (is|are) (in|under|on)
about: with, for, as, before, publish, update, write, create, modify, that, which, whose, who, where, by, to, during, (older|newer|longer) than, via, tagged, mention, every (day|week|night), daily, weekly, twice, even
and: and, or, plus, as well as, (along|together) with, and or, also
merge: dedupe, deduplicate, dedup, de dupe, merge, collapse, combine, deduplication
posts: post, article, story, piece
generic: content, information, info, data, material, thing, stuff, file, site, website, path
section: section, part, area, folder, directory, category, subtree
filler: (you|crawler) to, (to|when|for) (find|discover|compare) (|the) (page|url|link), the following, the, a, an, all, any, each, it, its, their, this, that, these, those, our, your, my, both, either, too, please, pls, kindly, first, latest, newest, recent, most recent, (can|could|would|will|may) you, i would, i will, there, here, relevant, list, we, i, you, us, me, like, (would|should) like (|to), (want|need|like) to, so, well, more, now, thanks, thank you, hi, hello, hey, make sure (|that), ensure (|that), let, let us, be sure to, feel free to, crawler, job, task, if possible, if at all possible, at all, whatsoever, for now, ideally, preferably, (|under) any circumstance, simply, really, actually, completely, entirely, ever, always, totally, absolutely, strictly, mainly, especially, particularly, specifically, careful, be careful, around, roughly, some, approximately, about the size of, of it, of them, for me, the one, one, ones, (in|from) the (crawl|result), for robots.txt, in robots.txt, i think, as well, (on|from|of) (the|this) site, them, rest of
`;

/** The words of each phrase, as stems -> what it means; and how many words the longest has. */
const phrases = lazy(() => {
  const meanings = new Map<string, Meaning>();
  for (const row of table.trim().split('\n')) {
    const name = row.slice(0, row.indexOf(':'));
    const meaning = meaningOf[name] ?? ({ is: name } as Meaning);
    for (const phrase of row
      .slice(name.length + 1)
      .split(', ')
      .flatMap(expanded))
      if (!meanings.has(phrase)) meanings.set(phrase, meaning);
  }
  return { meanings, longest: Math.max(...[...meanings.keys()].map((phrase) => phrase.split(' ').length)) };
});

/** Returns what a phrase with alternatives stands for, each as stems. */
function expanded(phrase: string): string[] {
  // The innermost alternatives first.
  const match = /\(([^()]*)\)/.exec(phrase);
  if (!match) return [phrase.trim().split(/ +/).map(lemmaOf).join(' ')];
  const [whole, choices = ''] = match;
  return choices.split('|').flatMap((choice) => expanded(phrase.replace(whole, () => choice)));
}

/** Returns the longest phrase at the start of these tokens; undefined if no phrase starts there. */
export function phraseAt(tokens: readonly Token[]): { meaning: Meaning; length: number } | undefined {
  const { meanings, longest } = phrases();
  const next = tokens.slice(0, longest);
  const end = next.findIndex(({ kind }) => kind !== 'word' && kind !== 'number');
  for (let length = end < 0 ? next.length : end; length > 0; length--) {
    const words = next.slice(0, length).map(({ kind, value, text }) => (kind === 'number' ? text : value));
    const meaning = meanings.get(words.join(' '));
    if (meaning) return { meaning, length };
  }
  return undefined;
}
