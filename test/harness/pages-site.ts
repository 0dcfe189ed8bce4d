import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PagesSite {
  url: string;
  /** Path of each page -> the words that only its text has. */
  pages: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/**
 * A site with a home page, two folders of pages that link to each other, a page that fails, and one that robots.txt
 * disallows, all on a background of this color.
 */
export async function startPagesSite(perFolder: number, color = 'white'): Promise<PagesSite> {
  const pages = new Map<string, string>([['/', 'Welcome to the tea house.']]);
  for (const folder of ['guide', 'blog']) {
    for (let number = 1; number <= perFolder; number++) {
      pages.set(`/${folder}/${number}`, `Words of ${folder} ${number}: ${folder}word${number}x.`);
    }
  }
  pages.set('/guide/1', 'The rare word zanzibarred stands here alone.');
  const paths = [...pages.keys()];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const text = pages.get(path);
    if (path === '/robots.txt') {
      response.writeHead(200, { 'content-type': 'text/plain' });
      return response.end('User-agent: *\nDisallow: /private\n');
    }
    if (path === '/broken') return response.writeHead(500).end('broken');
    if (text === undefined) return response.writeHead(404).end();
    const next = paths[paths.indexOf(path) + 1] ?? '/';
    const links = path === '/' ? [...paths.slice(1), '/broken', '/private'] : [next];
    const list = links.map((link) => `<li><a href="${link}">to ${link}</a></li>`).join('');
    const unsaved = path === '/' ? '' : '<p><a href="/broken">to the unsaved page</a></p>';
    const title = path === '/' ? 'Tea house' : `Page ${path.slice(1).replace('/', ' ')}`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>${title}</title><body style="background: ${color}"><main><h1>${title}</h1><p>${text}</p><ul>${list}</ul>${unsaved}</main>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
