import type { Hit } from './ranking.ts';

/** Found weight above this, which only long questions have, says nothing more. */
const mostWeight = 25;

/**
 * Returns the log-odds that a passage answers a question, from two numbers: its score against what was possible, and how
 * much of the question's weight was found. Fitted to the open questions with known answers (test/fixtures).
 */
export function confidence({ match, found }: Hit): number {
  return -9.8 + 13.3 * match + 0.134 * Math.min(found, mostWeight);
}
