// How fast pages of crawls are listed, opened and saved by the extension's code, on the service of a crawl of a local site.
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createEmbeddedClient } from '../../src/client/client.ts';
import { longFetch } from '../../src/client/long-fetch.ts';
import { exportFiles, planExport } from '../../src/extension/pages/save/export-pages.ts';
import { ServicePages } from '../../src/extension/pages/sources/service-pages.ts';
import { eventually } from '../harness/eventually.ts';
import { spawnService } from '../harness/service.ts';

const key = 'bench-key-0123456789';
const pageCount = Number(process.env.WEBDATA_BENCH_PAGES ?? 10_000);

export async function run(): Promise<void> {
  const site = createServer((request, response) => {
    const path = request.url ?? '/';
    response.writeHead(path === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(
      `<title>${path}</title><main><h1>${path}</h1>${'<p>Some words about tea and a <a href="/p/1">link</a>.</p>'.repeat(10)}</main>`,
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'webdata-pages-bench-'));
  const service = await spawnService(['--port', '0', '--data-dir', join(folder, 'data')], {
    WEBDATA_API_KEYS: `${key}:team`,
  });
  try {
    const options = { baseUrl: service.line.baseUrl, apiKey: key, fetch: longFetch };
    const client = createClient(options);
    const embedded = createEmbeddedClient(options);
    const urls = Array.from({ length: pageCount }, (_, number) => `${origin}/s${number % 50}/p${number}`);
    const { id } = await client.startBatchScrape({ body: { urls } });
    await eventually(async () => {
      const { status, completed } = await client.getBatchScrape({ params: { jobId: id }, query: { limit: 1 } });
      if (status !== 'completed') throw new Error(`${completed} pages`);
    }, 600_000);
    const job = { kind: 'batch', id } as const;
    const source = new ServicePages(job, client, embedded);
    await timed('first rows (top folder)', () => source.folder(undefined, undefined, 200));
    const { pages } = await timed('rows of a folder', () => source.folder(`${origin}/s7/`, undefined, 200));
    const [page] = pages;
    if (page) await timed('open a page', () => source.document(page));
    if (page) await timed('find a page by its URL', () => source.find([page.url]));
    const signal = new AbortController().signal;
    const start = performance.now();
    const plan = await planExport(client, job, 'files', signal);
    const made = new Map<string, Promise<unknown>>();
    const { files } = await exportFiles(
      { client, job, plan, source, signal, progress: () => undefined },
      async (file, text) => {
        const path = join(folder, 'saved', file);
        const parent = join(path, '..');
        const making = made.get(parent) ?? mkdir(parent, { recursive: true });
        made.set(parent, making);
        await making;
        await writeFile(path, text);
      },
    );
    const seconds = (performance.now() - start) / 1000;
    console.log(`save ${files} pages as files: ${seconds.toFixed(2)} s, ${Math.round(files / seconds)} pages/s`);
  } finally {
    service.child.kill();
    await service.exited;
    site.closeAllConnections();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed<Value>(name: string, task: () => Promise<Value>): Promise<Value> {
  const times: number[] = [];
  let value = await task();
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    value = await task();
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  console.log(`${name}: median ${times[2]?.toFixed(1)} ms`);
  return value;
}
