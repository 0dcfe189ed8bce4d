import { routeOf } from '../../../../contract/addresses.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';

/** Why no scripts of a page, which alone see its route, write any of it. */
export const withoutScripts = new Set<unknown>(['noScripts', 'noContentScripts']);

/** Returns the route that a page was read at: none if it has no scripts for it, as a server never sees it. */
export function routeOfPage({ finalUrl, rendered, document: { metadata } }: ScrapedPage): string {
  return !rendered && withoutScripts.has(metadata.readBecause) ? '' : routeOf(new URL(finalUrl).hash);
}
