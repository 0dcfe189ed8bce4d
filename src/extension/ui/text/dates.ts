/** Formats times and dates in the window's locale. Doesn't use vscode. */

import { serverTime } from './text.ts';

let chosen = 'en-GB';
let made: ReturnType<typeof formatsOf> | undefined;

/** Sets the locale of all times and dates; call it once, with the window's language. Unknown locales change nothing. */
export function setDateLocale(locale: string): void {
  // VS Code's own `en` says nothing about the region: keep 24 hours and the day before the month.
  if (locale === 'en') return;
  try {
    Intl.getCanonicalLocales(locale);
    chosen = locale;
    made = undefined;
  } catch {
    // Not a locale.
  }
}

/** Formats a time of day: `10:42`, with seconds `10:42:05`. */
export function timeOfDay(ms: number, seconds = false): string {
  return (seconds ? formats().toTheSecond : formats().toTheMinute).format(ms);
}

/** Formats the time of day of a server's date: `10:42`; undefined if it isn't a date. */
export function serverTimeOfDay(text: string | null | undefined): string | undefined {
  const ms = serverTime(text, Date.now());
  return ms === undefined ? undefined : timeOfDay(ms);
}

/** Formats a time within a week: `10:42` if it is today, else `Mon 10:42`. */
export function timeWithinWeek(ms: number, now: number): string {
  const isToday = new Date(ms).toDateString() === new Date(now).toDateString();
  return (isToday ? formats().toTheMinute : formats().dayOfWeek).format(ms);
}

/** Formats a date with its time of day: `2 Mar 2026, 10:42`. */
export function dateAndTime(ms: number): string {
  return formats().full.format(ms);
}

/** Formats a date: `2 Mar 2026`. */
export function dateOnly(ms: number): string {
  return formats().date.format(ms);
}

/** Returns the name of a day of the week, from Sunday (0) on. */
export function weekdayName(day: number): string {
  // The first day of 2023 was a Sunday.
  return formats().weekday.format(Date.UTC(2023, 0, 1 + day));
}

/** Formats take milliseconds to create, so they are created when the first time is shown. */
function formats() {
  made ??= formatsOf(chosen);
  return made;
}

function formatsOf(locale: string) {
  const hours = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  return {
    toTheMinute: new Intl.DateTimeFormat(locale, hours),
    toTheSecond: new Intl.DateTimeFormat(locale, { ...hours, second: '2-digit' }),
    dayOfWeek: new Intl.DateTimeFormat(locale, { weekday: 'short', ...hours }),
    weekday: new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }),
    date: new Intl.DateTimeFormat(locale, date),
    full: new Intl.DateTimeFormat(locale, { ...date, ...hours, second: '2-digit' }),
  };
}
