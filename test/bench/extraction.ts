import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import MarkdownIt from 'markdown-it';
import type { ConvertOptions } from '../../src/service/web/scrape/convert/convert-page.ts';
import { leaveOut } from './extraction/rules.ts';
import { type Kept, type Kind, keptStructures } from './extraction/structure.ts';
import { median, printTarget, round } from './figures.ts';

/**
 * Scores main content on public corpora, each with its own metric, beside the figures of peers on the same pages. The
 * folder has, for each corpus, `pages.jsonl` and `html/ID.html`: a page has an id, url, type and half, and its true content
 * as text, HTML or Markdown, or snippets `with` and `without` which it should be. With a rule that is left out, only the
 * defaults are scored, on the open half.
 */
export async function run(options: { corpora?: string | undefined; without?: string | undefined }): Promise<void> {
  const { corpora, without } = options;
  if (corpora === undefined) {
    console.log('--corpora DIR names the folder of the prepared corpora; skipped without it.');
    return;
  }
  if (without !== undefined) leaveOut(without);
  const { convertPage } = await import('../../src/service/web/scrape/convert/convert-page.ts');
  const cpu: number[] = [];
  const structures: Record<string, Record<string, string>> = {};
  for (const [corpus, { peers, target }] of Object.entries(known)) {
    if (!existsSync(join(corpora, corpus, 'pages.jsonl'))) continue;
    const kept: Kept[] = [];
    const pages = pagesOf(corpora, corpus).filter(({ half }) => without === undefined || half === 'open');
    const scored = [{ name: 'default' }, { name: 'clean', onlyCleanContent: true }];
    const modes = scored.slice(0, without === undefined ? 2 : 1).map(({ name, ...options }) => {
      const scores = pages.map((page) => {
        const html = readFileSync(join(corpora, corpus, 'html', `${page.id}.html`), 'utf8');
        const { markdown, ms } = timed(convertPage, html, { ...usual, url: page.url, ...options });
        if (name === 'default') {
          cpu.push(ms);
          const truth = truthOf(page);
          if (truth !== undefined) kept.push(keptStructures(html, truth, markdownParser.render(markdown)));
        }
        return { page, ...scoreOf(corpus, page, markdown) };
      });
      return { name, scores };
    });
    console.log(`\n${corpus}, ${modes[0]?.scores.length} pages`);
    console.table({
      ...Object.fromEntries(
        modes.map(({ name, scores }) => [
          `ours, ${name}`,
          {
            ...rounded(summaryOf(corpus, scores)),
            open: f1Of(corpus, scores, 'open'),
            'held-out': f1Of(corpus, scores, 'held-out'),
            empty: scores.filter(({ empty }) => empty).length,
          },
        ]),
      ),
      ...Object.fromEntries(Object.entries(peers).map(([name, f1]) => [name, { F1: f1 }])),
    });
    const [main] = modes;
    if (main)
      printTarget(
        `F1 on ${corpus}`,
        exact(summaryOf(corpus, main.scores).f1),
        `at least ${target}`,
        summaryOf(corpus, main.scores).f1 >= target,
      );
    if (main && corpus === 'wcxb') printKinds(main.scores);
    if (kept.length > 0) structures[corpus] = sharesOf(kept);
  }
  console.log('\nStructures of the true content that the Markdown has (goal: 0.95)');
  console.table(structures);
  if (cpu.length === 0) return;
  const ms = median(cpu);
  printTarget('ms of processor a page, median', round(ms), 'less than 6', ms < 6);
}

interface Page {
  id: string;
  url: string;
  type: string;
  half: 'open' | 'held-out';
  text?: string;
  html?: string;
  markdown?: string;
  with?: string[];
  without?: string[];
}
interface Score {
  page: Page;
  p: number;
  r: number;
  f1: number;
  /** Snippets found rightly, found wrongly, and missing. */
  counts: [number, number, number];
  empty: boolean;
}

type Convert = (html: string, options: ConvertOptions) => { markdown?: string };

/** F1 of peers on the same pages, measured in November 2026, and what ours should reach. */
const known: Record<string, { peers: Record<string, number>; target: number }> = {
  scrapinghub: peersOf(0.965, [960, 964, 950, 929, 927, 670]),
  wcxb: peersOf(0.865, [833, 769, 787, 824, 785, 702]),
  trafilatura: peersOf(0.93, [926, 922, 886, 880, 862, 693]),
  readability: peersOf(0.96, [935, 934, 994, 938, 950, 811]),
  defuddle: peersOf(0.93, [896, 865, 892, 999, 855, 910]),
};
function peersOf(target: number, thousandths: number[]) {
  const names = ['Trafilatura', 'Trafilatura, precision', 'Readability', 'Defuddle', 'Resiliparse', 'all text'];
  return { target, peers: Object.fromEntries(names.map((name, at) => [name, (thousandths[at] ?? 0) / 1000])) };
}
/** F1 of the best peer for each kind of page of WCXB. */
const bestOfKind: Record<string, number> = {
  article: 0.941,
  documentation: 0.935,
  service: 0.806,
  listing: 0.625,
  collection: 0.604,
  forum: 0.708,
  product: 0.654,
};

const usual: ConvertOptions = {
  url: '',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: false,
};
const markdownParser = new MarkdownIt({ html: true });
markdownParser.validateLink = () => true;

function pagesOf(folder: string, corpus: string): Page[] {
  const lines = readFileSync(join(folder, corpus, 'pages.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Page);
}

function timed(convert: Convert, html: string, options: ConvertOptions): { markdown: string; ms: number } {
  const before = process.threadCpuUsage();
  const { markdown = '' } = convert(html.replaceAll(/\0+/g, '\ufffd'), options);
  const { user, system } = process.threadCpuUsage(before);
  return { markdown, ms: (user + system) / 1000 };
}

function scoreOf(corpus: string, page: Page, markdown: string): Omit<Score, 'page'> {
  const text = textOf(markdownParser.render(markdown));
  const empty = text === '';
  if (corpus === 'trafilatura') {
    const found = squeezed(text);
    const right = (page.with ?? []).filter((each) => found.includes(squeezed(each))).length;
    const wrong = (page.without ?? []).filter((each) => found.includes(squeezed(each))).length;
    return { p: 0, r: 0, f1: 0, counts: [right, wrong, (page.with ?? []).length - right], empty };
  }
  const split = splits[corpus] ?? cjkWords;
  return { ...overlap(split(text), split(truthOf(page) ?? '')), counts: [0, 0, 0], empty };
}

/** The text of a page's true content, if it is known whole. */
function truthOf({ html, markdown, text }: Page): string | undefined {
  if (html !== undefined) return textOf(html);
  return markdown === undefined ? text : textOf(markdownParser.render(markdown));
}

function sharesOf(all: readonly Kept[]): Record<string, string> {
  const kinds: readonly Kind[] = ['tables', 'codes', 'headings', 'items'];
  const sum = (kind: Kind, of: 'expected' | 'kept') => all.reduce((total, each) => total + each[kind][of], 0);
  return Object.fromEntries(
    kinds.map((kind) => {
      const [expected, kept] = [sum(kind, 'expected'), sum(kind, 'kept')];
      return [kind, expected === 0 ? 'none' : `${exact(kept / expected)} of ${expected}`];
    }),
  );
}

const words = (text: string) => text.match(/[\p{L}\p{N}_]+/gu) ?? [];
const cjkWords = (text: string) =>
  text
    .toLowerCase()
    .match(/[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\P{L}\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[\p{N}_]+/gu) ??
  [];
const splits: Record<string, (text: string) => string[]> = {
  scrapinghub(text) {
    const all = words(text);
    return all.length === 0
      ? []
      : Array.from({ length: Math.max(1, all.length - 3) }, (_, at) => all.slice(at, at + 4).join(' '));
  },
  wcxb: (text) => words(text.toLowerCase()),
};

function overlap(predicted: string[], truth: string[]): { p: number; r: number; f1: number } {
  if (truth.length === 0) return predicted.length === 0 ? { p: 1, r: 1, f1: 1 } : { p: 0, r: 0, f1: 0 };
  const left = new Map<string, number>();
  for (const each of truth) left.set(each, (left.get(each) ?? 0) + 1);
  let common = 0;
  for (const each of predicted) {
    const count = left.get(each) ?? 0;
    if (count > 0) common++;
    left.set(each, count - 1);
  }
  if (common === 0) return { p: 0, r: 0, f1: 0 };
  const [p, r] = [common / predicted.length, common / truth.length];
  return { p, r, f1: (2 * p * r) / (p + r) };
}

function summaryOf(corpus: string, scores: readonly Score[]): { f1: number; p: number; r: number } {
  const sum = (of: (score: Score) => number) => scores.reduce((total, each) => total + of(each), 0);
  if (corpus === 'trafilatura') {
    const [right, wrong, missing] = [0, 1, 2].map((at) => sum(({ counts }) => counts[at] ?? 0)) as [
      number,
      number,
      number,
    ];
    return {
      f1: (2 * right) / (2 * right + wrong + missing),
      p: right / (right + wrong),
      r: right / (right + missing),
    };
  }
  const filled = scores.filter(({ empty }) => !empty);
  const p = filled.reduce((total, each) => total + each.p, 0) / filled.length;
  const r = sum((each) => each.r) / scores.length;
  return { f1: corpus === 'scrapinghub' ? (2 * p * r) / (p + r) : sum(({ f1 }) => f1) / scores.length, p, r };
}

function rounded({ f1, p, r }: { f1: number; p: number; r: number }) {
  return { F1: exact(f1), precision: exact(p), recall: exact(r) };
}

function exact(share: number): number {
  return Number(share.toFixed(3));
}

function f1Of(corpus: string, scores: readonly Score[], half: Page['half']): number {
  return exact(
    summaryOf(
      corpus,
      scores.filter(({ page }) => page.half === half),
    ).f1,
  );
}

function printKinds(scores: readonly Score[]): void {
  const table = Object.entries(bestOfKind).map(([kind, best]) => {
    const own = scores.filter(({ page }) => page.type === kind);
    return [kind, { ...rounded(summaryOf('wcxb', own)), 'best peer': best, pages: own.length }] as const;
  });
  console.table(Object.fromEntries(table));
}

const blocks = new Set(
  (
    'address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr html label legend li main nav ol option p pre section select summary table tbody td textarea tfoot th ' +
    'thead tr ul'
  ).split(' '),
);
const unseen = new Set('head title script style template noscript iframe object svg canvas'.split(' '));

function textOf(html: string): string {
  let text = '';
  let skipped = 0;
  new Parser({
    onopentag(name) {
      if (unseen.has(name)) skipped++;
      if (blocks.has(name)) text += '\n';
    },
    onclosetag(name) {
      if (unseen.has(name)) skipped--;
      if (blocks.has(name)) text += '\n';
    },
    ontext(piece) {
      if (skipped === 0) text += piece;
    },
  }).end(html);
  return text
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n[\n ]*/g, '\n')
    .trim();
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
