import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GatedSite {
  url: string;
  host: string;
  /** Makes all pages but the index wait. */
  hold(): void;
  /** Releases the waiting pages, and all later requests. */
  open(): void;
  close(): Promise<void>;
}

/** A site whose pages, except the index, can be held back, so that a test can observe a crawl in progress. */
export async function startGatedSite(paths: readonly string[]): Promise<GatedSite> {
  let gate: PromiseWithResolvers<void> | undefined;
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://site.test').pathname;
    if (path !== '/' && !paths.includes(path)) return response.writeHead(404).end();
    if (path !== '/') await gate?.promise;
    const title = path === '/' ? 'The Tea Shop' : `All about ${path.split('/').at(-1)}`;
    const links = path === '/' ? paths.map((other) => `<li><a href="${other}">${other}</a></li>`).join('') : '';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>Tea is sold by the ounce, and shipped on the day of the order.</p><ul>${links}</ul></main>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    host: `127.0.0.1:${port}`,
    hold() {
      gate ??= Promise.withResolvers();
    },
    open() {
      gate?.resolve();
      gate = undefined;
    },
    close: () =>
      new Promise((resolve) => {
        gate?.resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
