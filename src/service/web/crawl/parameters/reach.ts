import { sectionOf } from '../../../../contract/addresses.ts';
import type { Derived } from './by-rules.ts';

/**
 * Lets a crawl reach what its patterns include: it stays below the path of its start URL, so that pages above or beside
 * it need `crawlEntireDomain`. That comes from the same words as the patterns. A sentence that sets it itself is obeyed.
 * @param starts the start URL, and where it redirects to
 */
export function reaching<T extends Pick<Derived, 'parameters' | 'sources' | 'guessed'>>(
  derived: T,
  starts: readonly URL[],
): T {
  const { parameters, sources, guessed } = derived;
  const isSaid = parameters.crawlEntireDomain !== undefined && !guessed.includes('crawlEntireDomain');
  const homes = starts.map(({ pathname }) => sectionOf(pathname));
  const isBeyond = (path: string) => !homes.some((home) => `${path}/`.startsWith(home));
  if (isSaid || !(parameters.includePaths ?? []).flatMap(beginningOf).some(isBeyond)) return derived;
  const { includePaths: words } = sources;
  const others = guessed.filter((name) => name !== 'crawlEntireDomain');
  return {
    ...derived,
    parameters: { ...parameters, crawlEntireDomain: true },
    sources: { ...sources, ...(words && { crawlEntireDomain: words }) },
    guessed: guessed.includes('includePaths') ? [...others, 'crawlEntireDomain'] : others,
  };
}

/** Returns what each path begins with that a pattern matches; nothing if the pattern can match anywhere in a path. */
export function beginningOf(pattern: string): string[] {
  // The last character of `^/docs/?` need not be there.
  const literal = /^\^((?:(?:\\\W|[^\\^$.*+?()[\]{}|])(?![?*{]))+)/s.exec(pattern)?.[1];
  return literal === undefined ? [] : [literal.replace(/\\(.)/gs, '$1')];
}
