import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findChrome, findHeadlessShell } from '../../src/service/chrome/find.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService } from '../harness/service.ts';
import { median, printTarget } from './figures.ts';

interface Figures {
  pages: number;
  seconds: number;
  /** Peak memory of the crawling process, without browsers; NaN where the system does not report it. */
  peakMegabytes: number;
}

const siteFolder = join(import.meta.dirname, 'crawl-site');
const crawleeFolder = join(import.meta.dirname, 'crawlee');
const rounds = 3;
const rendered = 60;

/**
 * Crawls a generated site with this service, which stores documents as Markdown. Compared to crawlee that only collects
 * links, to crawlee that does the same work, and to bare loops that only collect links.
 */
export async function run(): Promise<void> {
  const small = await startSite(1000);
  const large = await startSite(10_000);
  try {
    const hasCrawlee = installCrawlee();
    const rows: Record<string, Figures[]> = {};
    const measure = async (name: string, crawl: () => Promise<Figures>) => {
      rows[name] = [...(rows[name] ?? []), await crawl()];
    };
    for (let round = 0; round < rounds; round++) {
      await measure('this service, 1,000 pages', () => crawlHere(small.url, 1000));
      if (hasCrawlee)
        await measure('CheerioCrawler, links alone', () => runScript('crawlee/cheerio.mjs', [small.url, '1000']));
      if (hasCrawlee && round === 0)
        await measure('CheerioCrawler, Readability + turndown', () =>
          runScript('crawlee/articles.mjs', [small.url, '1000']),
        );
      await measure('undici + htmlparser2, links alone', () => runScript('crawl-site/floor.ts', [small.url, '1000']));
    }
    await measure('this service, 10,000 pages', () => crawlHere(large.url, 10_000));
    const chrome = findChrome().path ?? '';
    const shell = findHeadlessShell();
    for (let round = 0; round < rounds; round++) {
      await measure('this service, rendered', () => crawlHere(small.url, rendered, { waitFor: 1 }));
      if (hasCrawlee && round === 0)
        await measure('PlaywrightCrawler', () =>
          runScript('crawlee/playwright.mjs', [small.url, String(rendered), chrome]),
        );
      await measure('raw CDP, 4 tabs of the same browser', () =>
        runScript('crawl-site/bare-cdp.ts', [small.url, String(rendered), shell ?? chrome]),
      );
    }
    console.log(`Pages are rendered in ${shell ?? chrome}.`);
    print(rows);
    const rate = (name: string) => median((rows[name] ?? []).map(({ pages, seconds }) => pages / seconds));
    const memory = (name: string) => median((rows[name] ?? []).map(({ peakMegabytes }) => peakMegabytes));
    const here = rate('this service, 1,000 pages');
    if (hasCrawlee) {
      const faster = here / rate('CheerioCrawler, links alone');
      printTarget('pages per second, relative to CheerioCrawler', faster, 'at least 4', faster >= 4);
      const same = here / rate('CheerioCrawler, Readability + turndown');
      printTarget('pages per second, relative to CheerioCrawler with the same work', same, 'at least 12', same >= 12);
      const share = memory('this service, 1,000 pages') / memory('CheerioCrawler, links alone');
      printTarget('memory, relative to CheerioCrawler', share, 'at most 0.4', share <= 0.4);
      const renders = rate('this service, rendered') / rate('PlaywrightCrawler');
      printTarget('pages per second, relative to PlaywrightCrawler', renders, 'at least 5', renders >= 5);
    }
    const bare = rate('this service, rendered') / rate('raw CDP, 4 tabs of the same browser');
    printTarget('rendered pages per second, relative to raw CDP', bare, 'at least 0.8', bare >= 0.8);
    const flat = here / rate('this service, 10,000 pages');
    printTarget('time per page of 10,000, relative to 1,000', flat, 'at most 1.2', flat <= 1.2);
  } finally {
    small.stop();
    large.stop();
  }
}

/** A complete crawl by a new service. */
async function crawlHere(url: string, limit: number, scrapeOptions: object = {}): Promise<Figures> {
  const folder = temporaryFolder();
  const { child, line, exited } = await spawnService(['--data-dir', folder, '--spare-browsers', '0']);
  const ask = (method: string, path: string, body?: object) =>
    call(line.baseUrl, line.apiKey ?? '', method, path, body);
  try {
    const began = performance.now();
    const options = { crawlEntireDomain: true, sitemap: 'skip', ignoreRobotsTxt: true };
    const { body, status } = await ask('POST', '/v2/crawl', { url, limit, ...options, scrapeOptions });
    if (status !== 200) throw new Error(body.error);
    for (;;) {
      const { body: state } = await ask('GET', `/v2/crawl/${body.id}?limit=1`);
      if (state.status === 'completed') {
        const seconds = (performance.now() - began) / 1000;
        // On a busy machine a page may time out.
        if (state.completed < limit * 0.99) {
          const { body: failed } = await ask('GET', `/v2/crawl/${body.id}/errors`);
          throw new Error(`${state.completed} of ${limit} pages: ${JSON.stringify(failed).slice(0, 500)}`);
        }
        return { pages: state.completed, seconds, peakMegabytes: peakMegabytes(child) };
      }
      if (state.status !== 'scraping') throw new Error(`the crawl ended as ${state.status}: ${state.error}`);
      await sleep(20);
    }
  } finally {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a script that prints pages and seconds as JSON at the end. */
async function runScript(script: string, args: string[]): Promise<Figures> {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: folder,
  });
  let peak = Number.NaN;
  const timer = setInterval(() => {
    peak = Number.isNaN(peakMegabytes(child)) ? peak : peakMegabytes(child);
  }, 50);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  rmSync(folder, { recursive: true, force: true });
  const result = JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { pages: number; seconds: number };
  return { ...result, peakMegabytes: peak };
}

function peakMegabytes({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** The site in a separate process. */
async function startSite(pages: number): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(siteFolder, 'site.ts'), String(pages)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    child.once('exit', (code) => reject(new Error(`the site exited with code ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}/p/0`, stop: () => child.kill() };
}

/** Installs crawlee, which is not part of setup, for the comparison; skips it when that fails. */
function installCrawlee(): boolean {
  if (existsSync(join(crawleeFolder, 'node_modules', 'crawlee'))) return true;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  const { status } = spawnSync(npm, args, { cwd: crawleeFolder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) console.log('crawlee could not be installed; its rows are skipped.');
  return status === 0;
}

function print(rows: Record<string, Figures[]>): void {
  const round = (figure: number) => Math.round(figure * 10) / 10;
  console.table(
    Object.fromEntries(
      Object.entries(rows).map(([name, figures]) => [
        name,
        {
          n: figures.length,
          pages: figures[0]?.pages,
          'pages/s median': round(median(figures.map(({ pages, seconds }) => pages / seconds))),
          'peak MB': round(median(figures.map(({ peakMegabytes }) => peakMegabytes))),
        },
      ]),
    ),
  );
}
