/** A calendar month in UTC, as `YYYY-MM`. */
export type Month = string;

/** The month that a moment (wall-clock milliseconds) lies in. */
export function monthOf(at: number): Month {
  return new Date(at).toISOString().slice(0, 7);
}

/** The first moment of a month, and that of the next one, in milliseconds. */
export function boundsOf(month: Month): { start: number; end: number } {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return { start: Date.UTC(year, number - 1), end: Date.UTC(year, number) };
}

/** The months from the first to the last, both included; the last alone when it lies before the first. */
export function monthsBetween(first: Month, last: Month): Month[] {
  const months = [first < last ? first : last];
  for (let month = months[0] ?? last; month < last; ) {
    month = monthOf(boundsOf(month).end);
    months.push(month);
  }
  return months;
}
