import { pathDepth } from '../scope/urls.ts';
import type { Draft, Sentence } from './draft.ts';
import { isPlural, isWellKnown, languageCode, splitNames } from './section-names.ts';
import { createSiteSections } from './site-sections.ts';

type Side = 'include' | 'exclude';
/** A word that includes or excludes what is named after it; a weak one applies only to known names. */
interface Marker {
  side: Side;
  weak: boolean;
  /** Keeps the clause's marker before it, if there is one. */
  continues?: boolean;
}

const markers: readonly (readonly [RegExp, Marker])[] = [
  [
    /\bnot\s+(?:only|just)\b|\bbut\s+also\b|\b(?:do\s+not|don['’]?t|dont|never)\s+(?:skip|exclude|ignore|omit|miss|forget|leave\s+out|avoid)\b|\bnothing\s+(?:but|except|other\s+than|outside(?:\s+of)?)\b|\b(?:anything|everything|pages?)\s+outside(?:\s+of)?(?=[^;]*\b(?:skip|exclude|ignore|out|not)\b)|\b(?:do\s+)?(?:not|don['’]?t|never)\s+(?:go\s+|crawl\s+|leave\s+|follow\s+)?(?:anything\s+)?outside(?:\s+of)?\b|\b(?:do\s+not|don['’]?t|never)\s+leave\b/i,
    { side: 'include', weak: false },
  ],
  [
    /\b(?:everything|anything|all|pages?)\s+(?:but|except(?:\s+for)?|other\s+than|apart\s+from|besides)\b|\b(?:skip(?:ping)?|exclud(?:e|es|ing)|ignor(?:e|ing)|omit(?:ting)?|avoid(?:ing)?|leav(?:e|ing)\s+out|leave\s+(?=.*\bout\b)|stay(?:ing)?\s+(?:away\s+from|out\s+of|off)|keep\s+(?:away\s+from|out\s+of|off)|except(?:\s+for)?|excepting|without|minus|apart\s+from|other\s+than|rather\s+than|instead\s+of|drop(?:ping)?|remov(?:e|ing)|nothing\s+(?:under|in|from|below|within|about|inside|at|on)|no(?:ne)?\s+(?:of|under)|(?:not|n['’]?t)\s+(?:at\s+all\s+|really\s+)?interested\s+in|(?:do\s+not|don['’]?t|dont)\s+care\s+(?:about|for)|(?:do\s+not|don['’]?t|dont|never|should\s+not|shouldn['’]?t|must\s+not|mustn['’]?t)\s+(?:(?:ever|please|you)\s+)?(?:crawl|visit|include|touch|go|enter|fetch|scrape|follow|want|need|get|download|open|index|look|bother|access))(?:\s+only)?\b/i,
    { side: 'exclude', weak: false },
  ],
  [
    /\b(?:only|just|solely|exclusively|focus(?:ing|ed)?\s+on|concentrat(?:e|ing)\s+on|(?:limit(?:ed)?|restrict(?:ed)?|confine[ds]?)\s+(?:\w+\s+){0,3}to|includ(?:e|es|ing)|interested\s+in|stay(?:ing)?\s+(?:in|within|inside|under|on|below)|keep\s+(?:to|within))\b/i,
    { side: 'include', weak: false },
  ],
  [
    /\b(?:(?:everything|anything|whatever(?:\s+(?:is|lies))?)\s+(?:under|in|below|within|inside|from|about)|all\s+(?:pages\s+)?(?:under|below|within)|pages\s+(?:under|below|within|about|in)|urls?\s+(?:under|below|within))\b/i,
    { side: 'include', weak: false, continues: true },
  ],
  [/\b(?:not|no)\b(?!\s+(?:need|problem|hurry|more|matter|doubt|longer|sure|one)\b)/i, { side: 'exclude', weak: true }],
  [
    /\b(?:crawl(?:ing)?|scrap(?:e|ing)|fetch(?:ing)?|get(?:ting)?|collect(?:ing)?|gather(?:ing)?|grab(?:bing)?|want|need|visit|download(?:ing)?|index(?:ing)?|extract(?:ing)?|find|read|give\s+me|show\s+me|under|about|related\s+to)\b/i,
    { side: 'include', weak: true },
  ],
];

/** Reads the sections to include and exclude, as patterns on the pathname. */
export function readSections(
  sentences: readonly Sentence[],
  start: URL,
  siteUrls: readonly string[],
  draft: Draft,
): void {
  const sections = createSiteSections(start, siteUrls);
  const found: Record<Side, Set<string>> = { include: new Set(), exclude: new Set() };
  const bare: Record<Side, Set<string>> = { include: new Set(), exclude: new Set() };
  for (const { text, marker } of sentences.flatMap(({ text: rest }) => segmentsOf(rest))) {
    const side = marker?.side ?? 'include';
    const certain = marker !== undefined && !marker.weak;
    const named = patternsIn(text, { certain, side, sections });
    for (const pattern of named.patterns) found[side].add(pattern);
    for (const pattern of named.bare) bare[side].add(pattern);
  }
  // Words such as `articles` are a section only if no other is named.
  if (found.include.size + found.exclude.size === 0) for (const pattern of bare.include) found.include.add(pattern);
  for (const pattern of bare.exclude) found.exclude.add(pattern);
  // What is named on both sides is an exception from something broader.
  for (const pattern of found.exclude) found.include.delete(pattern);
  if (found.include.size > 0) draft.includePaths = [...found.include];
  if (found.exclude.size > 0) draft.excludePaths = [...found.exclude];
}

/** Splits clauses before each marker; a segment belongs to the marker it follows. */
function segmentsOf(text: string): { text: string; marker: Marker | undefined }[] {
  const segments: { text: string; marker: Marker | undefined }[] = [];
  for (const clause of text.split(';')) {
    let rest = clause;
    let marker: Marker | undefined;
    for (;;) {
      const next = firstMarker(rest);
      segments.push({ text: next ? rest.slice(0, next.start) : rest, marker });
      if (!next) break;
      // `crawl only` and `skip everything under`: the weaker of two adjacent markers is ignored.
      const follows = rest.slice(0, next.start).trim() === '' && marker;
      const stays =
        (marker && next.marker.continues) ||
        (follows && (next.marker.weak || (follows.side === 'exclude' && !follows.weak)));
      if (!stays) marker = next.marker;
      rest = rest.slice(next.end);
    }
    // `the archive should be skipped`: the marker follows what it applies to.
    const [first, ...others] = segments.slice(-2);
    if (
      /\b(?:should|must|can|may)\s+be\s+(?:skipped|ignored|excluded|left\s+out|omitted|avoided)\b|\bout\s*$/i.test(
        clause,
      )
    ) {
      for (const segment of [first, ...others])
        if (segment && !segment.marker) segment.marker = { side: 'exclude', weak: false };
    }
  }
  return segments.filter((segment) => segment.text.trim() !== '');
}

function firstMarker(text: string): { start: number; end: number; marker: Marker } | undefined {
  let best: { start: number; end: number; marker: Marker } | undefined;
  for (const [pattern, marker] of markers) {
    const match = pattern.exec(text);
    if (!match || (best && match.index >= best.start)) continue;
    best = { start: match.index, end: match.index + match[0].length, marker };
  }
  return best;
}

type Sections = ReturnType<typeof createSiteSections>;

interface Reading {
  certain: boolean;
  side: Side;
  sections: Sections;
}

function patternsIn(text: string, { certain, side, sections }: Reading): { patterns: string[]; bare: string[] } {
  const patterns: string[] = [];
  const bare: string[] = [];
  let rest = text.replace(
    /["'“‘`]([^"'”’`]{1,100})["'”’`](?:\s+in\s+(?:the|their)\s+(?:url|path|address)s?)?/gi,
    (whole: string, quoted: string, offset: number) => {
      if (quoted.startsWith('/')) return ` ${quoted} `;
      const contained =
        /in\s+(?:the|their)\s+(?:url|path|address)/i.test(whole) ||
        /\b(?:containing|contains?|with|matching)\s*$/i.test(text.slice(0, offset));
      patterns.push(...(contained ? [escapeRegex(quoted)] : sections.named(quoted, true)));
      return ' , ';
    },
  );
  rest = rest.replace(/https?:\/\/[^\s,;"')]+/gi, (link) => {
    const url = URL.parse(link);
    if (url && pathDepth(url.pathname) > 0) patterns.push(pathPattern(url.pathname));
    return ' , ';
  });
  rest = rest.replace(/(?<![\w/.*])\/[\w\-.~%*@+/]*[\w*~%/]/g, (path) => {
    if (/[\w]/.test(path)) patterns.push(pathPattern(path));
    return ' , ';
  });
  rest = rest.replace(
    /(?<!\w)(?:\*?\.([a-z]\w{1,4})\b(?:\s+(?:files?|pages?|urls?|links?))?|(pdf|docx|xlsx?|pptx?|csv|zip)s?\b(?:\s+files?)?)/gi,
    (_, dotted: string | undefined, bare: string | undefined) => {
      patterns.push(`\\.${(dotted ?? bare ?? '').toLowerCase()}$`);
      return ' , ';
    },
  );
  for (const name of splitNames(rest)) {
    const language = languageCode(name.words);
    if (language !== undefined) {
      patterns.push(...sections.named(language, true));
      continue;
    }
    const sure =
      name.isSection ||
      isWellKnown(name.words) ||
      (certain && name.words.length <= 3) ||
      (side === 'exclude' && isPlural(name.words));
    (name.isBare ? bare : patterns).push(...sections.named(name.words.join(' '), sure));
  }
  return { patterns, bare };
}

/** Returns the pattern of a literal path, in which `*` stands for any part: matches the path and everything below it. */
export function pathPattern(path: string): string {
  const plain = path
    .replace(/^\/*/, '/')
    .replace(/(?:\/\*{1,2}|\/)+$/, '')
    .replace(/\*+$/, '*');
  const body = escapeRegex(plain)
    .replace(/\\\*\\\*/g, '.*')
    .replace(/\\\*/g, '[^/]*');
  return `^${body}(/|$)`;
}

export function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
