import type { MonitorSummary, MonitorTarget } from '../../../contract/monitors.ts';
import { transaction } from '../../../storage/storage.ts';
import { workingFor } from '../../platform/asker.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Claim } from '../../platform/job-queue.ts';
import { modelCredits, needsModel } from '../scrape/scrape-plan.ts';
import type { WebSearch } from '../search/search.ts';
import { type CheckCrawls, checkSite } from './crawl-target.ts';
import { type CheckRow, donePages, findCheck, findMonitor, summaryOf, targetsOf } from './monitor-table.ts';
import { eventOf, optionsOf, type ResultParts, type RunningCheck, readPage } from './results.ts';
import { nextRun } from './schedule.ts';
import { checkSearch, seqsOfTarget } from './search-target.ts';

export interface CheckParts extends ResultParts {
  crawls: CheckCrawls;
  search: Pick<WebSearch, 'search'>;
  /** Aborts when the service stops. */
  closing: AbortSignal;
}

/** Pages that a check reads at the same time. */
const pagesAtATime = 4;
/** How long a monitor waits at least after checks that failed: doubled with each, in milliseconds. */
const backOffMs = { first: 5 * 60_000, longest: 24 * 60 * 60_000 };

/** Runs a check that is queued: reads the pages that it has not read yet. Another node goes on where it stops. */
export async function runCheck(parts: CheckParts, checkId: string, claim: Claim, givenUp?: string): Promise<void> {
  const { database, ledger, clock, closing } = parts;
  const check = await findCheck(database, checkId);
  const monitor = check && (await findMonitor(database, check.monitor));
  if (!check || !monitor || check.status !== 'queued') return;
  const signal = AbortSignal.any([claim.signal, closing]);
  const started = check.started_at ?? clock.now();
  if (check.started_at === null) {
    await database.updateTable('monitor_check').set({ started_at: started }).where('id', '=', checkId).execute();
    await database.updateTable('monitor').set({ last_run_at: started }).where('id', '=', monitor.id).execute();
  }
  const running = { monitor, check, claim, signal, done: await donePages(database, checkId) };
  let unpaid: string | undefined;
  const checkTargets = async () => {
    for (const [index, target] of targetsOf(monitor).entries()) {
      await ledger.require(monitor.team, 1);
      const first = index * seqsOfTarget;
      if (target.type === 'crawl') await checkSite(parts, running, { target, first });
      else if (target.type === 'search') await checkSearch(parts, running, { target, first });
      else await checkPages(parts, running, { target, first });
    }
  };
  try {
    if (givenUp === undefined) await workingFor({ team: monitor.team, work: checkId }, checkTargets);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 402) throw error;
    unpaid = error.message;
  }
  await finish(parts, check, claim, { unpaid, givenUp });
}

/** Reads pages, a few at a time. */
async function checkPages(
  parts: CheckParts,
  running: RunningCheck,
  { target, first }: { target: Extract<MonitorTarget, { type: 'scrape' }>; first: number },
): Promise<void> {
  const { monitor, signal, done } = running;
  const options = target.scrapeOptions as NonNullable<typeof target.scrapeOptions>;
  const waiting = target.urls.map((url, index) => ({ url, seq: first + index })).filter(({ seq }) => !done.has(seq));
  const needed = needsModel(optionsOf(options, monitor.id).formats) ? 1 + modelCredits : 1;
  let unpaid: unknown;
  async function work(): Promise<void> {
    for (let page = waiting.shift(); page && unpaid === undefined; page = waiting.shift()) {
      signal.throwIfAborted();
      try {
        await parts.ledger.require(monitor.team, needed);
      } catch (error) {
        unpaid = error;
        return;
      }
      await readPage(parts, running, { ...page, targetId: target.id ?? '', options });
    }
  }
  await Promise.all(Array.from({ length: pagesAtATime }, work));
  if (unpaid !== undefined) throw unpaid;
}

/** Why a check ends before it has read all pages. */
interface Early {
  unpaid: string | undefined;
  givenUp: string | undefined;
}

async function finish(parts: CheckParts, check: CheckRow, claim: Claim, early: Early): Promise<void> {
  const { database, clock } = parts;
  await transaction(database, async (tx) => {
    if (!(await claim.holds(tx))) throw new Error('Another node has the check.');
    const monitor = await findMonitor(tx, check.monitor);
    if (!monitor) return;
    const now = clock.now();
    const summary = await summaryOf(tx, check.id);
    const status = statusOf(summary, early);
    const error = early.unpaid ?? early.givenUp ?? (status === 'failed' ? 'No page could be read.' : null);
    await tx
      .updateTable('monitor_check')
      .set({ status, error, summary: JSON.stringify(summary), finished_at: now })
      .where('id', '=', check.id)
      .execute();
    const failures = status === 'failed' ? monitor.failures + 1 : 0;
    const wait = failures === 0 ? 0 : Math.min(backOffMs.longest, backOffMs.first * 2 ** (failures - 1));
    const due = monitor.next_run_at;
    const next = wait > 0 && due !== null && due < now + wait ? (nextRun(monitor, now + wait) ?? null) : due;
    await tx
      .updateTable('monitor')
      .set({ current_check: null, last_summary: JSON.stringify(summary), failures, next_run_at: next })
      .where('id', '=', monitor.id)
      .execute();
    await parts.events.emit([eventOf(monitor, check, 'check.completed', status !== 'failed', { status, summary })], tx);
  });
}

function statusOf({ totalPages, error }: MonitorSummary, { unpaid, givenUp }: Early): CheckRow['status'] {
  if (unpaid !== undefined) return totalPages === 0 ? 'skipped_no_credits' : 'partial';
  if (error === 0 && givenUp === undefined) return 'completed';
  return error === totalPages ? 'failed' : 'partial';
}
