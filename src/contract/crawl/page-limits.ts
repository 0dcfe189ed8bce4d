import { limits } from '../limits.ts';

/** Limits of the calls about pages. */
export const pageLimits = {
  listed: { min: 1, max: 1000, default: 200 },
  /** URLs that are looked up in one call, and the longest one. */
  lookedUp: { min: 1, max: 1000, length: limits.url },
  found: { min: 1, max: 100, default: 20 },
  query: { min: 1, max: 1000 },
  /** Matches that are returned of one page. */
  matchesPerPage: 20,
  /** Characters of a match's line that are returned, around the match. */
  matchLine: 240,
} as const;
