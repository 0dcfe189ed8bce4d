import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { MonitorCheckPage } from '../../../contract/monitors.ts';
import type { Format } from '../../../contract/scrape/formats.ts';
import type { ScrapeDocument, ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import type { WebhookConfig } from '../../../contract/webhooks/webhooks.ts';
import { transaction } from '../../../storage/storage.ts';
import { messageOf } from '../../platform/errors.ts';
import type { JobEvent, JobEvents } from '../../platform/job-events.ts';
import type { Claim } from '../../platform/job-queue.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Database, Row } from '../../platform/storage/storage.ts';
import type { PageVersions } from '../scrape/changes/page-versions.ts';
import type { Scraper } from '../scrape/scrape.ts';
import { formatsOf, modelCredits } from '../scrape/scrape-plan.ts';
import type { ScrapeTable } from '../scrape/scrape-table.ts';
import { packDocument } from '../scrape/stored-document.ts';
import type { Judge } from './judge.ts';
import { addCredits, type CheckRow, type MonitorRow, packPage, tagOf } from './monitor-table.ts';

export interface ResultParts extends Pick<Platform, 'database' | 'clock' | 'ledger'> {
  scraper: Pick<Scraper, 'scrape'>;
  scrapes: Pick<ScrapeTable, 'insert'>;
  versions: Pick<PageVersions, 'store' | 'find'>;
  events: JobEvents;
  judge: Judge;
}

/** A check that runs. */
export interface RunningCheck {
  monitor: MonitorRow;
  check: CheckRow;
  claim: Claim;
  signal: AbortSignal;
  /** Positions of the pages that are stored already. */
  done: ReadonlySet<number>;
}

/** What a check found on a page, before it is stored. */
export interface Found {
  seq: number;
  result: MonitorCheckPage;
  /** What the page says, for the judge. */
  text?: string | undefined;
  /** What it cost that was charged already. */
  credits?: number;
  /** Stores what belongs to it. Returns the credits that it charged. */
  store?(tx: Database): Promise<number>;
}

/** Returns an event for the webhook of a monitor. */
export function eventOf(
  monitor: MonitorRow,
  check: CheckRow,
  kind: 'page' | 'check.completed',
  success: boolean,
  data: Record<string, unknown>,
): JobEvent {
  const config = monitor.webhook === null ? undefined : (JSON.parse(monitor.webhook) as WebhookConfig);
  // What sends them compares the part after the first dot.
  const events = config?.events?.map((event) => event.replace(/^monitor\./, ''));
  const webhook = config && { ...config, events };
  const { team } = monitor;
  return {
    team,
    jobId: check.id,
    type: `monitor.${kind}`,
    success,
    webhook,
    data: [{ monitorId: monitor.id, checkId: check.id, ...data }],
  };
}

/** Returns the options that a page is scraped with: its fields are compared if any were asked for, its lines otherwise. */
export function optionsOf(options: ScrapeOptions, monitorId: string): ScrapeOptions & { maxAge: number } {
  const tag = tagOf(monitorId);
  const [own] = formatsOf(options.formats, 'changeTracking');
  const [json] = formatsOf(options.formats, 'json');
  const tracking: Format = own
    ? { ...own, tag, modes: own.modes.length > 0 ? own.modes : ['git-diff'] }
    : json
      ? { type: 'changeTracking', modes: ['json'], schema: json.schema, prompt: json.prompt, tag }
      : { type: 'changeTracking', modes: ['git-diff'], tag };
  return { ...options, formats: [{ type: 'markdown' }, tracking] as ScrapeOptions['formats'], maxAge: 0 };
}

/** Returns how a page changed. One that wasn't compared failed: that isn't a change. */
export function compared(document: ScrapeDocument): Pick<MonitorCheckPage, 'status' | 'diff' | 'error'> {
  const tracking = document.changeTracking;
  if (!tracking) return { status: 'error', error: document.warning ?? 'The page could not be compared.' };
  const { changeStatus, diff, json } = tracking;
  // Where only fields are compared, other changes of the page are none.
  const isSame = changeStatus === 'changed' && !diff && isDeepStrictEqual(json, {});
  if (isSame) return { status: 'same' };
  const fields = json === undefined || json === null ? undefined : { json };
  return {
    status: changeStatus,
    ...(diff ? { diff: { ...diff, ...(fields && { json: fields.json }) } } : fields && { diff: fields }),
  };
}

/** Stores what a check found and hasn't stored, together with its events, so that a change is told once and not lost. */
export async function storeFound(parts: ResultParts, running: RunningCheck, all: readonly Found[]): Promise<void> {
  const { database, ledger, judge } = parts;
  const { monitor, check, claim, signal, done } = running;
  const judged: Found[] = [];
  for (const found of all.filter(({ seq }) => !done.has(seq))) {
    const judgment = await judge(monitor, found.result, found.text, signal);
    judged.push(judgment ? { ...found, result: { ...found.result, judgment } } : found);
  }
  if (judged.length === 0) return;
  const rows: Row<'monitor_page'>[] = [];
  for (const { seq, result } of judged) rows.push(await packPage(check.id, seq, result));
  await transaction(database, async (tx) => {
    if (!(await claim.holds(tx))) throw new Error('Another node has the check.');
    // Its monitor may have been deleted.
    if (!(await tx.selectFrom('monitor').select('id').where('id', '=', monitor.id).executeTakeFirst())) return;
    let credits = 0;
    for (const row of rows) await tx.insertInto('monitor_page').values(row).execute();
    for (const { result, store, credits: charged = 0 } of judged) {
      credits += charged + ((await store?.(tx)) ?? 0);
      if (!result.judgment) continue;
      await ledger.charge({ team: monitor.team, keyLabel: monitor.key_label }, 'scrape', modelCredits, tx);
      credits += modelCredits;
    }
    await addCredits(tx, check.id, credits);
    const events = judged.map(({ result }) => {
      const isMeaningful = result.judgment && { isMeaningful: result.judgment.meaningful };
      return eventOf(monitor, check, 'page', result.status !== 'error', { ...result, ...isMeaningful });
    });
    await parts.events.emit(events, tx);
  });
}

/** Reads a page and stores how it changed. */
export async function readPage(
  parts: ResultParts,
  running: RunningCheck,
  page: { url: string; seq: number; targetId: string; options: ScrapeOptions },
): Promise<void> {
  const { scraper, scrapes, versions, ledger, clock } = parts;
  const { monitor, signal } = running;
  const { url, seq, targetId } = page;
  const { team } = monitor;
  const id = randomUUID();
  const base = { id, targetId, url, createdAt: new Date(clock.now()).toISOString() };
  const scraped = await scraper.scrape({ url, options: optionsOf(page.options, monitor.id), team, signal }).then(
    (read) => ({ read }),
    (error: unknown) => ({ error }),
  );
  // It says nothing of the page.
  signal.throwIfAborted();
  if ('error' in scraped) {
    const result: MonitorCheckPage = { ...base, status: 'error', error: messageOf(scraped.error) };
    return await storeFound(parts, running, [{ seq, result }]);
  }
  const { read } = scraped;
  const document = await packDocument(
    { ...read.document, metadata: { ...read.document.metadata, scrapeId: id } },
    Number.POSITIVE_INFINITY,
  );
  const found: Found = {
    seq,
    result: { ...base, currentScrapeId: id, statusCode: read.statusCode, ...compared(read.document) },
    text: read.document.markdown ?? undefined,
    async store(tx) {
      const caller = { team, keyLabel: monitor.key_label };
      await scrapes.insert({ id, ...caller, url, document, replay: read.replay, createdAt: clock.now() }, tx);
      if (read.version) await versions.store([read.version], tx);
      await ledger.charge(caller, 'scrape', read.creditsUsed, tx);
      return read.creditsUsed;
    },
  };
  await storeFound(parts, running, [found]);
}
