/** Schedules in words, as cron expressions. */

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** What a schedule in words can look like, for messages. */
export const scheduleExamples =
  '"every 30 minutes", "hourly", "daily at 9:00", "weekdays at 8:30", "every monday at 9am" or "monthly"';

/** Returns the cron expression of a schedule in words; undefined if it isn't understood. */
export function cronOfWords(text: string): string | undefined {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const step = /^every (?:(\d{1,2}) )?(minute|hour|day)s?$/.exec(words);
  if (step) return stepCron(Number(step[1] ?? 1), step[2] ?? '');
  if (words === 'hourly') return '0 * * * *';
  const named = /^(?:every )?([a-z]+?)(?: (?:at )?(\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/.exec(words);
  if (!named) return undefined;
  const [, name = '', hours = '0', minutes = '0', half] = named;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59) return undefined;
  const day = dayFields(name);
  return day && `${Number(minutes)} ${hour} ${day}`;
}

/** Returns a text that looks like a cron expression of five fields, with single spaces; undefined for other texts. */
export function cronFields(text: string): string | undefined {
  const fields = text.trim().split(/\s+/);
  return fields.length === 5 && fields.every((field) => /^(?:[*\d?]|[a-z]{3}\b)[\w*/,#-]*$/i.test(field))
    ? fields.join(' ')
    : undefined;
}

/** Steps that don't divide an hour, day or month would be uneven. */
function stepCron(count: number, unit: string): string | undefined {
  if (count === 1 && unit === 'minute') return '* * * * *';
  if (count === 1) return unit === 'hour' ? '0 * * * *' : '0 0 * * *';
  if (unit === 'minute' && count > 0 && 60 % count === 0) return count === 60 ? '0 * * * *' : `*/${count} * * * *`;
  if (unit === 'hour' && count > 0 && 24 % count === 0) return count === 24 ? '0 0 * * *' : `0 */${count} * * *`;
  return undefined;
}

/** Returns the fields of a cron expression for the days. */
function dayFields(name: string): string | undefined {
  if (name === 'daily' || name === 'day') return '* * *';
  if (name === 'weekly' || name === 'week') return '* * 1';
  if (name === 'monthly' || name === 'month') return '1 * *';
  if (name === 'weekdays' || name === 'weekday') return '* * 1-5';
  const day = weekdays.findIndex((weekday) => name === weekday || name === `${weekday}s`);
  return day < 0 ? undefined : `* * ${day}`;
}
