import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { CrawlTarget, MonitorCheckPage } from '../../../contract/monitors.ts';
import { ServiceError } from '../../platform/errors.ts';
import { withDefaults } from '../crawl/handlers.ts';
import type { Jobs } from '../crawl/jobs.ts';
import type { Job } from '../crawl/store/job-table.ts';
import { type MonitorRow, targetsOf } from './monitor-table.ts';
import { compared, type Found, optionsOf, type ResultParts, type RunningCheck, storeFound } from './results.ts';

/** What a check crawls with. */
export type CheckCrawls = Pick<Jobs, 'startCrawl' | 'find' | 'follow' | 'documents' | 'errors' | 'cancel'>;

/** Documents that are read and stored at a time. */
const atATime = { count: 50, bytes: 4 * 1024 * 1024 };
/** A message of another node may be lost. */
const lookAgainMs = 30_000;

/** Crawls a site as any crawl, and stores how its pages changed. Another node goes on where it stops. */
export async function checkSite(
  parts: ResultParts & { crawls: CheckCrawls },
  running: RunningCheck,
  { target, first }: { target: CrawlTarget; first: number },
): Promise<void> {
  const { crawls, clock } = parts;
  const { check, monitor } = running;
  const caller = { team: monitor.team, keyLabel: monitor.key_label };
  const job = await ended(crawls, running, await begun());
  const resultOf = (more: Pick<MonitorCheckPage, 'url' | 'status'> & Partial<MonitorCheckPage>): MonitorCheckPage => ({
    id: randomUUID(),
    targetId: target.id ?? '',
    createdAt: new Date(clock.now()).toISOString(),
    ...more,
  });

  for (let after = 0; ; ) {
    const documents = await crawls.documents(job, after, atATime.count, atATime.bytes);
    const found = documents.map((document, index): Found => {
      const { sourceURL, url, scrapeId, statusCode, creditsUsed } = document.metadata ?? {};
      const changes = compared(document);
      return {
        seq: first + after + index,
        result: resultOf({ url: sourceURL ?? url ?? '', currentScrapeId: scrapeId, statusCode, ...changes }),
        text: document.markdown ?? undefined,
        credits: creditsUsed ?? 1,
      };
    });
    await storeFound(parts, running, found);
    after += documents.length;
    if (documents.length === 0 || after >= job.completed) break;
  }
  const { errors } = await crawls.errors(caller, 'crawl', job.id);
  const failures = errors.map(({ url, error }) => ({ url, error }));
  if (job.status !== 'completed') failures.push({ url: job.url, error: job.error ?? `The crawl is ${job.status}.` });
  const failed = failures.map(
    (failure, index): Found => ({
      seq: first + job.completed + index,
      result: resultOf({ ...failure, status: 'error' }),
    }),
  );
  await storeFound(parts, running, failed);

  /** Starts its crawl, unless another run of the check did. */
  async function begun(): Promise<Job> {
    const id = crawlIdOf(check.id, target.id ?? '');
    const found = await crawls.find(caller, 'crawl', id).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    });
    if (found) return found;
    return await crawls.startCrawl(caller, {
      id,
      url: target.url,
      options: withDefaults(target.crawlOptions),
      scrapeOptions: optionsOf(target.scrapeOptions as CrawlTarget['scrapeOptions'] & object, monitor.id),
    });
  }
}

/** Returns the ID of the crawl of a check, so that it can be found again. */
function crawlIdOf(checkId: string, targetId: string): string {
  const hex = createHash('sha256').update(`${checkId} ${targetId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Ends the crawls of a monitor that is deleted. */
export async function cancelCrawls(crawls: Pick<Jobs, 'cancel'>, monitor: MonitorRow): Promise<void> {
  const { team, key_label: keyLabel, current_check: check } = monitor;
  if (check === null) return;
  for (const { type, id } of targetsOf(monitor)) {
    // It may not have begun, or have ended.
    if (type === 'crawl')
      await crawls.cancel({ team, keyLabel }, 'crawl', crawlIdOf(check, id ?? '')).catch(() => undefined);
  }
}

/** Waits for the end of a crawl. */
async function ended(crawls: CheckCrawls, { monitor, signal }: RunningCheck, begun: Job): Promise<Job> {
  const caller = { team: monitor.team, keyLabel: monitor.key_label };
  let changed = Promise.withResolvers<void>();
  const unfollow = crawls.follow(begun.id, () => changed.resolve());
  try {
    for (;;) {
      signal.throwIfAborted();
      const job = await crawls.find(caller, 'crawl', begun.id);
      if (job.status !== 'scraping') return job;
      const waiting = new AbortController();
      await Promise.race([
        changed.promise,
        wait(lookAgainMs, undefined, { signal: AbortSignal.any([waiting.signal, signal]) }).catch(() => undefined),
      ]);
      waiting.abort();
      changed = Promise.withResolvers<void>();
    }
  } finally {
    unfollow();
  }
}
