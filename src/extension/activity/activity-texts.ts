import * as l10n from '@vscode/l10n';
import { shorten } from '../../contract/shorten.ts';
import { dateAndTime, timeOfDay } from '../ui/text/dates.ts';
import { capitalized, hostOf, label, type RowTexts, shortAddress } from '../ui/text/text.ts';
import { siteErrorText } from '../ui/virtual-documents/document-text.ts';
import type { ActivityEntry } from './activity-store.ts';
import { failureOf, type JobDetails, jobWords, kindOf } from './requests.ts';

/** The texts of a request's tree row, whose tooltip is created on demand. */
export type ActivityTexts = Omit<RowTexts, 'tooltip'>;

/** A narrow view cuts the end of a row, so the title leaves room for the time. */
const maxTitle = 28;

/** Returns the texts of a request's row: what it was for, when, and for a crawl or batch how far it is. */
export function activityTexts(entry: ActivityEntry, job?: JobDetails): ActivityTexts {
  const kind = kindOf(entry.endpoint);
  const time = entry.createdAt === undefined ? '—' : timeOfDay(entry.createdAt);
  const name = entry.target ? shortAddress(entry.target, 80) : kind.name;
  const { title, site } = titleOf(entry.target) ?? { title: name, site: undefined };
  const isNamed = !entry.target || name.toLowerCase() === kind.name.toLowerCase();
  const kindName = !isNamed ? kind.name : undefined;
  const words = job ? jobWords(job) : entry.errorStatus && l10n.t('HTTP status {0}', entry.errorStatus);
  return {
    label: shorten(title, maxTitle),
    description: [time, words, site, kindName].filter(Boolean).join(' · '),
    spoken: [`${kind.name} ${name}`, words, time].filter(Boolean).join(', '),
  };
}

/** Returns a page's path as the title, and its site; undefined for a site's home page and for texts that aren't URLs. */
function titleOf(target: string | undefined): { title: string; site: string } | undefined {
  const host = target && target.length <= 10_000 ? hostOf(target) : undefined;
  if (!target || host === undefined) return undefined;
  const { pathname, search } = new URL(target);
  return pathname + search === '/' ? undefined : { title: label(pathname + search, 80), site: label(host, 60) };
}

export function activityTooltip(entry: ActivityEntry, job?: JobDetails): string {
  const kind = kindOf(entry.endpoint);
  const lines = [
    entry.target && label(entry.target, 300),
    `${capitalized(kind.name)}${entry.id ? ` ${label(entry.id, 100)}` : ''}`,
    entry.createdAt === undefined ? l10n.t('At an unknown time') : dateAndTime(entry.createdAt),
    job && capitalized(jobWords(job)),
    failureOf(job),
    entry.errorStatus && siteErrorText(entry.errorStatus),
    entry.apiVersion && l10n.t('API {0}', label(entry.apiVersion, 20)),
    noRecordReason(entry),
  ];
  return lines.filter(Boolean).join('\n');
}

/** Returns why an entry has no record to open; undefined if it has one. */
export function noRecordReason({ id, endpoint }: ActivityEntry): string | undefined {
  const kind = kindOf(endpoint);
  if (!kind.retrieval) return l10n.t("Servers don't keep records of this kind of request ({0}).", kind.name);
  return id ? undefined : l10n.t("The server didn't return an ID for this request.");
}
