import { isWeakWord } from '../question/common-words.ts';
import { isNumber, type Query } from '../question/query.ts';
import type { Hit } from './ranking.ts';

/** A passage with at least this confidence answers the question. */
export const confident = 0.5;

/**
 * Returns the log-odds that a passage answers a question, from the concepts that were found, their weights, and the
 * words that are in no text. The factors were fitted to questions with known answers (test/fixtures).
 */
export function confidence({ concepts }: Query, hit: Hit): number {
  let total = 0;
  let known = 0;
  let found = 0;
  let strongest = 0;
  let telling = 0;
  let unknown = 0;
  let foundTelling = 0;
  for (const [number, concept] of concepts.entries()) {
    const quality = hit.all[number] ?? 0;
    total += concept.weight;
    found += concept.weight * quality;
    if (!concept.unknown) known += concept.weight;
    if (isWeakWord(concept.words) || isNumber(concept.words)) continue;
    telling++;
    if (concept.unknown) unknown++;
    if (quality <= minQuality) continue;
    foundTelling++;
    strongest = Math.max(strongest, concept.weight * quality);
  }
  if (total === 0) return Number.NEGATIVE_INFINITY;
  return (
    factors.base +
    factors.score * hit.score +
    factors.coverage * hit.coverage +
    factors.share * hit.share +
    factors.knownCoverage * (known > 0 ? found / known : 0) +
    factors.found * foundTelling +
    factors.weight * found +
    // A single rare word, with little else found, may be there by chance.
    factors.strongest * strongest +
    factors.unknownWeight * (1 - known / total) +
    factors.unknownShare * (telling > 0 ? unknown / telling : 0)
  );
}

/** A concept with a lower quality counts as not found. */
export const minQuality = 0.25;

const factors = {
  base: -6,
  score: 3.95,
  coverage: 3,
  share: 1.5,
  knownCoverage: 1.1,
  weight: 0.11,
  found: 0.96,
  strongest: -0.37,
  unknownWeight: -2.35,
  unknownShare: -2.35,
};
