import { limits } from '../../../contract/limits.ts';
import type { Draft, Sentence } from './draft.ts';

const pages =
  '(?:web\\s?)?(?:pages?|urls?|documents?|docs|articles?|posts?|results?|links?|entries|items|records|websites?|requests?)';
/** Words between a number and what it counts, as in `50 recent blog posts`. */
const between = '(?:(?!and\\b|or\\b|per\\b|a\\b)[a-z][\\w-]*\\s+){0,2}?';
const atMost =
  '(?:at\\s+most|up\\s+to|max(?:imum)?(?:\\s+of)?|no\\s+more\\s+than|not\\s+more\\s+than|fewer\\s+than|less\\s+than|only|just|about|around|roughly|the\\s+first|first|top|limit(?:ed)?(?:\\s+(?:it|this|the\\s+crawl|yourself|the\\s+number))?(?:\\s+(?:of|to|at|is))?|stop\\s+(?:after|at)|cap(?:ped)?(?:\\s+it)?\\s+at|within)';
const number = '(\\d+(?:\\.\\d+)?)';
const notCounted =
  '(?!\\s*[-.\\d%]|\\s*(?:levels?|layers?|clicks?|hops?|deep|seconds?|secs?|s\\b|ms|milli|min|hours?|days?|requests?\\s+per))';

const seconds = `${number}\\s*-?\\s*(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?)\\b`;
const toLoad = /\b(?:load|render|javascript|js|appear|settle)\b/i;

/** Reads the delay between requests, in seconds. */
export function readDelay(sentence: Sentence, draft: Draft): void {
  const rate = sentence.take(
    new RegExp(
      `(?:${atMost}\\s+)?${number}\\s+(?:requests?|pages?|urls?)\\s+(?:per|an?|every|each|/|(?=1\\s))\\s*(\\d+(?:\\.\\d+)?)?\\s*(second|minute|hour)s?\\b`,
      'i',
    ),
  );
  if (rate) {
    const [, count, times = '1', unit = ''] = rate;
    const perUnit = { second: 1, minute: 60, hour: 3600 }[unit.toLowerCase()] ?? 1;
    return setDelay(draft, (Number(times) * perUnit) / Math.max(Number(count), 0.001));
  }
  const asked = [
    new RegExp(
      `(?:wait(?:ing)?|delay|pause|pausing|sleep|rest|leave)(?:\\s+(?:of|for|is|to|at\\s+least|about|around|by))*\\s*[:=]?\\s*${seconds}[^.;,]*`,
      'i',
    ),
    new RegExp(`${seconds}\\s+(?:delay|pause|wait|break|gap|interval|apart|between|in\\s+between)[^.;,]*`, 'i'),
    new RegExp(`(?:every|each)\\s+${seconds}`, 'i'),
    new RegExp(`(?:delay|pause|interval|gap)[^.;,\\d]{0,40}${seconds}`, 'i'),
  ];
  for (const pattern of asked) {
    const match = pattern.exec(sentence.text);
    if (!match || (toLoad.test(match[0]) && !/between|request/i.test(match[0]))) continue;
    sentence.take(pattern);
    return setDelay(draft, inSeconds(Number(match[1]), match[2] ?? 's'));
  }
  const bare = sentence.take(
    new RegExp(`\\bdelay(?:\\s+(?:of|is|to))?\\s*[:=]?\\s*${number}(?!\\s*(?:pages|levels))`, 'i'),
  );
  if (bare) return setDelay(draft, Number(bare[1]));
  if (
    sentence.take(
      /\b(?:crawl|go|be)\s+(?:very\s+)?(?:slow(?:ly)?|gentl[ey]|polite(?:ly)?|easy)\b|\b(?:slowly|politely|gently)\b/i,
    )
  )
    setDelay(draft, 1);
}

function inSeconds(amount: number, unit: string): number {
  if (/^m(?:s|illi)/i.test(unit)) return amount / 1000;
  return /^min/i.test(unit) ? amount * 60 : amount;
}

function setDelay(draft: Draft, value: number): void {
  if (!(value > 0)) return;
  draft.delay = Math.min(Math.round(value * 1000) / 1000, limits.crawlDelay.max);
}

/** Reads the depth, in links from the start or in levels of the path. */
export function readDepth(sentence: Sentence, draft: Draft): void {
  const linked = sentence.take(
    new RegExp(
      `(?:${atMost}\\s+)?(\\d+)\\s*-?\\s*(?:clicks?|hops?|links?|steps?)\\s+(?:deep|away|down|far|from|out)\\b(?:\\s+(?:from\\s+)?(?:the\\s+)?(?:start(?:ing)?|home|root|first|main)?\\s*(?:page|url)?)?`,
      'i',
    ),
  );
  if (linked) draft.maxDiscoveryDepth = whole(linked[1]);
  const discovery = sentence.take(
    /\b(?:max(?:imum)?\s+)?discovery\s+depth(?:\s+(?:of|is|to|at|=))?\s*[:=]?\s*(\d+)|\bwithin\s+(\d+)\s+(?:clicks?|hops?)\b|\b(\d+)\s+(?:clicks?|hops?)\b/i,
  );
  if (discovery) draft.maxDiscoveryDepth = whole(discovery[1] ?? discovery[2] ?? discovery[3]);
  if (
    sentence.take(
      /\b(?:(?:only|just)\s+)?(?:follow\s+)?(?:the\s+)?(?:direct\s+links|links\s+on\s+(?:this|the\s+(?:start(?:ing)?|first|home))\s*page|pages\s+(?:that\s+are\s+)?(?:directly\s+)?linked\s+(?:from|on)\s+(?:this|the\s+(?:start(?:ing)?|first|home)\s*)\s*page)\b(?:\s+only)?/i,
    )
  )
    draft.maxDiscoveryDepth = 1;
  if (
    sentence.take(
      /\b(?:do\s+not|don['’]?t|never|without)\s+follow(?:ing)?\s+(?:any\s+)?(?:more\s+|further\s+)?links\b/i,
    )
  )
    draft.maxDiscoveryDepth = 0;
  const deep =
    sentence.take(
      new RegExp(
        `(?:${atMost}\\s+)?(?:go(?:ing)?\\s+)?(\\d+)\\s*-?\\s*(?:levels?|layers?|folders?|director(?:y|ies)|(?:path\\s+)?segments?)(?:\\s+(?:deep|down|of\\s+(?:depth|nesting|links|pages)|below|under|away|at\\s+most|max(?:imum)?)|(?=\\s*(?:[.,;!]|$|and\\b|from\\b)))`,
        'i',
      ),
    ) ??
    sentence.take(
      new RegExp(
        `\\b(?:${atMost}\\s+)?(?:(?:a|the)\\s+)?(?:max(?:imum)?[\\s-]*)?(?:crawl\\s+)?depth(?:\\s+limit)?(?:\\s+(?:of|is|to|at|up\\s+to|at\\s+most|no\\s+more\\s+than|=))*\\s*[:=]?\\s*(\\d+)(?:\\s+levels?)?`,
        'i',
      ),
    ) ??
    sentence.take(/\b(\d+)\s*-?\s*(?:deep\b|level\s+(?:deep|crawl))/i);
  if (deep) draft.maxDepth = whole(deep[1]);
}

/** Reads the page limit. */
export function readLimit(sentence: Sentence, draft: Draft): void {
  if (
    sentence.take(
      /\b(?:only|just)\s+(?:crawl\s+|scrape\s+|fetch\s+|get\s+)?(?:this|that|the\s+(?:start(?:ing)?|first|given|home))\s*-?(?:one\s+|single\s+)?(?:page|url)\b(?:\s+(?:only|alone))?/i,
    ) ??
    sentence.take(/\b(?:this|the\s+(?:start(?:ing)?|given))\s+(?:page|url)\s+(?:only|alone)\b|\ba\s+single\s+page\b/i)
  ) {
    draft.limit = 1;
    return;
  }
  const counted =
    sentence.take(
      new RegExp(
        `(?:(?:a|the)\\s+)?(?:${atMost}\\s+)?(?:the\\s+)?(?:(?:latest|newest|first|last|most\\s+recent)\\s+)?(?<![\\w/.-])(\\d+)\\s+(?=${between}${pages}\\b)(?:more\\s+)?(?:${pages}\\b(?:\\s+(?:max(?:imum)?|at\\s+most|in\\s+total|total|or\\s+(?:less|fewer)|only))?)?`,
        'i',
      ),
    ) ??
    sentence.take(
      new RegExp(
        `\\b(?:page\\s+)?(?:${atMost}|limit|maximum|max(?:imum)?\\s+pages|page\\s+(?:limit|count))\\s*[:=]?\\s*(?:to\\s+|of\\s+|is\\s+)?(\\d+)${notCounted}(?:\\s+${pages}\\b)?`,
        'i',
      ),
    );
  const limit = whole(counted?.[1]);
  if (limit !== undefined && limit >= limits.crawlPages.min) draft.limit = Math.min(limit, limits.crawlPages.max);
}

function whole(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.floor(Number(text));
}
