import type { Clause } from './clauses/clauses.ts';
import type { Draft } from './draft.ts';

/**
 * Sets what a clause says about a topic. Returns false if no parameter expresses it.
 * @param rest the clause without the topic
 */
type Setter = (draft: Draft, clause: Clause, rest: string, topic: string) => boolean;

interface Topic {
  pattern: RegExp;
  set: Setter;
}

/** A setter for a topic that can only be requested, or only be declined. */
const when =
  (wanted: boolean, set: (draft: Draft) => void): Setter =>
  (draft, clause) => {
    if (clause.wanted !== wanted) return false;
    set(draft);
    return true;
  };
/** A setter of an option that the clause wants or doesn't. */
const option =
  (name: 'ignoreRobotsTxt' | 'allowSubdomains' | 'allowExternalLinks' | 'crawlEntireDomain'): Setter =>
  (draft, { wanted }) => {
    draft[name] = wanted;
    return true;
  };

const site = '(?:web\\s?)?(?:sites?|domains?|hosts?|servers?)';
const one = '(?:same|this|that|one|current|original|given|start(?:ing)?)';
const startPage =
  '(?:(?:this|the)\\s+(?:start(?:ing)?|first|home|main|landing|given)?\\s*-?(?:one\\s+|single\\s+)?(?:page|url)\\b)';
const sameThing =
  /\b(?:(?:count\s+)?as|are)\s+(?:being\s+)?(?:one|1|(?:the\s+)?same|equal|identical|duplicates?)\b|\b(?:only\s+)?once\b/i;
const different = /\b(?:(?:count\s+)?as|are)\s+(?:being\s+)?(?:different|separate|distinct|unique)\b|\bseparately\b/i;
const query =
  '(?:different\\s+(?=param)|(?:different|any)\\s+)?(?:(?<=\\bthe\\s|\\bany\\s)quer(?:y|ies)(?!\\s(?:string|param))|(?<=different\\s)param(?:eter)?s|(?:query|url|get|search|tracking|utm)[\\s-]*(?:strings?|param(?:eter)?s?)|quer(?:y|ies)\\s+in\\s+(?:the\\s+)?urls?|(?:utm|tracking)\\s+tags?)';
const similar =
  '(?:(?:pages?|urls?)\\s+that\\s+(?:look|are)\\s+(?:alike|similar|the\\s+same)|similar(?:-looking)?\\s+(?:urls?|pages?|links?)|near-?\\s?duplicates?|duplicated?\\s+(?:urls?|pages?|links?|content)|duplicates?)';

/** What clauses can be about besides sections, from the most specific to the least. */
const topics: readonly Topic[] = [
  {
    pattern:
      /(?:pages?|urls?|links?|what(?:ever)?)?\s*(?:that\s+(?:is|are)\s+|is\s+)?\b(?:blocked|disallowed|forbidden|excluded|prohibited)\s+(?:by|in)\s+(?:the\s+)?robots(?:\.txt)?(?:\s+(?:file|rules?))?/i,
    set: option('ignoreRobotsTxt'),
  },
  {
    pattern:
      /\b(?:what(?:ever)?\s+)?(?:the\s+)?robots(?:[.\s]txt)?\b(?:'s)?(?:\s+(?:files?|rules?|directives?|restrictions?|exclusions?|says|allows|permits))?/i,
    set: (draft, { wanted, headed }, rest) => {
      if (!headed && rest.trim() !== '\uE002') return false;
      draft.ignoreRobotsTxt = !wanted;
      return true;
    },
  },
  {
    pattern:
      /\b(?:(?:urls?|pages?|links?)\s+(?:(?:that\s+are\s+)?(?:listed|found|named|contained)\s+)?(?:from|in|of|by|on)\s+)?(?:the\s+)?site-?\s?maps?(?:\.xml)?\b(?:\s+(?:urls?|files?|entries|pages?))?/i,
    set: (draft, { wanted, only, soft }, _rest, topic) => {
      // `crawl the pages in the sitemap` asks for no other pages; not to crawl them can't be expressed.
      const isAboutPages = /^(?:urls?|pages?|links?)\b/i.test(topic);
      draft.sitemap = wanted ? (only || (isAboutPages && !soft) ? 'only' : 'include') : 'skip';
      return wanted || !isAboutPages;
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:urls?|pages?|links?)\\s+(?:with|that\\s+(?:have|contain|differ\\s+(?:only\\s+)?(?:in|by))|containing|having|differing\\s+(?:only\\s+)?(?:in|by)|which\\s+differ\\s+(?:only\\s+)?(?:in|by))\\s+(?:a\\s+|their\\s+|the\\s+)?${query}\\b`,
      'i',
    ),
    set: (draft, { wanted }, rest) => {
      const isSame = sameThing.test(rest);
      if (!isSame && !different.test(rest)) return false;
      draft.ignoreQueryParameters = isSame === wanted;
      return true;
    },
  },
  {
    pattern: new RegExp(`\\b${query}\\b`, 'i'),
    set: (draft, { wanted }, rest) => {
      draft.ignoreQueryParameters = sameThing.test(rest) ? wanted : !wanted;
      return true;
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:de-?dup\\w*|merg(?:e|ing)|collaps(?:e|ing)|combin(?:e|ing)|unify)(?:\\s+(?:the\\s+|all\\s+)?${similar})?`,
      'i',
    ),
    set: (draft, { wanted }) => {
      draft.deduplicateSimilarURLs = wanted;
      return true;
    },
  },
  {
    pattern: new RegExp(`\\b${similar}\\b`, 'i'),
    set: (draft, { wanted }, rest) => {
      draft.deduplicateSimilarURLs = sameThing.test(rest) ? wanted : !wanted;
      return true;
    },
  },
  {
    pattern: /\b(?:links?\s+(?:to|on)\s+|pages?\s+on\s+)?(?:(?:all|any|other|the|its|their)\s+)*sub-?\s?domains?\b/i,
    set: option('allowSubdomains'),
  },
  {
    pattern: new RegExp(
      `\\b(?:(?:links?|pages?|urls?|anything)\\s+(?:(?:that|which)\\s+)?(?:(?:lead|go|point)(?:s|ing)?\\s+)?(?:to|on|of|from|at)\\s+)?(?:(?:any|an|all|the)\\s+)*(?:(?:(?:other|external|different|outside|foreign|third[- ]party|another|unrelated)\\s+|other\\s+[\\w'-]+\\s+)${site}|(?:external|outside|outbound|outgoing|off-?site|third[- ]party|foreign)\\s+(?:(?:web\\s?)?(?:links?|pages?|urls?|content|resources?))|externals?|off-?site|(?:elsewhere|away)\\s+(?:on|to)\\s+the\\s+web)\\b|\\blinks?\\s+(?:that\\s+)?(?:leav(?:e|ing)|lead(?:ing)?\\s+(?:away\\s+from|out\\s+of|outside))\\s+(?:of\\s+)?(?:the|this)\\s+${site}|\\blinks?\\s+(?:that\\s+)?(?:point|lead|go)(?:s|ing)?\\s+(?:(?:to\\s+)?(?:the\\s+)?outside|elsewhere|away)(?:\\s+(?:of\\s+)?(?:the|this)\\s+${site})?|\\blinks?\\s+to\\s+(?!(?:the|this|same|sub)\\b)(?:\\w+\\s+){0,2}${site}|\\b(?:links?\\s+)?(?:leav(?:e|ing)|wander(?:ing)?\\s+off|beyond|off)\\s+(?:the|this)\\s+(?:same\\s+)?${site}`,
      'i',
    ),
    set: option('allowExternalLinks'),
  },
  {
    pattern: /\binternal\s+links\b|\blinks?\s+(?:within|inside|on)\s+the\s+same\s+(?:site|domain|host)\b/i,
    set: (draft, { wanted, only }) => {
      if (only) draft.allowExternalLinks = false;
      return wanted;
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:(?:the|this)\\s+)?(?:${one}\\s+(?:web\\s?)?(?:site|domain|host)|(?:the|this)\\s+(?:web\\s?)?(?:site|domain|host))\\s*(?=,|$|and\\b|\uE000)`,
      'i',
    ),
    set: (draft, { wanted, only, head }) => {
      if (!wanted) return false;
      if (only && /stay|stick|keep|remain|limit|restrict|confin|outside|leave|only|just/i.test(head))
        draft.allowExternalLinks = false;
      return true;
    },
  },
  {
    pattern:
      /\b(?:on\s+|of\s+)?(?:the\s+|this\s+)?(?:whole|entire|full|complete)\s+(?:web\s?)?(?:site|domain|website|host)\b|\bsite-?wide\b/i,
    set: option('crawlEntireDomain'),
  },
  {
    pattern:
      /\b(?:pages\s+)?(?:(?:(?:in|under|below|beneath|within|inside)\s+)?(?:the|this)\s+(?:start(?:ing)?\s+(?:url(?:'s\s+path)?|page's\s+path|path|section|folder|directory)|(?:path|section|folder|directory)(?=\s*(?:,|$|and\b)))|(?:under|below|beneath|within)\s+(?:the|this)\s+url\b)/i,
    set: (draft, { wanted, soft }) => {
      if (wanted && !soft) draft.crawlEntireDomain = false;
      return wanted;
    },
  },
  {
    pattern:
      /\b(?:(?:the\s+)?(?:parent|sibling|higher)(?:-level)?\s+(?:pages?|folders?|director(?:y|ies)|urls?|paths?|sections?)|(?:(?:pages?|urls?|links?)\s+)?above\s+(?:(?:the|this)\s+)?(?:start(?:ing)?\s+)?(?:page|url|path|folder|section|directory|it)\b)/i,
    set: option('crawlEntireDomain'),
  },
  {
    pattern: new RegExp(
      `\\b(?:direct\\s+links|links\\s+(?:on|from|of)\\s+${startPage}|pages\\s+(?:that\\s+are\\s+)?(?:directly\\s+)?linked\\s+(?:from|on)\\s+${startPage}|pages\\s+that\\s+${startPage}\\s+links\\s+to)`,
      'i',
    ),
    set: when(true, (draft) => {
      draft.maxDiscoveryDepth = 1;
    }),
  },
  {
    pattern: new RegExp(`(?<!\\bin\\s)\\b(?:(?:a\\s+)?single\\s+page|${startPage})(?:\\s+alone)?`, 'i'),
    set: (draft, { wanted, only }, rest, topic) => {
      if (
        !wanted ||
        !(only || /single|alone/i.test(topic)) ||
        /\b(?:under|below|from|of|on)\s*$/i.test(rest.split('\uE002')[0] ?? '')
      )
        return false;
      draft.limit = 1;
      return true;
    },
  },
  {
    pattern: /^\s*(?:any\s+|more\s+|further\s+|the\s+|other\s+)*links\s*(?=,|\uE000|$)/i,
    set: (draft, { wanted, head }) => {
      if (wanted || !/follow/i.test(head)) return wanted;
      draft.maxDiscoveryDepth = 0;
      return true;
    },
  },
  {
    pattern:
      /\b(?:be\s+)?(?:very\s+)?(?:slow(?:ly)?|gentl[ey]|polite(?:ly)?|easy)\b(?:\s+(?:on|to|with)\s+(?:the|this|my|our|their)\s+(?:server|site|host))?/i,
    set: when(true, (draft) => {
      draft.delay ??= 1;
    }),
  },
];
/** Everything, unless it is limited to a part of the site. */
const everything =
  /^\s*(?:me\s+|on\s+|of\s+)?(?:(?:absolutely\s+)?everything|(?:every|each)\s+(?:single\s+)?(?:page|url)|all\s+(?:of\s+)?(?:the\s+|its\s+)?(?:pages|urls|content)|all(?=\s*(?:,|$))|all\s+of\s+(?:the|this)\s+(?:web\s?)?site)(?:\s+(?:there\s+is|you\s+(?:can\s+)?find|else))?(?:\s+(?:of|on|from|in|under)\s+(?:the|this)\s+(?:web\s?)?(?:site|domain|website))?\s*(?=,|\uE000|$)/i;
const maxTopics = 8;

/** Words of topics that a setter reads around the topic. */
const readAround = [sameThing, different];

/**
 * Sets the parameters of the topics of an item. Returns the item without them, whether it has any, and whether all of
 * them can be expressed.
 */
export function readTopics(clause: Clause, item: string, draft: Draft): { rest: string; found: boolean; ok: boolean } {
  let rest = item;
  let found = false;
  let ok = true;
  if (clause.wanted && !clause.only && everything.test(rest)) {
    draft.crawlEntireDomain = true;
    rest = rest.replace(everything, ' ');
  }
  for (const { pattern, set } of topics) {
    for (let count = 0; count < maxTopics; count++) {
      const match = pattern.exec(rest);
      if (!match) break;
      const before = rest.slice(0, match.index);
      const after = rest.slice(match.index + match[0].length);
      found = true;
      // \uE002 stands for the topic.
      ok = set(draft, clause, `${before}\uE002${after}`, match[0]) && ok;
      rest = readAround.reduce((left, around) => left.replace(around, ' '), `${before} ${after}`);
    }
  }
  return { rest, found, ok };
}
