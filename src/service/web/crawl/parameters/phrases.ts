import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { lazy } from '../../../platform/lazy.ts';
import { lemmaOf, type Token } from './tokens.ts';

/** Crawl parameters that a sentence sets. */
export type Draft = Omit<CrawlOptions, 'regexOnFullURL' | 'maxConcurrency'>;

/**
 * What a phrase means in a sentence: the head of its row.
 * - Heads (`not` to `except`) say what is wanted of the things after them, or before them: `without` starts a clause.
 * - `option`, `all` (pages) and `agent` (words before a user agent's name) are things; `most`, `least`, `wait`, `per` and `unit` are parts of amounts.
 * - `place` joins a thing and where it is, `about` what is said of it; `posts`, `section` and `generic` seldom name a section;
 *   `filler` says nothing.
 */
export interface Meaning {
  is:
    | ('not' | 'without' | 'deny' | 'want' | 'only' | 'except' | 'but' | 'condition' | 'be')
    | ('option' | 'all' | 'agent' | 'most' | 'least' | 'wait' | 'per' | 'unit')
    | ('place' | 'about' | 'and' | 'or' | 'too' | 'posts' | 'section' | 'generic' | 'filler');
  /** The parameter of an option or amount. */
  of?: keyof Draft;
  /** What an option becomes if it is wanted, denied, or alone wanted; null sets nothing, undefined isn't understood. */
  values: Partial<Record<'wanted' | 'denied' | 'only', unknown>>;
  /** Seconds of a unit of time. */
  seconds?: number;
  /** Of an option that gives way to an amount, needs the verb `follow` or is a verb itself, and of an agent that has to be a robot. */
  flag?: 'default' | 'follow' | 'verb' | 'robot';
}

const site = '(site|website|web site|domain|host|server)';
const thisSite = `(the|this|same|the same|that|one|current|start) ${site}`;
const otherSite = '(other|external|outside|different|foreign|third party|another)';
const start = '((the|this) (start|first|home|main|landing) (page|url)|the homepage)';
const page = '(page|url|link)';
const similar = '((similar|near duplicate|duplicate|duplicated) (|page|url|link)|page that look alike)';
const merge = '(dedupe|deduplicate|dedup|de dupe|deduplication)';
const merged = '(dedupe|deduplicate|merge|collapse|combine)';
const asOne = '(are|as|count as) (one|the same) (|page)';
const query = '(|different) (query|(query|url|get|search|tracking|utm) (string|parameter|param|tag)|parameter)';

const differing = `${page} (with|that differ (|only) (in|by)) (|different) (query|(query|url) (string|parameter|param))`;

/**
 * Every phrase that is understood, a row for each meaning. `(a|b)` stands for either, the longest phrase at a place counts,
 * and of equal ones the first. Words are compared by their stems: `skip` is also `skipping` and `skipped`.
 * The head of an option is its parameter, with what that becomes if it is wanted, denied and alone wanted: `.` sets nothing,
 * `-` isn't understood.
 */
const table = `
not: not, never, neither, nothing, none, none of, nowhere, (no|not) (need|reason|point|interest) (to|for|of|in), refrain from, (zero page|not a single|not any|not one|zero page from), not interest in, not care (about|for), not bother with, of no interest, of no use, there should be no, under no circumstance, on no account
without: no, without, without any, minus, no (thank|way|chance|good|use|go), rather than, instead of, regardless of
deny: skip, ignore, exclude, omit, avoid, leave (out|aside), left out, drop, remove, strip, disregard, bypass, override, forget, forget about, miss, overlook, (stay|keep) (away from|out of|off|clear of), steer clear of, refuse to, block, reject, prohibit, forbidden, disallow, disable, (turn|switch) off, filter out, discard, get rid of, rule out, cut out, forbid, ban, eliminate, hide, never mind, exclusion, (out of|not in) scope, irrelevant, unwanted, unnecessary, not (relevant|necessary|needed), off limit, false, off
want: crawl, scrape, fetch, get, grab, collect, gather, visit, include, follow, allow, permit, enable, accept, use, want, need, read, take, keep, obey, respect, honor, honour, observe, heed, index, download, extract, find, cover, capture, pull, consider, check, explore, look (at|for|into), go, go (to|into|through), enter, open, access, touch, treat, count, show, give, start (|with|at|on|from), save, load, process, return, scope, in scope, inclusion, stray (to|into), rely on, descend (|into), dive into, interest in, care (about|for), bother with, harvest, ingest, import, retrieve, spider, browse, scan, mirror, fine, ok, okay, welcome, yes, true, matter, target
only: only, just, solely, exclusively, purely, (nothing|no page|no url) (but|except|other than|beside|beyond|outside), (focus|concentrate) on, (limit|restrict|confine) (|it|yourself|the crawl|crawl|this) to, stay, (stay|stick|remain|keep) (on|with|to|in|inside|within), only interest in
except: except, except for, other than, (apart|aside) from, excepting, exception, with the exception of, save for, outside, outside of, (that|which) (is|are|do|does) not (|in|under|about|belong to)
but: but, but also, however, though, although, while, whereas, otherwise, then
condition: unless, if, whenever, when, until, once, because, since
be: is, are, was, were, be, do, does, did, (should|must|can|could|may|might|shall|will|would) (|be), (has|have|need|ought|suppose) to (|be), to be
most: at (|the) most, up to, maximum, maximum of, (no|not) (more|deeper|further|farther|fast) than, not exceed, (fewer|less) than, within, (stop|end) (after|at), cap, cap (|it) at, or (less|fewer), (top|total), in total, (is|are) enough, nothing deeper than, not (|go) beyond
most limit: (|page) limit (|to|of), page count
most maxDepth: limit (|the) (|crawl) depth to, (|crawl|maximum) depth (of|limit|limit of|), deep, (not|no|nothing) deeper than, (|at|to|with) (a|the) (|crawl|maximum) depth of
most maxDiscoveryDepth: (|maximum) discovery depth (|of)
most delay: (|crawl) delay (|of)
wait: wait (|for), pause (|for|of), sleep (|for), rest, interval (|of), gap (|of), apart, (in|) between, (in|) (between|before|after) (|the|each|every|any|all|two) (|consecutive) (request|page|fetch|call|download|url)
least: at (|the) least, more than, over, minimum, minimum of, beyond, (deep|deeper|further) than, exceed
per: per, each, every
unit limit: page, url, req, webpage, web page, request, document, subpage, item, record, entry, result
unit maxDiscoveryDepth: ((click|hop|step) (|deep|away|down|far)|link (deep|away|down|far)) (|(from|of) (${start}|the home|the start)), link (from|of) ${start}
unit maxDepth: (level|layer|folder level|path segment) (|deep|down|of depth), (folder|directory|segment) (deep|down)
unit delay 0.001: ms, millisecond
unit delay 1: s, sec, second
unit delay 60: min, minute
unit delay 3600: hour, h
option ignoreRobotsTxt false true: (|the) (robots.txt|robots txt|robots) (|file|rule|directive|restriction|exclusion), what robots.txt say
option ignoreRobotsTxt true false: ${page} (|that is|that are) (blocked|disallowed|forbidden|excluded) (by|in) (|the) (robots.txt|robots)
option sitemap include skip only: (|the) (sitemap|site map|sitemap.xml) (|file), ${page} (|that are) (in|from|of|listed in|found in) (|the) (sitemap|site map)
option ignoreQueryParameters false true: ${query}
option ignoreQueryParameters - -: ${differing}
option ignoreQueryParameters true false #verb: ${differing} ${asOne}
option deduplicateSimilarURLs false true: ${similar}
option deduplicateSimilarURLs true false #verb: ${merge} (|all) (|${similar}), (merge|collapse|combine) (|all) ${similar}, (|merge|collapse|combine) ${similar} ${asOne}, ${similar} (|should|must|can) be ${merged}
option deduplicateSimilarURLs false #verb: ${similar} (should|must|can) not be ${merged}
option allowSubdomains true false: (|other) (subdomain|sub domain), (link to|page on) (subdomain|sub domain)
option allowExternalLinks true false: (|link (to|that lead to|that point to|that go to|leading to)|page on|page of) ${otherSite} ${site}, ${otherSite} (link|page|url|content), (outbound|outgoing|off site) link, off site, external, (leave|beyond) ${thisSite}, (leave|beyond) site, link that leave ${thisSite}
option allowExternalLinks . - false: ${thisSite}, internal link, link within ${thisSite}
option crawlEntireDomain true false: (|the) (whole|entire|full|complete) ${site}, site wide, all of the site
option crawlEntireDomain false: (under|below|beneath|within) (the|this) (start url|start path|starting url|start section|url)
option maxDiscoveryDepth 1 - 1: direct link, link (on|from|of) ${start}, page (|directly|that are|that are directly) linked (|directly) (from|on) ${start}
option limit . - 1: (single|this) page, this url
option maxDiscoveryDepth . 0 #follow: (|any|further|more|the) link
option delay 1 #default: (|be|very|go) (slow|slowly|gentle|gently|polite|politely)
all crawlEntireDomain true . .: all, (everything|anything) (|else), (every|each|any) (|single) (page|url), all (|the|of the|its|other) (page|url|content), all (|of) it, the rest (|of the site), whatever (|is), else
agent: (|robots|robots.txt) user agent (|string|name), (identify|identify yourself) as
agent #robot: (crawl|act|pose) as, pretend to be, rule (for|of)
place: in, about, regarding, concerning, related to, under, below, beneath, within, inside, from, on, of, at, (|that (is|are)) (located|found) (in|under), that (is|are) (in|under|on)
about: with, for, as, before, publish, update, write, create, modify, that, which, whose, who, where, by, to, during, (older|newer|longer) than, via, mention, every (day|week|night), daily, weekly, twice, even
and: and, plus, as well as, (along|together) with, and or, also
or: or
too: too, as well, either
posts: post, article, story, piece
generic: content, information, info, data, material, thing, stuff, file, site, website, path
section: section, part, area, folder, directory, category, subtree
filler: (you|crawler) to, (to|when|for) (find|discover|compare) (|the) (page|url|link), the following, the, a, an, any, each, it, its, their, this, that, these, those, our, your, my, both, please, pls, kindly, first, last, latest, newest, recent, most recent, quick, small, (can|could|would|will|may) you, i would, i will, there, here, relevant, list, we, i, you, us, me, like, (would|should) like (|to), (want|need|like) to, so, well, more, now, thanks, thank you, hi, hello, hey, make sure (|that), ensure (|that), let, let us, be sure to, feel free to, crawler, job, task, if possible, if at all possible, at all, whatsoever, for now, ideally, preferably, (|under) any circumstance, simply, really, actually, completely, entirely, ever, always, totally, absolutely, strictly, mainly, especially, particularly, specifically, careful, be careful, around, roughly, some, approximately, about the size of, of it, of them, for me, the one, one, ones, (in|from) the (crawl|result), for robots.txt, in robots.txt, i think, (on|from|of) (the|this) site, them, rest of
`;

/** Returns what the head of a row says. */
function meaningOf(head: string): Meaning {
  const [words = '', flag] = head.split(' #');
  const [is, of, ...said] = words.split(' ') as [Meaning['is'], Meaning['of'], ...string[]];
  const literals: Record<string, unknown> = { '.': null, '-': undefined, true: true, false: false, 0: 0, 1: 1 };
  const [wanted, denied, only] = said.map((value) => (value in literals ? literals[value] : value));
  return { is, of, values: { wanted, denied, only }, seconds: Number(said[0]), flag: flag as Meaning['flag'] };
}

/** The words of each phrase, as stems -> what it means. */
const phrases = lazy(() => {
  const meanings = new Map<string, Meaning>();
  // Of equal phrases, the first counts.
  for (const row of table.trim().split('\n').toReversed()) {
    const [head = '', list = ''] = row.split(': ');
    const meaning = meaningOf(head);
    for (const phrase of list.split(', ').flatMap(expanded)) meanings.set(phrase, meaning);
  }
  return meanings;
});
const mostWords = 12;

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
  const next = tokens.slice(0, mostWords);
  const words = next.map(({ kind, value, text }) => (kind === 'word' ? value : kind === 'number' ? text : '.'));
  for (let length = words.length; length > 0; length--) {
    const meaning = phrases().get(words.slice(0, length).join(' '));
    if (meaning) return { meaning, length };
  }
  return undefined;
}
