import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, round } from './figures.ts';
import { killed, kills } from './fleet/kills.ts';
import { type BenchFleet, startBenchFleet, startJob } from './fleet/nodes.ts';
import { startBenchSite } from './fleet/site.ts';

const nodeCount = 4;
/** Pages a second of each site at most: the crawls ask for a delay. */
const pagesPerSecond = 20;
/** The first ones warm the nodes up. */
const crawlCounts = [20, 5, 10, 20, 40];
const measuredMs = 10_000;
/** How long the whole may take, before it is ended. */
const limitMs = 300_000 + kills * 25_000;
const parts = (process.env.WEBDATA_BENCH_PARTS ?? 'limits,kills').split(',');

/**
 * Nodes that share a database. `limits`: how many pages rate-limited crawls reach together. `kills`: what the end of nodes
 * costs. WEBDATA_BENCH_PARTS chooses among them.
 */
export async function run(): Promise<void> {
  const limit = setTimeout(() => {
    console.error(`fleet: ended after ${limitMs / 60_000} minutes`);
    process.exit(1);
  }, limitMs);
  const fleet = await startBenchFleet(nodeCount);
  try {
    if (parts.includes('limits')) await rateLimited(fleet);
    if (parts.includes('kills')) await killed(fleet);
  } finally {
    clearTimeout(limit);
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
