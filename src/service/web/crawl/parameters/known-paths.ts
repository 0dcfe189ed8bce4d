import { pathsOf } from '../../../../contract/addresses.ts';
import type { KnownSite } from '../map/known-site.ts';
import { readPath } from '../scope/read-form.ts';
import type { Derived } from './by-rules.ts';
import { beginningOf } from './reach.ts';
import { patternOf } from './sections.ts';
import { comparable } from './site.ts';

/**
 * Returns the words for sections of which a site has no page, as far as it is known. They stay included or excluded, as the site
 * may have more than that. A path that the sentence names itself needs no page.
 * @param lists patterns that only lists of pages elsewhere match
 */
export function notFoundIn(
  { found }: KnownSite,
  { parameters, sources }: Derived,
  prompt: string,
  lists: ReadonlySet<string>,
): string[] {
  const paths = [...found.values()].flatMap(({ url }) => pathsOf(new URL(url)).map((path) => `${readPath(path)}/`));
  const isKnown = (pattern: string) => {
    const [beginning] = beginningOf(pattern);
    if (lists.has(pattern)) return false;
    if (beginning === undefined || prompt.includes(beginning)) return true;
    const isWhole = pattern === patternOf(beginning);
    return paths.some((path) => path.startsWith(readPath(beginning) + (isWhole ? '/' : '')));
  };
  // Of a site that can't be read, nothing is known but its start.
  if (paths.length <= 1) return [];
  const words = (['includePaths', 'excludePaths'] as const).flatMap((of) => {
    const partsOf = (pattern: string) => (beginningOf(pattern)[0] ?? '').split('/').filter((part) => part !== '');
    const saying = (pattern: string) => {
      const parts = partsOf(pattern);
      const named = parts.toReversed().map(comparable);
      const said = named.flatMap((part) => sources[of]?.find((words) => comparable(words).includes(part)) ?? []);
      return said[0] ?? parts.join(' ').replaceAll('-', ' ');
    };
    // Of a section that is written in several ways, as `/Teas` and `/teas`, one is enough.
    const nameOf = (pattern: string) => partsOf(pattern).map(comparable).join('/');
    const patterns = parameters[of] ?? [];
    const known = new Set(patterns.filter(isKnown).map(nameOf));
    return patterns.filter((pattern) => !known.has(nameOf(pattern))).map(saying);
  });
  return [...new Set(words)];
}
