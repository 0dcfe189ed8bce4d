import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, printTarget, round } from '../figures.ts';
import { type BenchFleet, type BenchNode, startJob } from './nodes.ts';
import { type BenchSite, startBenchSite } from './site.ts';

/** How many nodes are killed, one after another. */
export const kills = Number(process.env.WEBDATA_BENCH_KILLS ?? 50);
const siteCount = 12;
const pagesPerJob = 40;
/** How long the sites take to answer, so that jobs run for seconds and most kills hit some. */
const answerMs = 200;
/** Jobs wait for others to end when so many are open: otherwise they pile up while a node is missing. */
const mostOpenJobs = 24;
/** How long jobs may wait for another node, and for their end once no node is killed anymore. */
const longestTakeoverMs = 90_000;
const longestEndMs = 180_000;

interface Acknowledged {
  path: string;
  id: string;
}

/** What nodes have acknowledged. */
interface Load {
  readonly jobs: Acknowledged[];
  readonly scrapes: string[];
}

/** Kills random nodes while jobs and scrapes are started at others, and checks what is left. One line per kill on standard error. */
export async function killed(fleet: BenchFleet): Promise<void> {
  const sites = await Promise.all(Array.from({ length: siteCount }, () => startBenchSite(pagesPerJob, answerMs)));
  const load: Load = { jobs: [], scrapes: [] };
  const over = new AbortController();
  const loading = [startJobs(fleet, sites, load, over.signal), startScrapes(fleet, sites, load, over.signal)];
  const takeovers: number[] = [];
  try {
    for (let count = 1; count <= kills; count++) {
      await sleep(2_000);
      const [node, what, seconds] = await killOne(fleet);
      if (seconds !== undefined) takeovers.push(seconds);
      const acknowledged = `${load.jobs.length} jobs and ${load.scrapes.length} scrapes acknowledged`;
      console.error(`kill ${count} of ${kills}: node ${node}, ${what}; ${acknowledged}, ${await openJobs(fleet)} open`);
    }
  } finally {
    over.abort();
    await Promise.all(loading);
  }
  console.error('waiting for the jobs that are open');
  for (const since = performance.now(); (await openJobs(fleet)) > 0; await sleep(500))
    if (performance.now() - since > longestEndMs) throw new Error(`Jobs did not end: ${await describeOpen(fleet)}`);
  await check(fleet, load);
  const seconds = median(takeovers);
  const most = round(Math.max(...takeovers));
  const what = `seconds until jobs run elsewhere, median of ${takeovers.length}, at most ${most}`;
  printTarget(what, seconds, 'under 30', seconds < 30);
  for (const site of sites) site.close();
}

/** Kills a random node, waits until its jobs run elsewhere, and starts it again. Returns its number, what happened, and how long it took. */
async function killOne(fleet: BenchFleet): Promise<[node: number, what: string, seconds?: number]> {
  const number = randomInt(fleet.nodes.length);
  const node = fleet.nodes[number] as BenchNode;
  const [row] = await fleet.query(`SELECT id FROM node WHERE url = '${node.baseUrl}' ORDER BY started_at DESC LIMIT 1`);
  const left = async () =>
    (await fleet.query(`SELECT id FROM crawl_job WHERE runner = '${row?.id}' AND status = 'scraping'`)).length;
  const since = performance.now();
  await node.kill();
  const jobs = await left();
  let what = 'which ran no job';
  let seconds: number | undefined;
  if (jobs > 0) {
    for (; (await left()) > 0; await sleep(50))
      if (performance.now() - since > longestTakeoverMs)
        throw new Error(`No node took over from node ${number}: ${await describeOpen(fleet)}`);
    seconds = (performance.now() - since) / 1000;
    what = `whose ${jobs} jobs ran elsewhere after ${round(seconds)} s`;
  }
  await node.restart();
  return [number, what, seconds];
}

async function openJobs(fleet: BenchFleet): Promise<number> {
  const [row] = await fleet.query("SELECT count(*)::int AS n FROM crawl_job WHERE status = 'scraping'");
  return row?.n ?? 0;
}

async function describeOpen(fleet: BenchFleet): Promise<string> {
  const rows = await fleet.query(
    "SELECT id, runner, added, completed FROM crawl_job WHERE status = 'scraping' ORDER BY id LIMIT 20",
  );
  return JSON.stringify(rows);
}

/** Reads everything that was acknowledged, and prints what is missing or stored twice. */
async function check(fleet: BenchFleet, { jobs, scrapes }: Load): Promise<void> {
  const node = fleet.nodes.find(({ isUp }) => isUp);
  let lost = 0;
  let doubled = 0;
  let undone = 0;
  for (const { path, id } of jobs) {
    const answer = await node?.call('GET', `${path}/${id}?limit=1000`);
    if (answer?.status !== 200) {
      lost++;
      continue;
    }
    const urls = answer.body.data.map((document: { metadata: { sourceURL: string } }) => document.metadata.sourceURL);
    if (answer.body.status !== 'completed' || new Set(urls).size < pagesPerJob) undone++;
    doubled += urls.length - new Set(urls).size;
  }
  for (const id of scrapes) if ((await node?.call('GET', `/v2/scrape/${id}`))?.status !== 200) lost++;
  const [charged] = await fleet.query(
    "SELECT sum(charges)::int AS n FROM credit_usage WHERE kind IN ('crawl', 'batch_scrape')",
  );
  const [stored] = await fleet.query('SELECT count(*)::int AS n FROM crawl_document');
  console.log(
    `${kills} kills of ${fleet.nodes.length} nodes, ${jobs.length} jobs and ${scrapes.length} scrapes acknowledged`,
  );
  printTarget('acknowledged records lost', lost, '0', lost === 0);
  printTarget('pages stored twice', doubled, '0', doubled === 0);
  printTarget('jobs not done', undone, '0', undone === 0);
  printTarget('charges without a page', charged?.n - stored?.n, '0', charged?.n === stored?.n);
}

function anyNode(fleet: BenchFleet): BenchNode | undefined {
  const up = fleet.nodes.filter(({ isUp }) => isUp);
  return up[randomInt(up.length)];
}

/** Starts crawls and batches, until it is over. A request that fails acknowledges nothing. */
async function startJobs(fleet: BenchFleet, sites: readonly BenchSite[], load: Load, over: AbortSignal): Promise<void> {
  for (let count = 0; !over.aborted; await sleep(400)) {
    if ((await openJobs(fleet)) >= mostOpenJobs) continue;
    const site = sites[count % sites.length] as BenchSite;
    const isCrawl = count++ % 2 === 0;
    const path = isCrawl ? '/v2/crawl' : '/v2/batch/scrape';
    const urls = Array.from({ length: pagesPerJob }, (_, page) => (page === 0 ? site.url : `${site.url}p${page}`));
    const body = isCrawl ? { url: site.url, sitemap: 'skip' } : { urls };
    const id = await startJob(anyNode(fleet), path, { ...body, maxConcurrency: 2 }).catch(() => undefined);
    if (id !== undefined) load.jobs.push({ path, id });
  }
}

async function startScrapes(
  fleet: BenchFleet,
  sites: readonly BenchSite[],
  load: Load,
  over: AbortSignal,
): Promise<void> {
  for (let count = 0; !over.aborted; count++) {
    const site = sites[count % sites.length];
    const answer = await anyNode(fleet)
      ?.call('POST', '/v2/scrape', { url: site?.url })
      .catch(() => undefined);
    if (answer?.status === 200) load.scrapes.push(answer.body.data.metadata.scrapeId);
    await sleep(200);
  }
}
