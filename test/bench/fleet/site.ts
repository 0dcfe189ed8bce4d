import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A site of a benchmark: a chain of pages, each with links to the next ones. */
export interface BenchSite {
  readonly url: string;
  readonly pages: number;
  /** Requests for pages. */
  requests: number;
  close(): void;
}

const words = 'A page of ordinary length has some hundred words in several paragraphs. '.repeat(12);

/** @param answerMs how long it takes to answer */
export async function startBenchSite(pages: number, answerMs = 0): Promise<BenchSite> {
  const server = createServer(async (request, response) => {
    const number = request.url === '/' ? 0 : Number(/^\/p(\d+)$/.exec(request.url ?? '')?.[1]);
    if (!(number < pages)) return void response.writeHead(404).end();
    site.requests++;
    if (answerMs > 0) await sleep(answerMs);
    const links = [1, 2, 3]
      .map((step) => number * 3 + step)
      .filter((link) => link < pages)
      .map((link) => `<a href="/p${link}">Page ${link}</a>`);
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<!doctype html><title>${number}</title><main><h1>Page ${number}</h1><p>${words}</p>${links.join('')}</main>`,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: BenchSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    pages,
    requests: 0,
    close: () => void server.close().closeAllConnections(),
  };
  return site;
}
