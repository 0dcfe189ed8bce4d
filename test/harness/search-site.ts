import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page of the site, by its name. */
export interface SitePage {
  name: string;
  title: string;
  text: string;
}

export interface SearchSite {
  /** With a trailing slash. */
  url: string;
  /** Queries that its search was asked. */
  queries: string[];
  close(): Promise<void>;
}

const pageSize = 10;

/**
 * A site on loopback with a search of its own: `/find?q=…&page=1` lists the pages that contain all words of the query,
 * as JSON, ten a page. `/slow` answers only when its connection is closed.
 */
export async function startSearchSite(pages: readonly SitePage[]): Promise<SearchSite> {
  const queries: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams, origin } = new URL(request.url ?? '/', `http://${request.headers.host}`);
    if (pathname === '/find') {
      const query = searchParams.get('q') ?? '';
      queries.push(query);
      const words = query.toLowerCase().split(/\s+/);
      const found = pages.filter(({ title, text }) => {
        const content = `${title} ${text}`.toLowerCase();
        return words.every((word) => content.includes(word));
      });
      const start = (Number(searchParams.get('page') ?? 1) - 1) * pageSize;
      const hits = found.slice(start, start + pageSize);
      response.setHeader('content-type', 'application/json');
      return response.end(
        JSON.stringify({ hits: hits.map(({ name, title, text }) => ({ url: `${origin}/${name}`, title, text })) }),
      );
    }
    if (pathname === '/slow') return;
    const page = pages.find(({ name }) => `/${name}` === pathname);
    if (!page) return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>${page.title}</title><main><h1>${page.title}</h1><p>${page.text}</p></main>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    queries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
