import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { temporaryFolder } from '../harness/folders.ts';
import { corpus } from '../harness/page-corpus.ts';
import { call, spawnService } from '../harness/service.ts';
import { interleave, median, printTarget, printTimes } from './figures.ts';

/** Scrapes a plain page of 20 KB through the API, compared to fetching the page, and the same page rendered. */
export async function run(): Promise<void> {
  const [page] = corpus({ pages: 1, minBytes: 20_000, maxBytes: 20_000 });
  const html = page?.html ?? '';
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as { port: number };
  const url = `http://127.0.0.1:${port}/`;
  const folder = temporaryFolder();
  const { child, line, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0']);
  const scrape = async (options: object = {}) => {
    const { status, body } = await call(line.baseUrl, line.apiKey ?? '', 'POST', '/v2/scrape', { url, ...options });
    if (status !== 200 || !body.data.markdown) throw new Error(body.error);
  };
  try {
    const times = await interleave(
      { 'fetch of the page': async () => (await fetch(url)).text(), 'scrape, plain': () => scrape() },
      100,
      10,
    );
    const rendered = await interleave({ 'scrape, rendered': () => scrape({ waitFor: 1 }) }, 15, 5);
    console.log(`a page of ${Math.round(html.length / 1000)} KB`);
    printTimes({ ...times, ...rendered });
    const over = median(times['scrape, plain'] ?? []) - median(times['fetch of the page'] ?? []);
    printTarget('plain scrape, ms of overhead over the fetch', over, 'at most 3', over <= 3);
  } finally {
    child.kill('SIGTERM');
    await exited;
    site.closeAllConnections();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
