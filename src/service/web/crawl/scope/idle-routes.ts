/** Pages that show nothing else at a route before it is no page at others either. */
const enough = 3;
const maxRoutes = 1000;

/**
 * Learns which routes show no pages of their own, such as `#/portal/signup`, at which a script of the site opens a form over any
 * page: pages say the same with them and without. A route that shows something once is one of pages.
 */
export function createIdleRoutes() {
  const pages = new Map<string, Set<string>>();
  const shown = new Set<string>();
  const keyOf = ({ origin, hash }: Pick<URL, 'origin' | 'hash'>) => origin + hash;
  return {
    /** Notes whether a page at a route says what it says without it. */
    compared(url: Pick<URL, 'origin' | 'pathname' | 'search' | 'hash'>, isSame: boolean): void {
      const key = keyOf(url);
      if (!isSame) shown.add(key);
      const known = pages.get(key) ?? new Set();
      if (isSame && (pages.size < maxRoutes || pages.has(key))) pages.set(key, known.add(url.pathname + url.search));
    },
    /** Whether a URL has a route that showed nothing so far, and may at this page. */
    isOpen(url: Pick<URL, 'origin' | 'pathname' | 'search' | 'hash'>): boolean {
      const known = pages.get(keyOf(url));
      return (
        known !== undefined && known.size < enough && !shown.has(keyOf(url)) && !known.has(url.pathname + url.search)
      );
    },
    /** Whether a URL has a route that shows no page. */
    isIdle(url: Pick<URL, 'origin' | 'hash'>): boolean {
      return url.hash !== '' && !shown.has(keyOf(url)) && (pages.get(keyOf(url))?.size ?? 0) >= enough;
    },
  };
}
