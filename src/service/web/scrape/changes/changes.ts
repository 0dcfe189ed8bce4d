import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../../contract/lenient-texts.ts';
import type { ChangeTracking } from '../../../../contract/scrape/change-tracking.ts';
import type { ChangeTrackingFormat } from '../../../../contract/scrape/formats.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { JsonAnswer } from '../../../platform/language-model/json-answer.ts';
import type { Converters } from '../convert/convert.ts';
import type { Extractor } from '../model-formats/model-formats.ts';
import type { PageTexts } from '../scraper-parts.ts';
import { diffOf } from './line-diff.ts';
import {
  type NewPageVersion,
  newPageVersion,
  type PageKey,
  type PageVersion,
  type PageVersions,
  removedPage,
} from './page-versions.ts';

export interface ChangeParts {
  versions: Pick<PageVersions, 'find'>;
  extractor: Extractor;
  converters: Pick<Converters, 'compare'>;
  clock: Clock;
}

/** A page as it is now. */
export interface CurrentPage {
  team: string;
  /** The requested URL. */
  url: string;
  /** Undefined for a file that wasn't converted. */
  markdown: string | undefined;
  status: number;
  /** Wall-clock milliseconds, if it came from the cache. */
  cachedAt: number | undefined;
  /** Whether the crawl found no link to it, and fetched it only because an earlier one did. */
  hidden: boolean;
}

interface ComparingParts {
  extractor: Extractor;
  team: string;
  signal: () => AbortSignal;
}

/** How a page changed. */
export interface Changes {
  changeTracking?: ChangeTracking;
  /** To be stored together with the document, so that a change is reported once and not lost. */
  version?: NewPageVersion;
  warning?: string;
  /** Whether a language model read the page. */
  usedModel: boolean;
}

/** Statuses of pages that no longer exist. */
const goneStatuses = [404, 410];

/** Compares a page with its last stored version. `signal` cancels what a language model does. */
export async function trackChanges(
  { versions, extractor, converters, clock }: ChangeParts,
  format: ChangeTrackingFormat,
  page: CurrentPage,
  signal: () => AbortSignal,
): Promise<Changes> {
  const { team, url, markdown, status, cachedAt, hidden } = page;
  const key: PageKey = { team, tag: format.tag ?? undefined, url };
  const isGone = goneStatuses.includes(status);
  if (status >= 400 && !isGone) {
    return notCompared(`The page returned status ${status}, so it wasn't compared with its last version.`);
  }
  const last = await versions.find(key);
  if (last && cachedAt !== undefined && cachedAt < last.scrapedAt) {
    return notCompared(
      "The cached page is older than the last version, so they weren't compared. Remove minAge and lockdown to fetch the page.",
    );
  }
  const previousScrapeAt = last ? new Date(last.scrapedAt).toISOString() : null;
  const visibility = hidden ? 'hidden' : 'visible';
  if (isGone) {
    const changeTracking = { previousScrapeAt, changeStatus: 'removed', visibility };
    return { changeTracking, ...(last && { version: removedPage(key) }), usedModel: false };
  }
  if (markdown === undefined) {
    return notCompared("The file wasn't converted to text, so it wasn't compared with its last version.");
  }
  const version = await newPageVersion(key, markdown, cachedAt ?? clock.now());
  const changeStatus = !last ? 'new' : last.digest === version.digest ? 'same' : 'changed';
  const changeTracking = { previousScrapeAt, changeStatus, visibility };
  if (!last || changeStatus !== 'changed' || format.modes.length === 0) {
    return { changeTracking, version, usedModel: false };
  }
  const shown = await show(last, markdown, format, { extractor, converters, team, signal });
  return { ...shown, changeTracking: { ...changeTracking, ...shown.changes }, version };
}

function notCompared(warning: string): Changes {
  return { usedModel: false, warning };
}

async function show(
  { markdown: previous }: PageVersion,
  current: string,
  format: ChangeTrackingFormat,
  { converters, ...parts }: ComparingParts & Pick<ChangeParts, 'converters'>,
): Promise<{ changes: Pick<ChangeTracking, 'diff' | 'json'>; usedModel: boolean; warning?: string }> {
  if (previous === undefined) {
    const warning = 'The page changed, but its last version was too long to be stored, so the changes are not shown.';
    return { changes: {}, usedModel: false, warning };
  }
  const diff = format.modes.includes('git-diff')
    ? await diffOf(await converters.compare(previous, current, parts))
    : undefined;
  const omitted = diff?.json.omittedLines;
  const cut = omitted && `The changes are long: diff.json lacks the last ${omitted} lines, which diff.text has.`;
  if (!format.modes.includes('json'))
    return { changes: { ...(diff && { diff }) }, usedModel: false, ...(cut && { warning: cut }) };
  const { value, warning } = await compareFields({ previous, current }, format, parts);
  const said = [warning, cut].filter(Boolean).join(' ');
  return { changes: { ...(diff && { diff }), json: value }, usedModel: true, ...(said && { warning: said }) };
}

/** Lets a model extract the fields of both versions and compares them, or describe the changes if there is no schema. */
async function compareFields(
  texts: PageTexts,
  { schema, prompt }: ChangeTrackingFormat,
  { extractor, team, signal }: ComparingParts,
): Promise<JsonAnswer> {
  if (!schema) return await extractor.compare(team, texts, prompt, signal());
  const previous = await extractor.extract(team, texts.previous, { schema, prompt }, signal());
  const current = await extractor.extract(team, texts.current, { schema, prompt }, signal());
  const warning = current.warning ?? previous.warning;
  return { value: changedFields(previous.value, current.value), ...(warning && { warning }) };
}

/**
 * Returns the top-level fields that differ between two objects, each with its values, null where a version lacks it; other
 * values are compared as the field `value`.
 */
export function changedFields(previous: unknown, current: unknown): Record<string, Record<keyof PageTexts, unknown>> {
  if (!isObject(previous) || !isObject(current)) {
    return isDeepStrictEqual(previous, current) ? {} : { value: { previous, current } };
  }
  const names = new Set([...Object.keys(previous), ...Object.keys(current)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(fieldOf(previous, name), fieldOf(current, name)));
  return Object.fromEntries(
    changed.map((name) => [name, { previous: fieldOf(previous, name), current: fieldOf(current, name) }]),
  );
}

function fieldOf(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : null;
}
