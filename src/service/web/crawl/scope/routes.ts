import { routeOf } from '../../../../contract/addresses.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { type PageUrl, sectionOf } from './urls.ts';

/** Why no scripts of a page, which alone see its route, write any of it. */
export const withoutScripts = new Set<unknown>(['noScripts', 'noContentScripts']);

/** Returns the route that a page was read at: none if it has no scripts for it, as a server never sees it. */
export function routeOfPage({ finalUrl, rendered, document: { metadata } }: ScrapedPage): string {
  return !rendered && withoutScripts.has(metadata.readBecause) ? '' : routeOf(new URL(finalUrl).hash);
}

/** Returns the path that a page at a route would have if the route were a part of it: `/app/help` for `/app/#/help`. */
export function pathOfRoute({ pathname, hash }: Pick<PageUrl, 'pathname' | 'hash'>): string | undefined {
  const [, path] = /^#!*\/*([^?]*)/.exec(routeOf(hash)) ?? [];
  return path === undefined ? undefined : sectionOf(pathname) + path;
}

/** Returns the paths of a page by which it is called: that of its URL, and that with its route. */
export const pathsOf = (url: Pick<PageUrl, 'pathname' | 'hash'>): string[] =>
  [url.pathname, pathOfRoute(url) ?? []].flat();
