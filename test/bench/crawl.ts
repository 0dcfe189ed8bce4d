import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { findChrome, findHeadlessShell } from '../../src/service/browsers/chrome/find.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { spawnService } from '../harness/service.ts';
import { crawlWith, startSite } from './crawl-site/crawl-site.ts';
import { median, printTarget } from './figures.ts';
import { cpuSecondsOf, residentMegabytes } from './processes.ts';

interface Figures {
  pages: number;
  seconds: number;
  /** Processor time per page with all browsers, in milliseconds; of a script, with its start. */
  processorMs: number;
  /** Peak memory of the crawling process, without browsers; NaN where the system does not report it. */
  peakMegabytes: number;
}

const crawleeFolder = join(import.meta.dirname, 'crawlee');
const rounds = 3;
const rendered = 60;
const parts = (process.env.WEBDATA_BENCH_PARTS ?? 'plain,large,rendered').split(',');

/**
 * Crawls a generated site with this service, which stores documents as Markdown, in turn with others. `plain`: 1,000 pages,
 * also by crawlee that only collects links, by crawlee that does the same work, and by a bare loop that only collects links.
 * `large`: 10,000 pages. `rendered`: pages in a browser, also by crawlee, and by a bare loop over raw CDP.
 * WEBDATA_BENCH_PARTS chooses among them.
 */
export async function run(): Promise<void> {
  const rows: Record<string, Figures[]> = {};
  const measure = async (name: string, crawl: () => Promise<Figures>) => {
    rows[name] = [...(rows[name] ?? []), await crawl()];
  };
  const hasCrawlee = installCrawlee();
  if (parts.includes('plain')) await inSite(1000, (url) => crawlPlain(url, measure, hasCrawlee));
  if (parts.includes('large')) await inSite(10_000, (url) => measure(names.large, () => crawlHere(url, 10_000)));
  if (parts.includes('rendered')) await inSite(1000, (url) => crawlRendered(url, measure, hasCrawlee));
  print(rows);
  compare(rows);
}

type Measure = (name: string, crawl: () => Promise<Figures>) => Promise<void>;

const names = {
  plain: 'this service, 1,000 pages',
  links: 'CheerioCrawler, links alone',
  same: 'CheerioCrawler, Readability + turndown',
  floor: 'undici + htmlparser2, links alone',
  large: 'this service, 10,000 pages',
  rendered: 'this service, rendered',
  playwright: 'PlaywrightCrawler',
  bare: 'raw CDP, 4 tabs of the same browser',
} as const;

async function crawlPlain(url: string, measure: Measure, hasCrawlee: boolean): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await measure(names.plain, () => crawlHere(url, 1000));
    if (hasCrawlee) await measure(names.links, () => runScript('crawlee/cheerio.mjs', [url, '1000']));
    if (hasCrawlee && round === 0) await measure(names.same, () => runScript('crawlee/articles.mjs', [url, '1000']));
    await measure(names.floor, () => runScript('crawl-site/floor.ts', [url, '1000']));
  }
}

async function crawlRendered(url: string, measure: Measure, hasCrawlee: boolean): Promise<void> {
  const chrome = findChrome().path ?? '';
  const shell = findHeadlessShell() ?? chrome;
  console.log(`Pages are rendered in ${shell}.`);
  for (let round = 0; round < rounds; round++) {
    await measure(names.rendered, () => crawlHere(url, rendered, { waitFor: 1 }));
    if (hasCrawlee && round === 0)
      await measure(names.playwright, () => runScript('crawlee/playwright.mjs', [url, String(rendered), chrome]));
    await measure(names.bare, () => runScript('crawl-site/bare-cdp.ts', [url, String(rendered), shell]));
  }
}

/** Prints what was reached, as far as it was measured. */
function compare(rows: Record<string, Figures[]>): void {
  const rate = (name: string) => median((rows[name] ?? []).map(({ pages, seconds }) => pages / seconds));
  const memory = (name: string) => median((rows[name] ?? []).map(({ peakMegabytes }) => peakMegabytes));
  const atLeast = (what: string, reached: number, least: number) => {
    if (!Number.isNaN(reached)) printTarget(what, reached, `at least ${least}`, reached >= least);
  };
  const atMost = (what: string, reached: number, most: number) => {
    if (!Number.isNaN(reached)) printTarget(what, reached, `at most ${most}`, reached <= most);
  };
  const here = rate(names.plain);
  atLeast('pages per second, relative to CheerioCrawler', here / rate(names.links), 4);
  atLeast('pages per second, relative to CheerioCrawler with the same work', here / rate(names.same), 12);
  atMost('memory, relative to CheerioCrawler', memory(names.plain) / memory(names.links), 0.4);
  atLeast('rendered pages per second, relative to PlaywrightCrawler', rate(names.rendered) / rate(names.playwright), 5);
  atLeast('rendered pages per second, relative to raw CDP', rate(names.rendered) / rate(names.bare), 0.8);
  atMost('time per page of 10,000, relative to 1,000', here / rate(names.large), 1.2);
  atMost('MB in the service at most, in a crawl of 10,000 pages', memory(names.large), 200);
}

async function inSite(pages: number, work: (url: string) => Promise<void>): Promise<void> {
  const site = await startSite(pages);
  try {
    await work(site.url);
  } finally {
    site.stop();
  }
}

/** A complete crawl by a new service. */
async function crawlHere(url: string, limit: number, scrapeOptions: object = {}): Promise<Figures> {
  const folder = temporaryFolder();
  const args = ['--data-dir', folder, '--spare-browsers', '0'];
  const { child, line, exited } = await spawnService(args, memoryVariables);
  const pid = child.pid ?? 0;
  try {
    const before = cpuSecondsOf(pid);
    const { pages, seconds } = await crawlWith(line, { url, limit, scrapeOptions });
    const processorMs = ((cpuSecondsOf(pid) - before) * 1000) / pages;
    return { pages, seconds, processorMs, peakMegabytes: residentMegabytes(pid).peak };
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
  let processor = Number.NaN;
  const timer = setInterval(() => {
    const { pid = 0 } = child;
    const { peak: highest } = residentMegabytes(pid);
    if (Number.isNaN(highest)) return;
    peak = highest;
    processor = cpuSecondsOf(pid);
  }, 50);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  rmSync(folder, { recursive: true, force: true });
  const result = JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { pages: number; seconds: number };
  return { ...result, processorMs: (processor * 1000) / result.pages, peakMegabytes: peak };
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
          'processor ms/page': round(median(figures.map(({ processorMs }) => processorMs))),
          'peak MB': round(median(figures.map(({ peakMegabytes }) => peakMegabytes))),
        },
      ]),
    ),
  );
}
