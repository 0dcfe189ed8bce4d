import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, printTarget, round } from './figures.ts';
import { type BenchFleet, type BenchNode, startBenchFleet } from './fleet/nodes.ts';
import { type BenchSite, startBenchSite } from './fleet/site.ts';

const nodeCount = 4;
/** Pages a second of each site at most: the crawls ask for a delay. */
const pagesPerSecond = 20;
/** The first ones warm the nodes up. */
const crawlCounts = [20, 5, 10, 20, 40];
const measuredMs = 10_000;
/** How many nodes are killed, one after another. */
const kills = Number(process.env.WEBDATA_BENCH_KILLS ?? 50);
const pagesPerJob = 40;
const parts = (process.env.WEBDATA_BENCH_PARTS ?? 'limits,kills').split(',');

/**
 * Nodes that share a database. `limits`: how many pages rate-limited crawls reach together. `kills`: what the end of nodes
 * costs. WEBDATA_BENCH_PARTS chooses among them.
 */
export async function run(): Promise<void> {
  const fleet = await startBenchFleet(nodeCount);
  try {
    if (parts.includes('limits')) await rateLimited(fleet);
    if (parts.includes('kills')) await killed(fleet);
  } finally {
    await fleet.close();
  }
}

/** Returns the processors' time so far, busy and in all. */
function processors(): { busy: number; all: number } {
  const times = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({ busy: user + nice + sys + irq, idle }));
  const busy = times.reduce((sum, time) => sum + time.busy, 0);
  return { busy, all: busy + times.reduce((sum, time) => sum + time.idle, 0) };
}

async function rateLimited(fleet: BenchFleet): Promise<void> {
  const [first] = fleet.nodes;
  const rows: Record<string, object> = {};
  for (const [index, count] of crawlCounts.entries()) {
    const sites = await Promise.all(Array.from({ length: count }, () => startBenchSite(2_000)));
    const ids = await Promise.all(
      sites.map(({ url }) =>
        startJob(first, '/v2/crawl', { url, sitemap: 'skip', limit: 2_000, delay: 1 / pagesPerSecond }),
      ),
    );
    const completed = async () =>
      Number((await fleet.query("SELECT sum(completed) AS pages FROM crawl_job WHERE status = 'scraping'"))[0]?.pages);
    // Until all run, and their frontiers are filled.
    for (let ready = 0; ready < count; await sleep(200)) {
      const [row] = await fleet.query(
        "SELECT count(*)::int AS n FROM crawl_job WHERE status = 'scraping' AND added > 30",
      );
      ready = row?.n ?? 0;
    }
    const before = { pages: await completed(), at: performance.now(), ...processors() };
    await sleep(measuredMs);
    const after = { pages: await completed(), at: performance.now(), ...processors() };
    const reached = ((after.pages - before.pages) * 1000) / (after.at - before.at);
    const [spread] = await fleet.query(
      "SELECT count(DISTINCT runner)::int AS n FROM crawl_job WHERE status = 'scraping'",
    );
    const busy = (after.busy - before.busy) / (after.all - before.all);
    const limit = count * pagesPerSecond;
    if (index > 0)
      rows[`${count} crawls`] = {
        'sum of limits, pages/s': limit,
        'reached, pages/s': round(reached),
        'of the sum, %': round((100 * reached) / limit),
        'processors busy, %': round(100 * busy),
        nodes: spread?.n,
      };
    if (index > 0 && busy < 0.9)
      printTarget(
        `${count} crawls: % of the sum of limits`,
        (100 * reached) / limit,
        'at least 90',
        reached > limit * 0.9,
      );
    await Promise.all(ids.map((id) => first?.call('DELETE', `/v2/crawl/${id}`)));
    for (const site of sites) site.close();
  }
  console.table(rows);
}

interface Acknowledged {
  path: string;
  id: string;
  pages: number;
}

/** Kills random nodes while jobs and scrapes are started at others. */
async function killed(fleet: BenchFleet): Promise<void> {
  const sites = await Promise.all(Array.from({ length: 12 }, () => startBenchSite(pagesPerJob)));
  const jobs: Acknowledged[] = [];
  const scrapes: string[] = [];
  const load = new AbortController();
  const loading = [startJobs(fleet, sites, jobs, load.signal), startScrapes(fleet, sites, scrapes, load.signal)];
  const takeovers: number[] = [];
  for (let round = 0; round < kills; round++) {
    await sleep(2_000);
    const node = fleet.nodes[randomInt(fleet.nodes.length)];
    if (!node?.isUp) continue;
    const [row] = await fleet.query(
      `SELECT id FROM node WHERE url = '${node.baseUrl}' ORDER BY started_at DESC LIMIT 1`,
    );
    const since = performance.now();
    await node.kill();
    const left = () =>
      fleet.query(`SELECT 1 FROM crawl_job WHERE runner = '${row?.id}' AND status = 'scraping' LIMIT 1`);
    if ((await left()).length === 0) {
      await node.restart();
      continue;
    }
    while ((await left()).length > 0) await sleep(50);
    takeovers.push(performance.now() - since);
    await node.restart();
  }
  load.abort();
  await Promise.all(loading);
  const node = fleet.nodes.find(({ isUp }) => isUp);
  for (let open = 1; open > 0; await sleep(500)) {
    const [row] = await fleet.query("SELECT count(*)::int AS n FROM crawl_job WHERE status = 'scraping'");
    open = row?.n ?? 0;
  }
  let lost = 0;
  let doubled = 0;
  let undone = 0;
  for (const { path, id, pages } of jobs) {
    const answer = await node?.call('GET', `${path}/${id}?limit=1000`);
    if (answer?.status !== 200) {
      lost++;
      continue;
    }
    const urls = answer.body.data.map((document: { metadata: { sourceURL: string } }) => document.metadata.sourceURL);
    if (answer.body.status !== 'completed' || new Set(urls).size < pages) undone++;
    doubled += urls.length - new Set(urls).size;
  }
  for (const id of scrapes) if ((await node?.call('GET', `/v2/scrape/${id}`))?.status !== 200) lost++;
  const [charged] = await fleet.query(
    "SELECT sum(charges)::int AS n FROM credit_usage WHERE kind IN ('crawl', 'batch_scrape')",
  );
  const [stored] = await fleet.query('SELECT count(*)::int AS n FROM crawl_document');
  console.log(`${kills} kills of ${nodeCount} nodes, ${jobs.length} jobs and ${scrapes.length} scrapes acknowledged`);
  printTarget('acknowledged records lost', lost, '0', lost === 0);
  printTarget('pages stored twice', doubled, '0', doubled === 0);
  printTarget('jobs not done', undone, '0', undone === 0);
  printTarget('charges without a page', charged?.n - stored?.n, '0', charged?.n === stored?.n);
  const seconds = median(takeovers) / 1000;
  printTarget(`seconds until jobs run elsewhere, median of ${takeovers.length}`, seconds, 'under 30', seconds < 30);
  for (const site of sites) site.close();
}

async function startJob(node: BenchNode | undefined, path: string, body: object): Promise<string> {
  const answer = await node?.call('POST', path, body);
  if (answer?.status !== 200) throw new Error(`${answer?.status}: ${JSON.stringify(answer?.body)}`);
  return answer.body.id;
}

function anyNode(fleet: BenchFleet): BenchNode | undefined {
  const up = fleet.nodes.filter(({ isUp }) => isUp);
  return up[randomInt(up.length)];
}

/** Starts crawls and batches, until it is over. A request that fails acknowledges nothing. */
async function startJobs(
  fleet: BenchFleet,
  sites: readonly BenchSite[],
  acknowledged: Acknowledged[],
  over: AbortSignal,
): Promise<void> {
  for (let count = 0; !over.aborted; count++) {
    const site = sites[count % sites.length];
    if (!site) return;
    const isCrawl = count % 2 === 0;
    const path = isCrawl ? '/v2/crawl' : '/v2/batch/scrape';
    const urls = Array.from({ length: pagesPerJob }, (_, page) => (page === 0 ? site.url : `${site.url}p${page}`));
    const body = isCrawl ? { url: site.url, sitemap: 'skip' } : { urls };
    const id = await startJob(anyNode(fleet), path, { ...body, maxConcurrency: 2 }).catch(() => undefined);
    if (id !== undefined) acknowledged.push({ path, id, pages: pagesPerJob });
    await sleep(400);
  }
}

async function startScrapes(
  fleet: BenchFleet,
  sites: readonly BenchSite[],
  acknowledged: string[],
  over: AbortSignal,
): Promise<void> {
  for (let count = 0; !over.aborted; count++) {
    const site = sites[count % sites.length];
    const answer = await anyNode(fleet)
      ?.call('POST', '/v2/scrape', { url: site?.url })
      .catch(() => undefined);
    if (answer?.status === 200) acknowledged.push(answer.body.data.metadata.scrapeId);
    await sleep(200);
  }
}
