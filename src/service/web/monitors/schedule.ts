import { Cron } from 'croner';
import type { MonitorSchedule } from '../../../contract/monitors.ts';
import { cronOfWords, scheduleExamples } from '../../../contract/schedule-words.ts';
import { shorten } from '../../../contract/shorten.ts';
import { ServiceError } from '../../platform/errors.ts';

/** When a monitor is due. */
export interface Schedule {
  cron: string;
  timezone: string;
}

/** Returns the schedule as a cron expression. Throws 400 if it is none. */
export function scheduleOf({ cron, text, timezone }: MonitorSchedule): Schedule {
  const expression = cron ?? cronOfWords(text ?? '');
  if (expression === undefined) {
    throw badSchedule(
      `The schedule ${JSON.stringify(shorten(text ?? ''))} isn't understood. Use "cron", or a text such as ${scheduleExamples}.`,
    );
  }
  try {
    if (expression.trim().split(/\s+/).length !== 5) throw new Error('expected five fields');
    const schedule = { cron: expression.trim(), timezone };
    if (nextRun(schedule, Date.now()) === undefined) throw new Error('it is never due');
    return schedule;
  } catch (error) {
    throw badSchedule(`The schedule isn't valid: ${shorten((error as Error).message)}`);
  }
}

/** Returns when a schedule is due after a time, both in wall-clock milliseconds; undefined: never. */
export function nextRun({ cron, timezone }: Schedule, after: number): number | undefined {
  return new Cron(cron, { timezone, mode: '5-part' }).nextRun(new Date(after))?.getTime();
}

function badSchedule(message: string): ServiceError {
  return new ServiceError(400, message, { code: 'BAD_REQUEST' });
}
