import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SmallSite {
  url: string;
  close(): Promise<void>;
}

/** A site on loopback whose index page links to pages with the given names. */
export async function startSmallSite(names: readonly string[]): Promise<SmallSite> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    if (name !== '' && !names.includes(name)) return response.writeHead(404).end();
    const links = names.map((other) => `<li><a href="/${other}">${other}</a></li>`).join('');
    const title = name || 'Home';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>All about ${title}.</p>${name ? '' : `<ul>${links}</ul>`}</main>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
