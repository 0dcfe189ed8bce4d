import type { KnownSite } from '../map.ts';
import { readPath } from '../scope/read-form.ts';
import type { Derived } from './by-rules.ts';
import { beginningOf } from './reach.ts';
import { comparable, patternOf, patternsOf, siteOf } from './sections.ts';
import { unitsOf } from './sentences.ts';
import { tokensOf } from './tokens.ts';

/**
 * Replaces patterns of a section at the top that include nothing of a site, as far as it is known, by the section that the site
 * has for the same thing, by its name or title. The words of those for which there is none are returned: they stay, as the site
 * may have more than is known. So does a path that the sentence names itself.
 */
export function knownPaths(
  derived: Derived,
  prompt: string,
  start: URL,
  { found }: KnownSite,
): Derived & { notFound: string[] } {
  const links = [...found.values()];
  const urls = links.map(({ url }) => url);
  const site = siteOf(
    start,
    urls,
    links.map(({ title }) => title),
  );
  const paths = links.map(({ url }) => `${readPath(new URL(url).pathname)}/`);
  const isKnown = (pattern: string) => {
    const [beginning] = beginningOf(pattern);
    if (beginning === undefined || prompt.includes(beginning)) return true;
    const isWhole = pattern === patternOf(beginning);
    return paths.some((path) => path.startsWith(readPath(beginning) + (isWhole ? '/' : '')));
  };
  /** Returns what the site has in place of a pattern. */
  const insteadOf = (pattern: string): string | undefined => {
    const name = nameOf(pattern);
    // One for files of a section, or for a part of one, has no other one.
    if (pattern.endsWith('$') || name === undefined) return undefined;
    const [named] = patternsOf(unitsOf(tokensOf(name, site.host), site), site, []) ?? [];
    return named !== undefined && isKnown(named) ? named : undefined;
  };
  const { parameters, sources, ofItems } = derived;
  // Of a site that can't be read, nothing is known but its start.
  const unknown = links.length > 1 ? (parameters.includePaths ?? []).filter((pattern) => !isKnown(pattern)) : [];
  if (unknown.length === 0) return { ...derived, notFound: [] };
  const instead = new Map(unknown.map((pattern) => [pattern, insteadOf(pattern)]));
  const replaced = (patterns: readonly string[] = []) => [
    ...new Set(patterns.map((pattern) => instead.get(pattern) ?? pattern)),
  ];
  const { includePaths: words = [] } = sources;
  const saying = (pattern: string) => {
    const name = nameOf(pattern) ?? pattern;
    return words.find((said) => comparable(said).includes(comparable(name))) ?? name;
  };
  const missing = unknown.filter((pattern) => instead.get(pattern) === undefined).map(saying);
  return {
    ...derived,
    parameters: { ...parameters, includePaths: replaced(parameters.includePaths) },
    ofItems: replaced(ofItems),
    notFound: [...new Set(missing)],
  };
}

/** Returns the name of the section at the top that a pattern is for; undefined for a part of one. */
function nameOf(pattern: string): string | undefined {
  const [beginning = ''] = beginningOf(pattern);
  const [name, ...others] = beginning.split('/').filter((part) => part !== '');
  return others.length > 0 ? undefined : name?.replaceAll('-', ' ');
}
