import type { KnownSite } from '../map.ts';
import { readPath } from '../scope/read-form.ts';
import type { Derived } from './by-rules.ts';
import { beginningOf } from './reach.ts';
import { comparable, pathTitled, patternOf, patternsOf, siteOf } from './sections.ts';
import { unitsOf } from './sentences.ts';
import { tokensOf } from './tokens.ts';

/**
 * Replaces patterns that include nothing of a site, as far as it is known, by the section that the site has for the same
 * thing, by its name or title. Those for which there is none are left out, and their words are returned: a crawl would get
 * nothing. A path that the sentence names itself stays.
 */
export function knownPaths(
  derived: Derived,
  prompt: string,
  start: URL,
  { found }: KnownSite,
): Derived & { notFound: string[] } {
  const links = [...found.values()];
  const site = siteOf(
    start,
    links.map(({ url }) => url),
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
    // One for files of a section has no other one.
    if (pattern.endsWith('$')) return undefined;
    const name = nameOf(pattern);
    const [named] = patternsOf(unitsOf(tokensOf(name, site.host), site), site, []) ?? [];
    const titled = pathTitled(name, links);
    return named !== undefined && isKnown(named) ? named : titled && patternOf(titled);
  };
  const { parameters, sources, ofItems, guessed } = derived;
  // Of a site that can't be read, nothing is known but its start.
  const unknown = links.length > 1 ? (parameters.includePaths ?? []).filter((pattern) => !isKnown(pattern)) : [];
  if (unknown.length === 0) return { ...derived, notFound: [] };
  const instead = new Map(unknown.map((pattern) => [pattern, insteadOf(pattern)]));
  const replaced = (patterns: readonly string[] = []) => [
    ...new Set(patterns.flatMap((pattern) => (instead.has(pattern) ? (instead.get(pattern) ?? []) : pattern))),
  ];
  const { includePaths: words = [], ...otherSources } = sources;
  const saying = (pattern: string) => {
    const name = nameOf(pattern);
    return words.find((said) => comparable(said).includes(comparable(name))) ?? name;
  };
  const missing = unknown.filter((pattern) => instead.get(pattern) === undefined).map(saying);
  const { includePaths: all, ...others } = parameters;
  const includePaths = replaced(all);
  const rest = words.filter((said) => !missing.includes(said));
  const isEmpty = includePaths.length === 0;
  return {
    ...derived,
    parameters: { ...others, ...(!isEmpty && { includePaths }) },
    sources: { ...otherSources, ...(!isEmpty && rest.length > 0 && { includePaths: rest }) },
    ofItems: replaced(ofItems),
    guessed: isEmpty ? guessed.filter((name) => name !== 'includePaths') : guessed,
    notFound: [...new Set(missing)],
  };
}

/** Returns the name of the section that a pattern begins with. */
function nameOf(pattern: string): string {
  const [beginning = ''] = beginningOf(pattern);
  return (
    beginning
      .split('/')
      .findLast((part) => part !== '')
      ?.replaceAll('-', ' ') ?? ''
  );
}
