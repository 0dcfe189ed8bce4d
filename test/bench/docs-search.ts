import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import { parse } from 'yaml';
import { createReferenceIndex, readCorpus } from '../../scripts/lib/docs-index.ts';
import { answerFrom, evidenceOf } from '../../src/service/assistants/docs-search/answer/answer.ts';
import { find } from '../../src/service/assistants/docs-search/answer/search.ts';
import type { Corpus } from '../../src/service/assistants/docs-search/index/passages.ts';
import {
  openIndex,
  type SearchIndex,
  storeIndex,
  textOf,
} from '../../src/service/assistants/docs-search/index/search-index.ts';
import { textFiles } from '../../src/service/assistants/docs-search/index/source-files.ts';
import { repository } from '../harness/folders.ts';
import { median, printTarget } from './figures.ts';

/** The graded queries of arabold/docs-mcp-server, and the documentation that they are about: folders of public repositories. */
const dataset = 'docs-mcp-server/tests/search-eval/dataset.yaml';
const libraries: Readonly<Record<string, { folder: string; site: string }>> = {
  react: { folder: 'react.dev/src/content', site: 'https://react.dev/' },
  fastapi: { folder: 'fastapi/docs/en/docs', site: 'https://fastapi.tiangolo.com/' },
  vite: { folder: 'vite/docs', site: 'https://vite.dev/' },
};
/** Pages of an answer that count. */
const shown = 5;

interface Graded {
  library: string;
  query: string;
  qrels: { url: string; grade: number }[];
}

/** Returns the addresses of the pages found for a query, best first. */
type Search = (query: string) => string[];

/** Pages found for graded questions about the documentation of others, as a user's folders beside the product's own texts, without a language model. */
export async function run({ corpora }: { corpora?: string | undefined }): Promise<void> {
  if (corpora === undefined) {
    console.log(
      `skipped: --corpora DIR names the folder with ${dataset} and ${Object.values(libraries)
        .map(({ folder }) => folder)
        .join(', ')}`,
    );
    return;
  }
  const { entries } = parse(await readFile(join(corpora, dataset), 'utf8')) as { entries: { vars: Graded }[] };
  const queries = entries.map(({ vars }) => vars).filter(({ library }) => library in libraries);
  const own = await createReferenceIndex(join(repository, 'docs'));
  const indexes = new Map<string, { corpus: Corpus; index: SearchIndex }>();
  for (const [name, { folder, site }] of Object.entries(libraries)) {
    const actual = realpathSync(join(corpora, folder));
    const { files } = await textFiles(actual);
    const addressed = files.map(({ path, name: file }) => ({ path, address: pageOf(site + file) }));
    const start = performance.now();
    const corpus = await readCorpus(addressed);
    const file = new DatabaseSync(':memory:');
    await storeIndex(file, corpus);
    const { pages, passages } = corpus;
    console.log(
      `${name}: ${pages.length} pages, ${passages.length} passages, read and indexed in ${Math.round(performance.now() - start)} ms`,
    );
    indexes.set(name, { corpus, index: openIndex(file) });
  }
  const times: number[] = [];
  for (const [how, sourcesOf] of [
    [
      'one source a library',
      (library: string) => [...indexes].flatMap(([name, one]) => (name === library ? [one] : [])),
    ],
    ['all three together', () => [...indexes.values()]],
  ] as const) {
    const baselines = new Map<string, { pages: Search; sections: Search }>();
    const baseline = (library: string) => {
      const known = baselines.get(library) ?? plainSearches(sourcesOf(library).map(({ corpus }) => corpus));
      baselines.set(library, known);
      return known;
    };
    const search = (library: string, query: string) =>
      find(query, [own, ...sourcesOf(library).map(({ index }) => index)]);
    const evidence = ({ library, query }: Graded) => {
      const start = performance.now();
      const found = answerFrom(query, search(library, query));
      times.push(performance.now() - start);
      return (found?.evidence ?? []).map(({ pathOrUrl }) => pageOf(pathOrUrl));
    };
    const mean = meanOf(queries.map((graded) => figuresOf(graded, evidence(graded))));
    console.log(how);
    const least = how.startsWith('one') ? 0.8 : 0.77;
    printTarget('evidence, MRR', mean.mrr, `>= ${least}`, mean.mrr >= least);
    printTarget('evidence, nDCG@5', mean.ndcg, `>= ${least - 0.06}`, mean.ndcg >= least - 0.06);
    print('evidence', mean);
    const ranked = ({ library, query }: Graded) =>
      evidenceOf(search(library, query).hits).map(({ pathOrUrl }) => pageOf(pathOrUrl));
    print('evidence if nothing is declined', meanOf(queries.map((graded) => figuresOf(graded, ranked(graded)))));
    for (const kind of ['pages', 'sections'] as const)
      print(
        `plain BM25 over ${kind}`,
        meanOf(queries.map((graded) => figuresOf(graded, baseline(graded.library)[kind](graded.query)))),
      );
  }
  printTarget('time of an answer, median ms', median(times), '< 15', median(times) < 15);
}

/** MiniSearch as it is, with its own words, over whole pages and over the text of passages. */
function plainSearches(sources: readonly Corpus[]): { pages: Search; sections: Search } {
  const sections = new MiniSearch<{ id: number; text: string; page: string }>({
    fields: ['text'],
    storeFields: ['page'],
  });
  const pages = new MiniSearch<{ id: string; text: string }>({ fields: ['text'] });
  let id = 0;
  for (const corpus of sources)
    for (const [number, { address, title }] of corpus.pages.entries()) {
      const passages = corpus.passages.filter(({ page }) => page === number);
      const texts = passages.map((passage) => `${passage.headings.at(-1) ?? ''}\n${textOf(passage)}`);
      for (const text of texts) sections.add({ id: id++, text, page: address });
      pages.add({ id: address, text: [title, ...texts].join('\n') });
    }
  return {
    pages: (query) => pages.search(query).map((found) => found.id as string),
    sections: (query) => sections.search(query).map((found) => found.page as string),
  };
}

interface Figures {
  mrr: number;
  ndcg: number;
  recall: number;
  hit: number;
}

function figuresOf({ qrels }: Graded, found: readonly string[]): Figures {
  const pages = [...new Set(found)].slice(0, shown);
  const grades = new Map(qrels.map(({ url, grade }) => [pageOf(url), grade]));
  const first = pages.findIndex((page) => grades.has(page));
  const gain = (all: readonly number[]) =>
    all.slice(0, shown).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
  const best = [...grades.values()].sort((one, other) => other - one);
  return {
    mrr: first === -1 ? 0 : 1 / (first + 1),
    ndcg: gain(pages.map((page) => grades.get(page) ?? 0)) / gain(best),
    recall: pages.filter((page) => grades.has(page)).length / grades.size,
    hit: Number(first === 0),
  };
}

function meanOf(figures: readonly Figures[]): Figures {
  const mean = (name: keyof Figures) => figures.reduce((sum, one) => sum + one[name], 0) / figures.length;
  return { mrr: mean('mrr'), ndcg: mean('ndcg'), recall: mean('recall'), hit: mean('hit') };
}

function print(name: string, { mrr, ndcg, recall, hit }: Figures): void {
  console.log(
    `  ${name}: MRR ${mrr.toFixed(3)}, nDCG@5 ${ndcg.toFixed(3)}, Recall@5 ${recall.toFixed(3)}, Hit@1 ${hit.toFixed(3)}`,
  );
}

/** The page of a URL, in the form in which all variants of its address are the same. */
function pageOf(url: string): string {
  return url
    .replace(/[#?].*$/, '')
    .replace(/\/$/, '')
    .replace(/\.(?:md|mdx|html)$/, '')
    .replace(/\/index$/, '');
}
