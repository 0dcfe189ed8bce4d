import { endSlashes } from '../../../../contract/addresses.ts';
import { withoutParameters } from '../../../../contract/tracking.ts';
import { isPartQuery } from '../../scrape/list-parts.ts';
import { isOfVisit, type PageUrl } from './urls.ts';

/**
 * Finds out which kinds of pages lead to further ones: URLs of one shape are lists, or items, of the same kind.
 * @param inVain pages of a shape that are read in vain before the others are passed over, below the top folder and in it
 */
export function createShapes(inVain: { below: number; top: number }) {
  const streaks = new Map<string, number>();
  const fruitful = new Set<string>();
  return {
    /** Whether enough pages of a shape were read in vain. */
    isVain: (shape: string) => (streaks.get(shape) ?? 0) >= (isTop(shape) ? inVain.top : inVain.below),
    /** Whether a page of a shape led somewhere. */
    isFruitful: (shape: string) => fruitful.has(shape),
    /** Notes that a page of a shape is read. */
    begun: (shape: string) => void streaks.set(shape, (streaks.get(shape) ?? 0) + 1),
    /** Allows as many pages of a shape in vain as at first. */
    tryAgain: (shape: string) => void streaks.delete(shape),
    /** Notes that pages of a shape led to a page that was not known before. */
    led(shape: string) {
      fruitful.add(shape);
      streaks.set(shape, 0);
    },
  };
}

/** Whether a URL is that of a part of a list, such as `?page=2`, and differs from the list in nothing else. */
export const isPartOfList = ({ search }: PageUrl): boolean => isPartQuery(withoutParameters(search, isOfVisit));

/**
 * Returns what URLs of the same list, or of items of the same kind, have in common: the folder, and the names in the query. A path
 * in the hash, as in `#/recipes?page=2`, tells pages apart as one in the URL itself does.
 */
export function shapeOf({ origin, pathname, searchParams, hash }: URL): string {
  const [, routed, query = ''] = /^#!?(\/[^?]*)(?:\?(.*))?$/.exec(hash) ?? [];
  const path = (routed === undefined ? pathname : `${pathname}#${routed}`).replace(endSlashes, '');
  const folder = path.slice(0, path.lastIndexOf('/') + 1).replace(/\d+/g, '#');
  const all = [...searchParams.keys(), ...new URLSearchParams(query).keys()];
  const names = [...new Set([...all, ...(hash === '' || routed !== undefined ? [] : ['#'])])].sort();
  // The pages of one list are a shape of their own.
  return names.length === 0 ? `${origin}${folder}*` : `${origin}${path}?${names.join('&')}`;
}

function isTop(shape: string): boolean {
  return /^https?:\/\/[^/]*(\/#)?\/?\*$/.test(shape);
}
