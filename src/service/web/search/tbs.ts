import { shorten } from '../../../contract/shorten.ts';
import { SearchError, type TimeRange } from './engine.ts';

const ranges: Readonly<Record<string, TimeRange>> = { d: 'day', w: 'week', m: 'month', y: 'year' };

/**
 * Returns the time range of a `tbs` parameter, undefined for none. Throws a SearchError that names what SearXNG has no
 * filter for: hours, several units, dates, and sorting.
 */
export function timeRangeOf(tbs: string | undefined): TimeRange | undefined {
  if (tbs === undefined || tbs.trim() === '') return undefined;
  const unit = /^qdr:([dwmy])1?$/i.exec(tbs.trim())?.[1];
  const range = unit && ranges[unit.toLowerCase()];
  if (range) return range;
  throw new SearchError(
    'BAD_REQUEST',
    `tbs: "${shorten(tbs, 60)}" isn't supported: SearXNG filters by the last day, week, month or year only, and doesn't sort by date. Use qdr:d, qdr:w, qdr:m or qdr:y.`,
  );
}
