import type { KnownSite } from '../map/known-site.ts';
import { readPath } from '../scope/read-form.ts';
import type { Derived } from './by-rules.ts';
import { beginningOf } from './reach.ts';
import { comparable, type Evidence, patternOf } from './sections.ts';

/**
 * Returns the words for sections of which a site has no page, as far as it is known. They stay included or excluded, as the site
 * may have more than that. A path that the sentence names itself needs no page.
 * @param lists patterns that only lists of pages elsewhere match
 * @param evidence the pages of the site that aren't content: these are known only by their own paths
 */
export function notFoundIn(
  { found }: KnownSite,
  { parameters, sources }: Derived,
  prompt: string,
  lists: ReadonlySet<string>,
  { functions }: Pick<Evidence, 'functions'>,
): string[] {
  const paths = [...found.values()].map(({ url }) => ({
    path: `${readPath(new URL(url).pathname)}/`.replace(/\/+$/, '/'),
    isFunction: functions.has(url),
  }));
  const isKnown = (pattern: string, of: string) => {
    const [beginning] = beginningOf(pattern);
    if (lists.has(pattern)) return false;
    if (beginning === undefined || prompt.includes(beginning)) return true;
    const isWhole = pattern === patternOf(beginning);
    const start = readPath(beginning) + (isWhole ? '/' : '');
    return paths.some(({ path, isFunction }) =>
      isFunction && of === 'includePaths' ? path === `${readPath(beginning)}/` : path.startsWith(start),
    );
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
    const known = new Set(patterns.filter((pattern) => isKnown(pattern, of)).map(nameOf));
    return patterns.filter((pattern) => !known.has(nameOf(pattern))).map(saying);
  });
  return [...new Set(words)];
}
