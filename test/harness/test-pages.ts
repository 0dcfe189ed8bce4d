import { createLargeMaps } from '../../src/service/web/crawl/map/large-maps.ts';
import type { MapParts } from '../../src/service/web/crawl/map/map.ts';

/** Pages of a site by path: where they lead, how many characters of text they have, their title, the feeds they declare, the types of what they are about, and where they redirect to. */
export type TestPages = Record<
  string,
  { links: string[]; length: number; title?: string; feeds?: string[]; subjects?: string[]; redirectsTo?: string }
>;

/** What maps need to read such a site, without any request. Each page that is read is added to `read`. */
export function sweepPartsOf(pages: TestPages, read: string[] = [], origin = 'https://site.test') {
  const parts = {
    scraper: {
      async scrape({ url }: { url: string }) {
        const { pathname, search } = new URL(url);
        read.push(pathname + search);
        const asked = pages[pathname + search];
        const { redirectsTo } = asked ?? {};
        const {
          links = [],
          length = 0,
          title,
          feeds = [],
          subjects,
        } = (redirectsTo === undefined ? asked : pages[redirectsTo]) ?? {};
        return {
          document: { metadata: { title } },
          links: links.map((path) => new URL(path, origin).href),
          feeds: feeds.map((path) => new URL(path, origin).href),
          wording: { length },
          subjects,
          finalUrl: redirectsTo === undefined ? url : new URL(redirectsTo, origin).href,
          statusCode: pages[pathname + search] ? 200 : 404,
        };
      },
    },
    fetcher: {
      async fetch(url: string) {
        const headers = { 'content-type': 'text/plain' };
        return { url, status: 404, headers, body: new Uint8Array(), truncated: false, hops: [url] };
      },
    },
    robots: { of: async () => ({ allows: () => true, sitemaps: [] }) },
    userAgent: 'WebData',
    largeMaps: createLargeMaps(),
  } as unknown as MapParts;
  const clock = { now: 0, monotonic: () => clock.now };
  return { ...parts, clock };
}
