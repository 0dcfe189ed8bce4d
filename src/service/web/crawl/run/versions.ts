import { placeOf } from './copies.ts';

/** Folders that versions of pages have at most: a site makes more of them up, such as for each visit. */
const maxFolders = 10;

/**
 * Tells whether pages that say the same, and of which each names itself as the original, are versions, as of a manual: each in
 * a folder with others of its version. A site that answers the same page in any folder has no versions.
 */
export function createVersions() {
  const folders = new Set<string>();
  const names = new Set<string>();
  const noFolder = (each: string) => each === '' || !names.has(each);

  /** @param links of the page */
  return (url: string, links: readonly string[], other: string): boolean => {
    const [place, otherPlace] = [url, other].map((each) => placeOf(each).toLowerCase()) as [string, string];
    const [one, two] = [place.split('/'), otherPlace.split('/')];
    const shorter = Math.min(one.length, two.length);
    let [before, after] = [0, 0];
    while (after < shorter - 1 && one.at(-1 - after) === two.at(-1 - after)) after++;
    while (before < shorter - after && one[before] === two[before]) before++;
    const root = one.slice(0, one.length - after).join('/');
    const isAmongOthers = links.some((link) => link.toLowerCase().startsWith(`${root}/`) && placeOf(link) !== place);
    if (place === otherPlace || !isAmongOthers) return false;
    for (const each of [one, two]) folders.add(each.slice(before, each.length - after).join('/'));
    for (const each of one.slice(one.length - after)) names.add(each);
    return folders.size <= maxFolders && [...folders].every(noFolder);
  };
}
