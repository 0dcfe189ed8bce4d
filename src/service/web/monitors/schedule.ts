import { Cron } from 'croner';
import type { MonitorSchedule } from '../../../contract/monitors.ts';
import { cronOfWords, scheduleExamples } from '../../../contract/schedule-words.ts';
import { shorten } from '../../../contract/shorten.ts';
import { badRequest } from '../../platform/errors.ts';

/** When a monitor is due. */
export interface Schedule {
  cron: string;
  timezone: string;
}

/** Returns the schedule as a cron expression. Throws 400 if it is none. */
export function scheduleOf({ cron, text, timezone }: MonitorSchedule): Schedule {
  const expression = cron ?? cronOfWords(text ?? '');
  if (expression === undefined) {
    throw badRequest(
      `The schedule ${JSON.stringify(shorten(text ?? ''))} isn't understood. Use "cron", or a text such as ${scheduleExamples}.`,
    );
  }
  const schedule = { cron: expression.trim(), timezone };
  const quoted = JSON.stringify(shorten(schedule.cron));
  if (!isTimeZone(timezone))
    throw badRequest(
      `The time zone ${JSON.stringify(shorten(timezone))} isn't known. Use the name of one, such as "Europe/Berlin".`,
    );
  try {
    if (schedule.cron.split(/\s+/).length !== 5) throw new Error('it has other than five fields');
    parse(schedule);
  } catch (error) {
    const reason = shorten((error as Error).message.replace('CronPattern: ', ''));
    throw badRequest(`The schedule ${quoted} isn't valid: ${reason}. Use ${cronFormat}.`);
  }
  if (nextRun(schedule, Date.now()) === undefined)
    throw badRequest(
      `The schedule ${quoted} is never due: none of its months has such a day. Use one that a month has, or "L" for the last day of each.`,
    );
  return schedule;
}

const cronFormat =
  'minute (0 to 59), hour (0 to 23), day of the month (1 to 31), month (1 to 12) and day of the week (0 to 7), such as "0 9 * * 1-5"';

/** A February 29 that is a given day of the week comes again after at most 40 years, and nothing else is rarer. */
const mostYears = 40;

const parse = ({ cron, timezone }: Schedule) => new Cron(cron, { timezone, mode: '5-part' });

/** Returns when a schedule is due after a time, both in wall-clock milliseconds; undefined: never. */
export function nextRun({ cron, timezone }: Schedule, after: number): number | undefined {
  const year = new Date(after).getUTCFullYear();
  // Without a last year, it would look ahead by many centuries. In its time zone, it may be another year already, or still.
  const within = `0 ${cron} ${year - 1}-${year + 1 + mostYears}`;
  return new Cron(within, { timezone, mode: '7-part' }).nextRun(new Date(after))?.getTime();
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
