import type { KnownSite } from '../map/known-site.ts';
import { readPath } from '../scope/read-form.ts';
import type { Derived } from './by-rules.ts';
import { beginningOf } from './reach.ts';
import { comparable, patternOf } from './sections.ts';

/**
 * Returns the words for included sections of which a site has no page, as far as it is known. They stay included, as the site may
 * have more than that. A path that the sentence names itself needs no page.
 */
export function notFoundIn({ found }: KnownSite, { parameters, sources }: Derived, prompt: string): string[] {
  const paths = [...found.values()].map(({ url }) => `${readPath(new URL(url).pathname)}/`);
  const isKnown = (pattern: string) => {
    const [beginning] = beginningOf(pattern);
    if (beginning === undefined || prompt.includes(beginning)) return true;
    const isWhole = pattern === patternOf(beginning);
    return paths.some((path) => path.startsWith(readPath(beginning) + (isWhole ? '/' : '')));
  };
  const { includePaths: words = [] } = sources;
  const saying = (pattern: string) => {
    const name = nameOf(pattern) ?? pattern;
    return words.find((said) => comparable(said).includes(comparable(name))) ?? name;
  };
  // Of a site that can't be read, nothing is known but its start.
  const unknown = paths.length > 1 ? (parameters.includePaths ?? []).filter((pattern) => !isKnown(pattern)) : [];
  return [...new Set(unknown.map(saying))];
}

/** Returns the name of the section at the top that a pattern is for; undefined for a part of one. */
function nameOf(pattern: string): string | undefined {
  const [beginning = ''] = beginningOf(pattern);
  const [name, ...others] = beginning.split('/').filter((part) => part !== '');
  return others.length > 0 ? undefined : name?.replaceAll('-', ' ');
}
