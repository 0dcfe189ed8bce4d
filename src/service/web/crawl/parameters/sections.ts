import { patternOf, type SiteSections, wellKnown } from './site-sections.ts';
import { isContent, type Unit } from './units.ts';

const end = '(/|$)';

/**
 * Returns the patterns on the pathname of the section that some units name, such as `/docs` or “PDFs in the guides”;
 * undefined if a word of it is unknown.
 * @param within patterns of sections that it is probably below
 */
export function sectionOf(units: readonly Unit[], site: SiteSections, within: readonly string[]): string[] | undefined {
  const parts: Unit[][] = [[]];
  for (const unit of units) {
    if (unit.is === 'place') parts.push([]);
    else if (unit.is !== 'filler') parts.at(-1)?.push(unit);
  }
  // `posts under /news`: the place says it all.
  const isVague = (part: readonly Unit[]) =>
    part.every((unit) => unit.is === 'posts' || unit.is === 'all' || !isContent(unit));
  const precise = parts.filter((part) => !isVague(part));
  if (precise.length === 0) {
    const words = wordsOf(units.filter(({ is }) => is === 'posts' || is === 'section' || is === 'generic'));
    return words.length > 0 && parts.length === 1 ? site.named(words, []) : undefined;
  }
  // `API section of the docs`, `posts from 2024` may be one section.
  const whole = parts.flat();
  const one = precise.length > 1 && whole.every(({ is }) => is !== 'literal') ? partOf(whole, site, within) : undefined;
  if (one?.length === 1) return one;
  let patterns: string[] | undefined;
  for (const part of precise.toReversed()) {
    const found = partOf(part, site, patterns ?? within);
    // `products in the shop` of a site that has both: each word can mean each, so the place adds nothing to what is asked for.
    patterns = found && (patterns ? (narrowed(patterns, found) ?? (one && found)) : found);
    if (!patterns) return undefined;
  }
  return patterns;
}

function partOf(part: readonly Unit[], site: SiteSections, within: readonly string[]): string[] | undefined {
  const things = part.filter((unit) => isContent(unit) && unit.is !== 'all');
  const paths = within.flatMap(pathOf);
  const { kind, value = '' } = things[0]?.tokens[0] ?? {};
  if (things[0]?.is === 'literal') {
    if (things.length > 1) return undefined;
    if (kind === 'path') return [pathPattern(value)];
    return kind === 'file' ? [`\\.${escaped(value)}$`] : (site.named([value], paths) ?? [site.assumed([value])]);
  }
  if (!things.every(({ is }) => is === 'name' || is === 'number' || is === 'posts')) return undefined;
  const names = wordsOf(things.filter(({ is }) => is !== 'posts'));
  // `old parts` can be a section, and `blog posts` is one.
  for (const words of [wordsOf(part), wordsOf(things), names]) {
    const found = site.named(words, paths);
    if (found) return found;
  }
  const isSure = wellKnown.has(names.join('-')) || (site.isUnknown && part.some(({ is }) => is === 'section'));
  return isSure ? [site.assumed(names)] : undefined;
}

function wordsOf(units: readonly Unit[]): string[] {
  return units.flatMap(({ tokens }) => tokens.map(({ text }) => text));
}

/** Returns whether a pattern matches only paths below those of another: `^/blog/news(/|$)` and `^/blog(/|$)`. */
export function isBelow(pattern: string, other: string): boolean {
  return other.startsWith('^') && other.endsWith(end) && pattern.startsWith(`${other.slice(0, -end.length)}/`);
}

/** Returns the patterns of what is found in a place; undefined if it isn't there. */
function narrowed(places: readonly string[], found: readonly string[]): string[] | undefined {
  if (found.every((pattern) => places.some((place) => pattern === place || isBelow(pattern, place)))) return [...found];
  const isFile =
    found.every((pattern) => !pattern.startsWith('^')) && places.every((place) => pathOf(place).length > 0);
  return isFile
    ? places.flatMap((place) => found.map((file) => `${place.slice(0, -end.length)}/.*${file}`))
    : undefined;
}

/** Returns the path of a section's pattern; none if the pattern isn't that of a path. */
function pathOf(pattern: string): string[] {
  if (!pattern.startsWith('^') || !pattern.endsWith(end)) return [];
  return [pattern.slice(1, -end.length).replace(/\\(.)/g, '$1')];
}

/** Returns the pattern of a literal path or URL, in which `*` stands for any part. */
function pathPattern(path: string): string {
  const plain = `/${path.replace(/^https?:\/\/[^/]*/, '').replace(/^\/+/, '')}`
    .replace(/(?:\/\*{1,2}|\/)+$/, '')
    .replace(/\*+$/, '*');
  return patternOf(plain)
    .replace(/\\\*\\\*/g, '.*')
    .replace(/\\\*/g, '[^/]*');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
