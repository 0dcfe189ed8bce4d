import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { rank, vocabularyOf } from '../../src/service/assistants/docs-search/answer/ranking.ts';
import { buildIndex, type SearchIndex } from '../../src/service/assistants/docs-search/index/search-index.ts';
import { markdownFiles, readCorpus } from '../../src/service/assistants/docs-search/index/source-files.ts';
import { readQuestion } from '../../src/service/assistants/docs-search/question/query.ts';
import { printTarget } from './figures.ts';

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

/** Pages found for graded questions about the documentation of others, as a user's folder sources, without a language model. */
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
  const all: Figures[] = [];
  for (const [name, { folder, site }] of Object.entries(libraries)) {
    const addressOf = ({ name: file }: { name: string }) => pageOf(site + file);
    const index = await buildIndex(await readCorpus(await markdownFiles(join(corpora, folder)), { addressOf }));
    const queries = entries.map(({ vars }) => vars).filter(({ library }) => library === name);
    const figures = queries.map((query) => figuresOf(query, index));
    const mean = meanOf(figures);
    console.log(`${name}: ${queries.length} queries, ${index.corpus.pages.length} pages, MRR ${mean.mrr.toFixed(3)}`);
    all.push(...figures);
  }
  const { mrr, ndcg, recall, hit } = meanOf(all);
  printTarget('MRR (0.747 and 0.733 published, with embeddings)', mrr, '>= 0.70', mrr >= 0.7);
  console.log(
    `nDCG@5 ${ndcg.toFixed(3)} (0.699), Recall@5 ${recall.toFixed(3)} (0.732), Hit@1 ${hit.toFixed(3)} (0.678)`,
  );
}

interface Figures {
  mrr: number;
  ndcg: number;
  recall: number;
  hit: number;
}

function figuresOf({ query, qrels }: Graded, index: SearchIndex): Figures {
  const hits = rank(readQuestion(query, vocabularyOf([index])), [index]);
  const pages = [...new Set(hits.map(({ section }) => index.corpus.pages[section.page]?.address ?? ''))].slice(
    0,
    shown,
  );
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

/** The page of a URL, in the form in which all variants of its address are the same. */
function pageOf(url: string): string {
  return url
    .replace(/[#?].*$/, '')
    .replace(/\/$/, '')
    .replace(/\.(?:md|mdx|html)$/, '')
    .replace(/\/index$/, '');
}
