import { limits } from '../../../contract/limits.ts';
import type { Amount, Tokens } from './tokens.ts';

const pages =
  '(?:web\\s?)?(?:pages?|urls?|documents?|docs|articles?|posts?|results?|links?|entries|items|records|websites?|requests?)';
/** Words between a number and what it counts, as in `50 recent blog posts`. */
const between = '(?:(?!and\\b|or\\b|per\\b|a\\b)[a-z][\\w-]*\\s+){0,2}?';
const act =
  '(?:crawl|fetch|get|scrape|visit|read|take|go|descend|dive|download|collect|index|load|follow|return|be|need|want)(?:ing)?';
/** Words that make the number after them a maximum. */
const atMost = `(?:at\\s+(?:the\\s+)?most|up\\s+to|max(?:imum)?(?:\\s+of)?|(?:no|not)\\s+(?:faster|quicker|more\\s+often)\\s+than|no\\s+(?:more|deeper|further|farther)\\s+than|(?:do\\s+not|never|not|without)\\s+(?:${act}\\s+)?(?:(?:any\\s+)?(?:pages\\s+)?(?:more|deeper|further|farther)\\s+than|beyond|past|over|exceed(?:ing)?)|not\\s+exceed(?:ing)?|nothing\\s+(?:deeper|further|farther)\\s+than|nothing\\s+(?:beyond|past|below)(?=\\s+\\d)|fewer\\s+than|less\\s+than|(?:page\\s+)?limit(?:ed|ing)?(?:\\s+(?:it|this|the\\s+crawl|yourself|(?:the\\s+)?(?:number(?:\\s+of\\s+pages)?|depth|total)))?(?:\\s+(?:of|to|at|is))*|stop(?:ping)?\\s+(?:when|once|as\\s+soon\\s+as)\\s+(?:you|we|it)(?:\\s+\\w+){1,2}|stop(?:ping)?\\s+(?:after|at|once\\s+you\\s+have)|cap(?:ped)?(?:\\s+(?:it|this|the\\s+crawl|the\\s+total))?(?:\\s+(?:at|to|of|is))?|within|page\\s+count)`;
const about = '(?:only|just|about|around|roughly|the\\s+first|first|top|some)';
const atLeast = '(?:at\\s+least|more\\s+than|over|(?:a\\s+)?minimum(?:\\s+of)?|beyond|deeper\\s+than)';
const prefix = `(?:(${atMost})\\s*[:=]?\\s*|(${atLeast})\\s+)?(?:${about}\\s+)?`;
const after = '(?:\\s+(?:max(?:imum)?|at\\s+(?:the\\s+)?most|in\\s+total|total|or\\s+(?:less|fewer)|tops))?';
const plain = '(?<![\\w/.\\uE000-]|\\b(?:version|release|chapter|part|volume|year|step|phase)\\s)';
const atOnce = '(?:\\s+(?:at\\s+(?:a|1)\\s+time|at\\s+once|in\\s+parallel|simultaneously|concurrently))';
const number = '(\\d+(?:\\.\\d+)?)';
const seconds = `${number}\\s*-?\\s*(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?)\\b`;
const betweenRequests =
  '(?:\\s+(?:between|before|after|in\\s+between)(?:\\s+(?:each|every|the|\\d+|any|all|next|consecutive|single))*(?:\\s+(?:requests?|pages?|fetch(?:es)?|calls?|downloads?|hits?))?)?';

type Reading = { value: number | undefined; bounded: boolean };
/** A pattern and how its groups are read; undefined if the amount can't be expressed. */
type Rule = readonly [
  name: Amount['name'],
  pattern: RegExp,
  read: (groups: readonly (string | undefined)[]) => Reading | undefined,
];

const bound = (most: string | undefined, least: string | undefined, value: string | undefined): Reading | undefined =>
  least === undefined ? { value: whole(value), bounded: most !== undefined } : undefined;
const explicit = (value: number | undefined): Reading => ({ value, bounded: true });

const rules: readonly Rule[] = [
  [
    'delay',
    new RegExp(
      `${prefix}${plain}${number}\\s+(?:requests?|pages?|urls?)\\s*(?:per|an?|every|each|/|(?=1\\s))\\s*(\\d+(?:\\.\\d+)?)?\\s*(second|minute|hour)s?\\b`,
      'gi',
    ),
    ([most, least, count, times = '1', unit = '']) => {
      const perUnit = { second: 1, minute: 60, hour: 3600 }[unit.toLowerCase()] ?? 1;
      const value = (Number(times) * perUnit) / Math.max(Number(count), 0.001);
      return least === undefined ? { value, bounded: most !== undefined } : undefined;
    },
  ],
  [
    'delay',
    new RegExp(
      `\\b(?:with\\s+|and\\s+|use\\s+|add\\s+|set\\s+)?(?:an?\\s+|the\\s+|1\\s+)?(?:(?:crawl|request)\\s+)?(?:wait(?:ing)?|delay|pause|pausing|sleep(?:ing)?|rest|leave|interval|gap)(?:\\s+(?:of|for|is|to|at\\s+least|about|around|by))*${betweenRequests}(?:\\s+(?:of|for|is|to))*\\s*[:=]?\\s*${seconds}(?!\\s+(?:for|to|until)\\b)${betweenRequests}`,
      'gi',
    ),
    ([value, unit]) => explicit(inSeconds(value, unit)),
  ],
  [
    'delay',
    new RegExp(
      `(?:\\bwith\\s+)?(?:\\ban?\\s+)?${plain}${seconds}\\s+(?:(?:of\\s+)?(?:delay|pause|wait|break|gap|interval|apart|in\\s+between)${betweenRequests}|between(?:\\s+(?:each|every|the|two|any|all))*\\s+\\w+)`,
      'gi',
    ),
    ([value, unit]) => explicit(inSeconds(value, unit)),
  ],
  [
    'delay',
    new RegExp(`(?:(?:only\\s+)?1\\s+(?:page|request|url)\\s+)?\\b(?:every|each)\\s+${seconds}`, 'gi'),
    ([value, unit]) => explicit(inSeconds(value, unit)),
  ],
  [
    'delay',
    new RegExp(`\\bdelay(?:\\s+(?:of|is|to))?\\s*[:=]?\\s*${number}(?!\\s*(?:pages|levels))`, 'gi'),
    ([value]) => explicit(Number(value)),
  ],
  [
    'maxDiscoveryDepth',
    new RegExp(
      `${prefix}${plain}(\\d+)\\s*-?\\s*(?:clicks?|hops?|links?|steps?)(?:\\s+(?:deep|away|down|far|out))?\\s+from\\s+(?:the\\s+|this\\s+)?(?:start(?:ing)?|home|root|first|main|front)?\\s*(?:page|url)?${after}|${prefix}${plain}(\\d+)\\s*-?\\s*(?:(?:clicks?|hops?)(?:\\s+(?:deep|away|down|far|out))?|(?:links?|steps?)\\s+(?:deep|away|down|far|out))\\b${after}`,
      'gi',
    ),
    ([most, least, value, most2, least2, value2]) => bound(most ?? most2, least ?? least2, value ?? value2),
  ],
  [
    'maxDiscoveryDepth',
    /\b(?:max(?:imum)?\s+)?discovery\s+depth(?:\s+(?:of|is|to|at|=))?\s*[:=]?\s*(\d+)/gi,
    ([value]) => explicit(whole(value)),
  ],
  [
    'maxDepth',
    new RegExp(
      `(?:go(?:ing)?\\s+)?${prefix}${plain}(\\d+)\\s*-?\\s*(?:levels?|layers?|folders?|director(?:y|ies)|(?:path\\s+)?segments?)(?:\\s+(?:deep|down|of\\s+(?:depth|nesting|links|pages)|below|under|away|at\\s+(?:the\\s+)?most|max(?:imum)?)|(?=\\s*(?:[.,;!]|$|and\\b|from\\b)))`,
      'gi',
    ),
    ([most, least, value]) => bound(most, least, value),
  ],
  [
    'maxDepth',
    /\b(?:(?:at|to|with|use|set)\s+)?(?:(?:a|the)\s+)?(?:(?:limit|keep)\s+(?:the\s+)?)?(?:max(?:imum)?[\s-]*)?(?:crawl\s+)?depth(?:\s+limit)?(?:\s+(?:of|is|to|at|max(?:imum)?|up\s+to|most|no\s+more\s+than|=))*\s*[:=]?\s*(\d+)(?:\s+levels?)?/gi,
    ([value]) => explicit(whole(value)),
  ],
  [
    'maxDepth',
    new RegExp(`${prefix}${plain}(\\d+)\\s*-?\\s*(?:deep\\b|level\\s+(?:deep|crawl))`, 'gi'),
    ([most, least, value]) => bound(most, least, value),
  ],
  [
    'limit',
    new RegExp(
      `${prefix}${plain}\\d+\\s+${between}${pages}\\s+(?:(?:of|per|from|for|in|on|under)\\s+)?(?:each|every|per)\\b`,
      'gi',
    ),
    () => undefined,
  ],
  ['limit', new RegExp(`${plain}\\d+\\s+${pages}${atOnce}|${plain}\\d+${atOnce}`, 'gi'), () => undefined],
  [
    'limit',
    new RegExp(
      `${prefix}(?:the\\s+)?(?:(?:latest|newest|first|last|most\\s+recent)\\s+)?${plain}(\\d+)\\s+(?:(?:more|newest|latest|first|most\\s+recent)\\s+)?(?=${between}${pages}\\b)(?:${pages}\\b${after})?`,
      'gi',
    ),
    ([most, least, value]) => bound(most, least, value),
  ],
  [
    'limit',
    new RegExp(
      `\\b(?:(${atMost})|maximum|max(?:imum)?\\s+pages|page\\s+(?:limit|count))\\s*[:=]?\\s*(?:to\\s+|of\\s+|is\\s+)?(\\d+)(?!\\s*[-\\d%\\uE000]|\\.\\d|\\s*(?:levels?|clicks?|hops?|seconds?|secs?|s\\b|ms|min|hours?|days?|percent|years?|months?|weeks?))`,
      'gi',
    ),
    ([, value]) => explicit(whole(value)),
  ],
  ['limit', new RegExp(`${plain}(\\d+)${after.slice(0, -1)}(?![\\w-])`, 'gi'), ([value]) => explicit(whole(value))],
  [
    'limit',
    new RegExp(
      `\\b(?:(?:only|just)\\s+)?(?:(?:an?|the)\\s+)?(?:few|several|handful|half|most(?!\\s+recent)|(?:sample|fraction|portion|quarter|third)(?=\\s+of))\\b(?:\\s+(?:of|${pages})\\b)*`,
      'gi',
    ),
    () => undefined,
  ],
];

/** Replaces amounts of pages, links, levels and time by tokens. Expects numbers as digits. */
export function markAmounts(text: string, tokens: Tokens): string {
  let marked = text;
  for (const [name, pattern, read] of rules) {
    marked = marked.replace(pattern, (written: string, ...rest: unknown[]) => {
      const groups = rest.slice(
        0,
        rest.findIndex((item) => typeof item === 'number'),
      ) as (string | undefined)[];
      const reading = read(groups);
      const value = reading && allowed(name, reading.value);
      if (value === undefined) return tokens.add({ kind: 'unknown', text: written.trim() });
      return tokens.add({ kind: 'amount', name, value, bounded: reading?.bounded ?? false, text: written.trim() });
    });
  }
  return marked;
}

function allowed(name: Amount['name'], value: number | undefined): number | undefined {
  if (value === undefined || !Number.isFinite(value)) return undefined;
  if (name === 'delay') return value > 0 ? Math.min(Math.round(value * 1000) / 1000, limits.crawlDelay.max) : undefined;
  if (name === 'limit') return value >= limits.crawlPages.min ? Math.min(value, limits.crawlPages.max) : undefined;
  return value;
}

function inSeconds(amount: string | undefined, unit = 's'): number {
  if (/^m(?:s|illi)/i.test(unit)) return Number(amount) / 1000;
  return /^min/i.test(unit) ? Number(amount) * 60 : Number(amount);
}

function whole(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.floor(Number(text));
}
