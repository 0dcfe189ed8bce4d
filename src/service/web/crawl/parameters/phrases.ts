import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { lazy } from '../../../platform/lazy.ts';
import { lemmaOf, type Token } from './tokens.ts';

/** Crawl parameters that a sentence sets. */
export type Draft = Omit<CrawlOptions, 'regexOnFullURL' | 'maxConcurrency'>;

/**
 * What a phrase means in a sentence.
 * - Heads say what is wanted of the things around them: `n` not, `a` without, `d` deny, `w` want, `o` only, `e` except.
 * - Joints: `&`, `|`, `b` but, `c` including, which is a head where no thing comes before it. `=` is a form of “be”, `?` starts a condition, `~` what is said of a thing, `P` where it is.
 * - Things: `O` option, `A` all pages; `S` words that seldom name a section.
 * - Of amounts: `m` most, `l` least, `i` interval, `p` per, `u` unit. `f` says nothing, `Q` nothing of what is named and wanted, and
 *   `q` leaves it wanted, but is reported. `N` is what isn't known.
 */
export interface Meaning {
  is: string;
  /** The parameter of an option or amount. */
  of?: keyof Draft | undefined;
  /** What an option becomes if it is wanted, denied and alone wanted; null sets nothing, undefined isn't understood. */
  values: readonly unknown[];
  /**
   * Of an option that needs the verb `follow` or is a verb; of posts, or another kind of pages; of a word of sections that the site
   * has; of a name of which all is meant, and that no section has; of a name to which only that of another section is related.
   */
  flag?: string | undefined;
}

/** A phrase of a sentence, or `T` a section, `N` a name, `L` a path, file or quotation, `1` a number, `M` an amount, `,` or `-`. */
export interface Unit extends Meaning {
  tokens: readonly Token[];
  value?: number;
  /** Of an amount that is a limit only if it is denied: “more than 5 pages”. */
  isLeast?: boolean;
}

export const isDenial = ({ is }: Unit): boolean => 'nadeD'.includes(is);
export const isHead = ({ is }: Unit): boolean => 'nadewoWDc'.includes(is);
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = ({ is, flag }: Unit): boolean =>
  'NTLOA1M'.includes(is) || flag === 'posts' || flag === 'kind' || flag === 'shown';
export const lettersOf = (units: readonly Unit[]): string => units.map(({ is }) => is).join('');
/** Returns units in groups, each with the one that ends it. */
export function groupsOf(units: readonly Unit[], isEnd: (unit: Unit) => boolean): Unit[][] {
  const ends = units.flatMap((unit, index) => (isEnd(unit) ? [index + 1] : []));
  return [0, ...ends].map((start, index) => units.slice(start, ends[index]));
}
/** The first word of a unit, as written. */
export const textOf = (unit: Unit | undefined): string => unit?.tokens[0]?.text ?? '';

const site = '(site|website|web site|domain|host|server)';
const thisSite = `(the|this|same|the same|that|one|current|start) ${site}`;
const otherSite = '(other|external|outside|different|foreign|third party|another)';
const start = '((the|this) (start|first|home|main|landing) (page|url)|the homepage)';
const page = '(page|url|link)';
const similar =
  '((similar|near duplicate|duplicate|duplicated) (page|url|link)|(|near) duplicate|page that look alike)';
const asOne = '(are|as|count as) (one|the same) (|page)';
const query = '(|different) (query|(query|url|get|search|tracking|utm) (string|parameter|param|tag)|parameter)';

/**
 * Every phrase that is understood, a row for each meaning: its letter, parameter, values (`null` sets nothing, `-` isn't
 * understood) and flag. `(a|b)` stands for either; the longest phrase at a place counts, and of equal ones the first. Words
 * are compared by their stems: `skip` is also `skipping` and `skipped`.
 */
const table = `
n: not, never, neither, nothing, none, none of, nowhere, (no|not) (need|reason|point|interest) (to|for|of|in), refrain from, (zero page|not a single|not any|not one|zero page from), not interest in, not care (about|for), not bother with, there should be no, under no circumstance, on no account
a: no, of no interest, of no use, without, without any, minus, no (thank|way|chance|good|use|go), rather than, instead of, regardless of
d: skip, ignore, exclude, omit, avoid, leave (out|aside), left out, drop, remove, strip, disregard, bypass, override, forget, forget about, miss, overlook, (stay|keep) (away from|out of|off|clear of), steer clear of, refuse to, block, reject, prohibit, forbidden, disallow, disable, (turn|switch) off, filter out, discard, get rid of, rule out, cut out, forbid, ban, eliminate, hide, never mind, exclusion, (out of|not in) scope, irrelevant, unwanted, unnecessary, not (relevant|necessary|needed), off limit, false, off
w: crawl, scrape, fetch, get, grab, collect, gather, visit, include, follow, allow, permit, enable, accept, use, want, need, read, take, keep, obey, respect, honor, honour, observe, heed, index, download, extract, find, cover, capture, pull, consider, check, explore, look (at|for|into), go, go (to|into|through), enter, open, access, touch, treat, count, show, give, start, save, load, process, return, scope, in scope, inclusion, stray (to|into), rely on, descend (|into), dive into, interest in, care (about|for), bother with, harvest, ingest, import, retrieve, spider, browse, scan, mirror, list, fine, ok, okay, welcome, yes, true, matter, target
o: only, just, solely, exclusively, purely, (nothing|no page|no url) (but|except|other than|beside|beyond|outside), (focus|concentrate) on, (limit|restrict|confine) (|it|yourself|the crawl|crawl|this) to, stay, (stay|stick|remain|keep) (on|with|to|in|inside|within), only interest in
e: except, except for, bar, barring, other than, (apart|aside) from, excepting, exception, with the exception of, save for, outside, outside of, (that|which) (is|are|do|does) not (|in|under|about|belong to)
b: but, but also, however, though, although, while, whereas, otherwise
?: unless, if, whenever, when, until, once, because, since
=: is, are, was, were, be, do, does, did, (should|must|can|could|may|might|shall|will|would) (|be), (has|have|need|ought|suppose) to (|be), to be
m #date: up to, and up to, top, within, (stop|end) at, end after, (|do) not (|go) beyond
m: (no|not) (more|deeper|further|farther|faster) than, (|do) not exceed, (fewer|less) than, stop after, or (less|fewer), (is|are) enough, nothing deeper than
m limit: (|page) limit (|to|of), page count, at (|the) most, maximum, maximum of, cap, cap (|it) at, total, in total
m maxDepth: limit (|the) (|crawl) depth to, (|crawl|maximum) depth (of|limit|limit of|), deep, (not|no|nothing) deeper than, (|at|to|with) (a|the) (|crawl|maximum) depth of
m maxDiscoveryDepth: (|maximum) discovery depth (|of)
m delay: (|crawl) delay (|of)
O delay 0: no (delay|pause|wait)
i: leave, wait (|for), pause (|for|of), sleep (|for), rest, interval (|of), gap (|of), apart, (in|) between, (in|) (between|before|after) (|the|each|every|any|all|two) (|consecutive) (request|page|fetch|call|download|url)
l: (or|and) (more|over|above|up)
l: at (|the) least, more than, over, min, minimum, minimum of, beyond, (deeper|further|farther|faster) than, exceed
p: per, each, every, both
u limit: page, url, req, webpage, web page, request, document, subpage, item, record, entry, result
u maxDiscoveryDepth: ((click|hop|step) (|deep|away|down|far)|link (deep|away|down|far)) (|(from|of) (${start}|the home|the start)), link (from|of) ${start}
u maxDepth: (level|layer|folder level|path segment) (|deep|down|of depth) (|(from|of) ${start}), (folder|directory|segment) (deep|down)
u delay 0.001: ms, millisecond
u delay 1: s, sec, second
u delay 60: minute
u delay 3600: hour, h
O ignoreRobotsTxt false true: (|the) (robots.txt|robots txt|robots) (|file|rule|directive|restriction|exclusion), what robots.txt say
O ignoreRobotsTxt true false: ${page} (|that is|that are) (blocked|disallowed|forbidden|excluded) (by|in) (|the) (robots.txt|robots)
O sitemap include skip only: (|the) (sitemap|site map|sitemap.xml) (|file), ${page} (|that are) (in|from|of|listed in|found in) (|the) (sitemap|site map)
O ignoreQueryParameters false true: ${query}
O ignoreQueryParameters true false #verb: ${page} (with|that differ (|only) (in|by)) ${query} ${asOne}
O deduplicateSimilarURLs false true: ${similar}
O deduplicateSimilarURLs true false #verb: (dedupe|deduplicate|dedup|de dupe|deduplication) (|all) (|${similar}), (merge|collapse|combine) (|all) ${similar}, (|merge|collapse|combine) ${similar} ${asOne}
O allowSubdomains true false: (|other) (subdomain|sub domain), (link to|page on) (subdomain|sub domain)
O allowExternalLinks true false: (|link (to|that lead to|that point to|that go to|leading to)|page on|page of) ${otherSite} ${site}, ${otherSite} (link|page|url|content), (outbound|outgoing|off site) link, off site, external, beyond ${thisSite}, beyond site, link that leave ${thisSite}
O allowExternalLinks true false #verb: leave ${thisSite}, leave site
O allowExternalLinks null - false: ${thisSite}, internal link, link within ${thisSite}
O crawlEntireDomain true false: (|the) (whole|entire|full|complete) (${site}|crawl (|of (|the|this|my) ${site})), whole of (|the|this) ${site}, site wide, (whole|entire) thing
O crawlEntireDomain false: (under|below|beneath|within) (the|this) (start url|start path|starting url|start section|url)
O maxDiscoveryDepth 1 - 1: direct link, link (on|from|of) ${start}, page (|directly|that are|that are directly) linked (|directly) (from|on) (${start}|it), (what|everything|whatever|(|all) page (|that)) it link to
O limit - - 1: (single|this) page, this url
O maxDiscoveryDepth null 0 #follow: (|any|further|more|the) link
A crawlEntireDomain true null null: all, everything (|else), (every|each) (|single) (page|url), all (|the|of the|its|other) (page|url|content), all (|of) it, all of (|the|this) ${site}, the rest (|of the site), whatever (|is)
A crawlEntireDomain true null null #any: anything (|else), any (|single) (page|url), else
P: any part of, (whose|where the|with) (url|path|address) (|that) (start|begin) with, in, about, regarding, concerning, related to, under, below, beneath, within, inside, from, on, of, at, (|that (is|are)) (located|found) (in|under), that (is|are) (in|under|on)
~: with, for, as, before, that, which, whose, who, where, by, to, during, via, even
s: (|be|very|go) (slow|slowly|quickly|fast|gentle|gently|polite|politely), publish, update, write, create, modify, (older|newer|longer) than, mention, every (day|week|night), daily, weekly, twice
,: plus, then
&: and, as well as, (along|together) with, and or, also
|: or
S #posts: post, article, story, piece, thread, topic, discussion, episode
S #kind: job, task
S: content, information, info, data, material, thing, stuff, file, site, website, path, section, part, area, folder, directory, category, subtree, series, version, detail
Q: whole, entire, complete, full, in full (|detail), completely, entirely, totally, simply, strictly
N: ${start}, (part|half|portion|subset|most|some|few|several|bit) of
q: start (with|at|on|from), first, last, latest, current, newest, recent, most recent, quick, small, relevant, some, mainly, especially, particularly, specifically, always, (|the) rest of
f: (whole|entire|full|complete) crawl of, (you|crawler) to, (to|when|for) (find|discover|compare) (|the) (page|url|link), the following, the, a, an, any, each, it, its, their, this, that, these, those, our, your, my, please, pls, kindly, (can|could|would|will|may) (you|we), i would, i will, there, here, (a|the) list of, we, i, you, us, me, like, (would|should) like (|to), (want|need|like) to, so, well, more, now, thanks, thank you, hi, hello, hey, make sure (|that), ensure (|that), let, let us, be sure to, feel free to, (|crawl|this) crawler, (a|the|this|my) crawl (job|task), this (job|task), if possible, if at all possible, at all, whatsoever, for now, ideally, preferably, (|under) any circumstance, really, actually, ever, absolutely, careful, be careful, around, roughly, approximately, about the size of, of it, of them, for me, i am, the one, one, ones, (in|from) the (crawl|result), for robots.txt, in robots.txt, i think, (on|from) (the|this) ${site}, of (the|this) site, them, too, as well, either
`;

/** The words of each phrase, as stems -> what it means. */
const phrases = lazy(() => {
  const literals: Record<string, unknown> = { null: null, '-': undefined, true: true, false: false };
  const literal = (value: string) => (value in literals ? literals[value] : /^\d/.test(value) ? Number(value) : value);
  const entries = table
    .trim()
    .split('\n')
    .toReversed()
    .flatMap((row) => {
      const [, is = '', of, said = '', flag, list = ''] =
        /^(\S+?)(?: (\w+))?((?: [^#: ]+)*)(?: #(\w+))?: (.*)$/.exec(row) ?? [];
      const values = said.split(' ').slice(1).map(literal);
      const meaning: Meaning = { is, of: of as Meaning['of'], values, flag };
      return list.split(', ').flatMap((phrase) => expanded(phrase).map((one) => [one, meaning] as const));
    });
  return new Map(entries);
});
const mostWords = 12;

/** Returns what a phrase with alternatives stands for, each as stems. */
function expanded(phrase: string): string[] {
  // The innermost alternatives first.
  const [whole = '', choices] = /\(([^()]*)\)/.exec(phrase) ?? [];
  if (choices === undefined) return [phrase.trim().split(/ +/).map(lemmaOf).join(' ')];
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
