/** Formats times and dates in the window's locale. Doesn't use vscode. */

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

/** Formats a date with its time of day: `2 Mar 2026, 10:42`. */
export function dateAndTime(ms: number): string {
  return formats().full.format(ms);
}

/** Formats a date: `2 Mar 2026`. */
export function dateOnly(ms: number): string {
  return formats().date.format(ms);
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
    date: new Intl.DateTimeFormat(locale, date),
    full: new Intl.DateTimeFormat(locale, { ...date, ...hours, second: '2-digit' }),
  };
}
