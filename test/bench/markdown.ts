import { Parser } from 'htmlparser2';
import { readPage } from '../../src/service/web/scrape/convert/content/content.ts';
import { corpus } from '../harness/page-corpus.ts';
import { markdown } from '../harness/page-markdown.ts';
import { median, printTarget, round } from './figures.ts';

/**
 * Converts HTML to main-content markdown on one core, over a corpus of mixed pages of 5 to 200 KB: megabytes per second of
 * the thread's CPU time, compared to a parser whose output is discarded. With `--peers`, instead how well others write the
 * same Markdown.
 */
export async function run({ peers }: { peers?: string }): Promise<void> {
  if (peers !== undefined) return (await import('./markdown/peers.ts')).comparePeers(peers);
  const pages = corpus({ pages: 100 });
  const megabytes = pages.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0) / 1e6;
  const reading = { url: 'https://site.test/', extent: 'main', removeBase64Images: true } as const;
  const readings = pages.map(({ html }) => readPage(html, reading));
  const cases: Record<string, () => void> = {
    'parse only (htmlparser2)': () => {
      for (const { html } of pages) new Parser({ onopentag() {}, ontext() {}, onclosetag() {} }).end(html);
    },
    'main content': () => {
      for (const { html } of pages) readPage(html, reading);
    },
    'markdown of the content': () => {
      for (const read of readings) read.write('markdown');
    },
    'page to markdown, all of it': () => {
      for (const { html } of pages) markdown(html);
    },
  };
  const speeds: Record<string, number[]> = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -2; round < 7; round++) {
    for (const [name, work] of Object.entries(cases)) {
      const before = process.threadCpuUsage();
      work();
      const { user, system } = process.threadCpuUsage(before);
      if (round >= 0) speeds[name]?.push(megabytes / ((user + system) / 1e6));
    }
  }
  console.log(`${pages.length} pages, ${round(megabytes)} MB`);
  console.table(
    Object.fromEntries(
      Object.entries(speeds).map(([name, figures]) => [
        name,
        {
          n: figures.length,
          'MB/s': round(median(figures)),
          min: round(Math.min(...figures)),
          max: round(Math.max(...figures)),
        },
      ]),
    ),
  );

  const kinds: Record<string, { planted: number; found: number }> = {};
  let leaks = 0;
  for (const page of pages) {
    const written = markdown(page.html);
    if (written.includes(page.boilerplate) || written.includes('window.data')) leaks++;
    for (const { kind, text } of page.facts) {
      const counts = kinds[kind] ?? { planted: 0, found: 0 };
      kinds[kind] = counts;
      counts.planted++;
      if (written.includes(text)) counts.found++;
    }
  }
  console.table(kinds);
  const all = Object.values(kinds);
  const found = all.reduce((sum, kind) => sum + kind.found, 0) / all.reduce((sum, kind) => sum + kind.planted, 0);
  printTarget('planted facts found, of 1', found, '1', found === 1);
  printTarget('pages with boilerplate or scripts in their markdown', leaks, '0', leaks === 0);
  const speed = median(speeds['page to markdown, all of it'] ?? []);
  printTarget('MB/s from page to main-content markdown', speed, 'at least 20', speed >= 20);
}
