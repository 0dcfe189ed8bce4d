import type { MapParts } from '../../src/service/web/crawl/map.ts';

/** Pages of a site by path: where they lead, and how many characters of text they have. */
export type TestPages = Record<string, { links: string[]; length: number }>;

/** What maps need to read such a site, without any request. Each page that is read is added to `read`. */
export function sweepPartsOf(pages: TestPages, read: string[] = [], origin = 'https://site.test') {
  const parts = {
    scraper: {
      async scrape({ url }: { url: string }) {
        const { pathname, search } = new URL(url);
        read.push(pathname + search);
        const { links = [], length = 0 } = pages[pathname + search] ?? {};
        return {
          document: { metadata: {} },
          links: links.map((path) => new URL(path, origin).href),
          wording: { length },
          finalUrl: url,
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
  } as unknown as MapParts;
  const clock = { now: 0, monotonic: () => clock.now };
  return { ...parts, clock };
}
