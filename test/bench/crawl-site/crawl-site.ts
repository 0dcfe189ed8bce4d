import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type ServiceProcess } from '../../harness/service.ts';

/** Starts the generated site in a separate process, with pages of about so many bytes. */
export async function startSite(
  pages: number,
  { bytes = 20_000, etags = false } = {},
): Promise<{ url: string; stop(): void }> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'site.ts'), String(pages), String(bytes), ...(etags ? ['etags'] : [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    child.once('exit', (code) => reject(new Error(`the site exited with code ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}/p/0`, stop: () => child.kill() };
}

export interface BenchCrawl {
  url: string;
  limit: number;
  scrapeOptions?: object;
  /** The crawl to repeat. */
  since?: string;
  /** Called with the number of pages stored so far. */
  onProgress?(completed: number): void;
}

/** Crawls with a running service. Returns the job's id, the pages that were stored, and how long it took. */
export async function crawlWith(
  { baseUrl, apiKey }: ServiceProcess['line'],
  { url, limit, scrapeOptions = {}, since, onProgress }: BenchCrawl,
): Promise<{ id: string; pages: number; seconds: number }> {
  const ask = (method: string, path: string, body?: object) => call(baseUrl, apiKey ?? '', method, path, body);
  const began = performance.now();
  const options = { crawlEntireDomain: true, sitemap: 'skip', ignoreRobotsTxt: true };
  const { body, status } = await ask('POST', '/v2/crawl', {
    url,
    limit,
    ...options,
    scrapeOptions,
    ...(since && { since }),
  });
  if (status !== 200) throw new Error(body.error);
  for (;;) {
    const { body: state } = await ask('GET', `/v2/crawl/${body.id}?limit=1`);
    onProgress?.(state.completed);
    if (state.status === 'completed') {
      const seconds = (performance.now() - began) / 1000;
      // On a busy machine a page may time out.
      if (state.completed < limit * 0.99) {
        const { body: failed } = await ask('GET', `/v2/crawl/${body.id}/errors`);
        throw new Error(`${state.completed} of ${limit} pages: ${JSON.stringify(failed).slice(0, 500)}`);
      }
      return { id: body.id, pages: state.completed, seconds };
    }
    if (state.status !== 'scraping') throw new Error(`the crawl ended as ${state.status}: ${state.error}`);
    await sleep(20);
  }
}
