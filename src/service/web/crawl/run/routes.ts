import { routeOf } from '../../../../contract/addresses.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { shapeOf } from '../scope/shapes.ts';

/** How pages are read whose scripts, if they have any, show nothing else for another fragment. */
const withoutScripts = new Set<unknown>(['noScripts', 'noContentScripts', 'sameWithoutScripts']);
/** Routes of a kind that lead to the pages without them before the others are taken to do so, too. */
const enough = 3;

/** Returns the route that a page was read at: none if what came back is the page without it, as a server never sees it. */
export function routeOfPage({ finalUrl, rendered, document: { metadata } }: ScrapedPage): string {
  return !rendered && withoutScripts.has(metadata.readBecause) ? '' : routeOf(new URL(finalUrl).hash);
}

/** Learns on which kinds of pages a route, as in `#/size-s`, shows no page of its own. */
export function createRoutes() {
  const plain = new Map<string, number>();
  const shapeWithout = (url: string) => shapeOf(new URL(url.replace(/#.*/, '')));
  return {
    /** Notes how a page was read. With and without its scripts, a sample is only compared. */
    read(url: string, page: ScrapedPage): void {
      if (!url.includes('#') || page.document.metadata.readBecause === 'sample') return;
      const shape = shapeWithout(url);
      plain.set(shape, routeOfPage(page) === '' ? (plain.get(shape) ?? 0) + 1 : Number.NaN);
    },
    /** Whether a URL has a route that shows no page of its own. */
    isVain: (url: string): boolean => url.includes('#') && (plain.get(shapeWithout(url)) ?? 0) >= enough,
  };
}
