import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChrome, findHeadlessShell } from '../../src/service/chrome/find.ts';
import { startSite } from './crawl-site/crawl-site.ts';
import { median, round } from './figures.ts';

const pages = Number(process.env.WEBDATA_BENCH_PAGES ?? 60);
const rounds = 3;
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

/** What each thing that the service does to render a page costs, added one at a time to a bare loop over raw CDP. Linux only. */
export async function run(): Promise<void> {
  const site = await startSite(1000);
  const browser = findHeadlessShell() ?? findChrome().path ?? '';
  const measured: Record<string, Figures[]> = {};
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, parts] of Object.entries(cases)) {
        const { stdout } = await promisify(execFile)(process.execPath, [
          script,
          site.url,
          String(pages),
          browser,
          parts,
        ]);
        measured[name] = [...(measured[name] ?? []), JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Figures];
      }
    }
  } finally {
    site.stop();
  }
  const processor = (figures: Figures[]) => median(figures.map(({ processorMs }) => processorMs));
  const [bare = []] = Object.values(measured);
  console.log(`${pages} pages each, ${rounds} rounds, in ${browser}`);
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
