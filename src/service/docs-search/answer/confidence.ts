import { isWeakWord } from '../question/common-words.ts';
import { isNumber, type Query } from '../question/query.ts';
import type { Hit } from './ranking.ts';

/** At and above this the passage is taken to answer the question. */
export const confident = 0.5;

/**
 * How sure it is that a passage answers a question, as a log-odds: what of it was found, how much that tells, and what
 * stands in no text at all. The factors were fitted to questions whose answers are known (test/fixtures).
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
    if (quality <= leastQuality) continue;
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
    // One rare word that was found, and little else: it may stand there for another reason.
    factors.strongest * strongest +
    factors.unknownWeight * (1 - known / total) +
    factors.unknownShare * (telling > 0 ? unknown / telling : 0)
  );
}

/** A concept found less well than this is not found. */
export const leastQuality = 0.25;

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
