import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChrome, findHeadlessShell } from '../../src/service/browsers/chrome/find.ts';
import { startSite } from './crawl-site/crawl-site.ts';
import { median, round } from './figures.ts';

const pages = Number(process.env.WEBDATA_BENCH_PAGES ?? 40);
const rounds = Number(process.env.WEBDATA_BENCH_ROUNDS ?? 2);
/** Time limit for measuring one part once. */
const partMs = 60_000;
const script = join(import.meta.dirname, 'crawl-site', 'bare-cdp.ts');
const cases: Record<string, string> = {
  'raw CDP, 4 tabs': '',
  '+ browser contexts': 'context',
  '+ egress proxy, in contexts': 'context,proxy',
  '+ events of network and pages': 'events',
  '+ emulated screen': 'appearance',
  '+ interception of every request': 'interception',
  '+ wait for the load event': 'load',
  '+ watching changes, and 100 ms of quiet': 'quiet',
  'all, except interception': 'context,proxy,events,appearance,quiet',
};

interface Figures {
  pages: number;
  seconds: number;
  processorMs: number;
}

/**
 * What each thing that the service does to render a page costs, added one at a time to a bare loop over raw CDP. Prints each
 * part as it is measured, then the medians. WEBDATA_BENCH_PAGES and WEBDATA_BENCH_ROUNDS set how much is measured. Linux only.
 */
export async function run(): Promise<void> {
  const site = await startSite(1000);
  const browser = findHeadlessShell() ?? findChrome().path ?? '';
  const measured: Record<string, Figures[]> = {};
  console.log(`${pages} pages each, ${rounds} rounds, in ${browser}`);
  try {
    for (let number = 1; number <= rounds; number++) {
      for (const [name, parts] of Object.entries(cases)) {
        const args = [script, site.url, String(pages), browser, parts];
        const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: partMs });
        const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Figures;
        measured[name] = [...(measured[name] ?? []), figures];
        const rate = round(figures.pages / figures.seconds);
        console.log(
          `round ${number}: ${name}: ${rate} pages/s, ${round(figures.processorMs)} ms of processor time per page`,
        );
      }
    }
  } finally {
    site.stop();
  }
  const processor = (figures: Figures[]) => median(figures.map(({ processorMs }) => processorMs));
  const [bare = []] = Object.values(measured);
  console.table(
    Object.fromEntries(
      Object.entries(measured).map(([name, figures]) => [
        name,
        {
          'pages/s': round(median(figures.map(({ pages, seconds }) => pages / seconds))),
          'processor ms/page': round(processor(figures)),
          'more than raw CDP': round(processor(figures) - processor(bare)),
        },
      ]),
    ),
  );
}
