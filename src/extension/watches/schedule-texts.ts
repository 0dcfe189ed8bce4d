import * as l10n from '@vscode/l10n';
import { weekdayName } from '../ui/text/dates.ts';
import { count } from '../ui/text/text.ts';

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
