import * as l10n from '@vscode/l10n';
import type { MonitorCheck, MonitorCheckPage, MonitorSummary } from '../../contract/monitors.ts';
import { shorten } from '../../contract/shorten.ts';
import { dateAndTime, timeWithinWeek, weekdayName } from '../ui/text/dates.ts';
import { changesText, changeWord } from '../ui/text/page-texts.ts';
import { ago, count, hostOf, label, type RowTexts, serverTime, shortAddress } from '../ui/text/text.ts';
import type { Watch } from './watches-store.ts';

/** @param tells whether its changes are told in VS Code */
export function watchTexts(watch: Watch, tells: boolean, now: number): RowTexts {
  const name = label(watch.name, 60);
  const found = watch.summary && foundText(watch.summary);
  const looked = watch.lastRunAt === undefined ? l10n.t('not checked yet') : ago(now - watch.lastRunAt);
  const state = watch.checking ? l10n.t('checking…') : watch.paused ? l10n.t('paused') : undefined;
  const description = [state, ...(watch.checking ? [] : [found, looked])].filter(Boolean).join(' · ');
  return {
    label: shorten(name, 32),
    description,
    spoken: l10n.t('Watch {0}, {1}', name, description),
    tooltip: watchLines(watch, tells, now).join('\n'),
  };
}

/** Returns what a watch reads, when, and who is told. */
function watchLines(watch: Watch, tells: boolean, now: number): string[] {
  const lines: unknown[] = [
    ...watch.targets.flatMap(targetLines),
    watch.goal && l10n.t('What matters: {0}', label(watch.goal, 300)),
    timingTexts(watch, now).filter(Boolean).join(' · '),
    watch.lastRunAt !== undefined && l10n.t('Last check: {0}', dateAndTime(watch.lastRunAt)),
    toldText(watch, tells),
  ];
  return lines.filter((line): line is string => typeof line === 'string' && line !== '');
}

/** Returns how often a watch looks, and when next: `every day at 9:00`, `next Mon 09:00`. */
export function timingTexts(
  { cron, timezone, nextRunAt, paused }: Watch,
  now: number,
): [string | undefined, string | undefined] {
  const zone = timezone === windowTimeZone() ? undefined : timezone;
  const often = cron && [scheduleText(cron), zone && label(zone, 40)].filter(Boolean).join(', ');
  if (paused) return [often, l10n.t('paused')];
  return [often, nextRunAt === undefined ? undefined : l10n.t('next {0}', timeWithinWeek(nextRunAt, now))];
}

/** Returns who is told of changes. */
export function toldText({ webhookUrl }: Pick<Watch, 'webhookUrl'>, tells: boolean): string {
  const told = [
    tells && l10n.t('in VS Code'),
    webhookUrl && l10n.t('to the webhook {0}', shortAddress(webhookUrl, 60)),
  ].filter(Boolean);
  return told.length > 0
    ? l10n.t('Notifications: {0}', told.join(', '))
    : l10n.t('Notifications: none, changes are only listed');
}

/** Returns the time zone of this window's schedules. */
export function windowTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

function targetLines(target: Watch['targets'][number]): string[] {
  const { type, urls, url, queries, scrapeOptions } = target as Record<string, unknown>;
  const texts = [urls, queries, url].flat().filter((text) => typeof text === 'string');
  const parts = (scrapeOptions as { includeTags?: unknown } | undefined)?.includeTags;
  const shown = texts.slice(0, 5).map((text) => (type === 'search' ? `"${label(text, 200)}"` : label(text, 300)));
  return [
    ...shown,
    ...(texts.length > shown.length ? [l10n.t('and {0} more', texts.length - shown.length)] : []),
    ...(Array.isArray(parts) && parts.length > 0 ? [l10n.t('Only {0}', label(parts.join(', '), 200))] : []),
  ];
}

/** Returns the host of all that a watch reads; undefined if there are several. */
export function siteOf({ targets }: Pick<Watch, 'targets'>): string | undefined {
  const hosts = targets.flatMap(({ url, urls }) => [url, urls].flat().map((each) => hostOf(String(each ?? ''))));
  const known = new Set(hosts.filter((host) => host !== undefined));
  return known.size === 1 ? [...known][0] : undefined;
}

/** Returns what a check found: `2 changed, 1 failed`. */
export function foundText(summary: MonitorSummary): string {
  const { totalPages, error } = summary;
  if (totalPages === 0) return l10n.t('no pages');
  if (error === totalPages) return l10n.t("couldn't be read");
  return [changesText(summary), error > 0 && l10n.t('{0} failed', error)].filter(Boolean).join(', ');
}

/** Returns the number of pages that differ from those of the last check. */
export function differing(summary: MonitorSummary): number {
  return summary.new + summary.changed + summary.removed;
}

export function isEnded({ status }: Pick<MonitorCheck, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

export function checkTexts(check: MonitorCheck, now: number): RowTexts {
  const at = serverTime(check.startedAt ?? check.createdAt, now);
  const when = at === undefined ? l10n.t('check') : timeWithinWeek(at, now);
  const found = isEnded(check)
    ? check.status === 'skipped_no_credits'
      ? l10n.t('no credits')
      : foundText(check.summary)
    : l10n.t('checking…');
  const pages = check.summary.totalPages > 1 && count(check.summary.totalPages, 'page');
  const lines = [
    at !== undefined && dateAndTime(at),
    check.trigger === 'manual' ? l10n.t('Started manually') : undefined,
    check.error && label(check.error, 300),
    check.actualCredits && count(check.actualCredits, 'credit'),
  ];
  const description = [found, pages].filter(Boolean).join(' · ');
  return {
    label: when,
    description,
    spoken: l10n.t('Check at {0}, {1}', when, description),
    tooltip: [...lines.filter(Boolean), description].join('\n'),
  };
}

/** @param site host that its row doesn't repeat */
export function pageTexts(page: MonitorCheckPage, site?: string): RowTexts {
  const { url, status, error, judgment } = page;
  const isOfSite = site !== undefined && hostOf(url) === site;
  const full = /^https?:/.test(url) ? shortAddress(url, 200) : label(url, 100);
  const address = isOfSite ? full.slice(site.length) || '/' : full;
  const verdict = judgment && (judgment.meaningful ? l10n.t('matters') : l10n.t("doesn't matter"));
  const word = status === 'error' ? l10n.t('failed') : changeWord(status);
  const description = [word, error ? label(error, 120) : verdict].filter(Boolean).join(' · ');
  const reason = judgment && label(judgment.reason, 400);
  return {
    label: shorten(address, 40),
    description,
    spoken: l10n.t('Page {0}', `${address}, ${description}`),
    tooltip: [label(url, 500), description, reason].filter(Boolean).join('\n'),
  };
}

/** Returns a cron expression in words, such as `every day at 9:00`; the expression itself if it isn't a usual one. */
export function scheduleText(cron: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  if (month !== '*') return cron;
  const steps = `${day} ${weekday}` === '* *' ? stepText(minute, hour) : undefined;
  if (steps !== undefined) return steps;
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour)) return cron;
  const time = `${hour}:${minute.padStart(2, '0')}`;
  switch (`${day} ${weekday}`) {
    case '* *':
      return l10n.t('every day at {0}', time);
    case '* 1-5':
      return l10n.t('weekdays at {0}', time);
    case '1 *':
      return l10n.t('on the first of each month at {0}', time);
    default:
      return day === '*' && /^[0-6]$/.test(weekday)
        ? l10n.t('every {0} at {1}', weekdayName(Number(weekday)), time)
        : cron;
  }
}

function stepText(minute: string, hour: string): string | undefined {
  const every = (field: string) => Number(/^\*\/(\d{1,2})$/.exec(field)?.[1] ?? 0);
  if (hour === '*') {
    if (minute === '*') return l10n.t('every minute');
    if (minute === '0') return l10n.t('every hour');
    return every(minute) > 0 ? l10n.t('every {0}', count(every(minute), 'minute')) : undefined;
  }
  return minute === '0' && every(hour) > 0 ? l10n.t('every {0}', count(every(hour), 'hour')) : undefined;
}
