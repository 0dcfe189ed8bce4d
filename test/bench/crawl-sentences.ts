import { isDeepStrictEqual } from 'node:util';
import { parametersByRules } from '../../src/service/web/crawl/parameters/by-rules.ts';
import { contexts, denied, options, wanted } from '../fixtures/crawl-negations.ts';
import { sentences as open, site } from '../fixtures/crawl-sentences.ts';
import { asWritten, sites as writtenOf } from '../fixtures/crawl-sentences-as-written.ts';
import { blind } from '../fixtures/crawl-sentences-blind.ts';
import { heldOut } from '../fixtures/crawl-sentences-held-out.ts';
import { newSites, ofNewSites } from '../fixtures/crawl-sentences-of-new-sites.ts';
import { ofOtherSites, otherSites } from '../fixtures/crawl-sentences-of-other-sites.ts';
import { ofSites, sites } from '../fixtures/crawl-sentences-of-sites.ts';
import { ofUsers, ofUsersHeldOut, sitesOfUsers } from '../fixtures/crawl-sentences-of-users.ts';
import { printTarget } from './figures.ts';

/** Reads a sentence about the shop of the first fixtures. */
const read = (sentence: string) => parametersByRules(sentence, new URL('https://shop.test/'), site);

function readOf(all: typeof writtenOf, { site: name, sentence, parameters: expected }: (typeof asWritten)[number]) {
  const { start, urls } = all[name] as (typeof writtenOf)[string];
  return { expected, derived: parametersByRules(sentence, new URL(start), urls) };
}

function readAbout(all: typeof sites, [name, sentence, expected]: (typeof ofSites)[number]) {
  const { start, urls } = all[name] as (typeof sites)[string];
  return { expected, derived: parametersByRules(sentence, new URL(start), urls) };
}

/** How many ordinary sentences about a crawl are understood without a language model, and how many odd ones are inverted. */
export async function run(): Promise<void> {
  const sets = {
    'open set': Object.entries(open).map(([sentence, [expected]]) => ({ expected, derived: read(sentence) })),
    'first held-out set': Object.entries(heldOut).map(([sentence, expected]) => ({
      expected,
      derived: read(sentence),
    })),
    'second held-out set': blind.map(([sentence, expected]) => ({ expected, derived: read(sentence) })),
    'six sites': ofSites.map((one) => readAbout(sites, one)),
    'five new sites': ofNewSites.map((one) => readAbout(newSites, one)),
    'three other sites': ofOtherSites.map((one) => readAbout(otherSites, one)),
    'as people write': asWritten.map((one) => readOf(writtenOf, one)),
    'as developers type': ofUsers.map((one) => readOf(sitesOfUsers, one)),
    'as developers type, held out': ofUsersHeldOut.map((one) => readOf(sitesOfUsers, one)),
  };
  for (const [name, sentences] of Object.entries(sets)) {
    let inFull = 0;
    let reported = 0;
    let wrong = 0;
    for (const { expected, derived } of sentences) {
      const { parameters, notUnderstood } = derived;
      if (isDeepStrictEqual(parameters, expected)) inFull++;
      else if (Object.entries(parameters).every(([option, value]) => isPart(value, Object(expected)[option])))
        reported += notUnderstood.length > 0 ? 1 : 0;
      else wrong++;
    }
    const share = (100 * inFull) / sentences.length;
    console.log(`${name}: ${inFull} of ${sentences.length} in full, ${reported} reported as not understood`);
    printTarget('understood in full, %', share, '>= 85', share >= 85);
    printTarget('something wrong', wrong, '0', wrong === 0);
  }
  const negations = [...denied.map((one) => [one, false] as const), ...wanted.map((one) => [one, true] as const)];
  let tried = 0;
  let set = 0;
  let inverted = 0;
  for (const [one, isWanted] of negations)
    for (const context of contexts)
      for (const [thing, name, value, opposite] of options) {
        const {
          includePaths = [],
          excludePaths = [],
          ...others
        } = read(context.replace('@', () => one.replace('X', thing))).parameters;
        const has = (patterns: readonly string[]) => patterns.some((pattern) => pattern.startsWith(`^/${name}(`));
        const found = has(includePaths) ? 'include' : has(excludePaths) ? 'exclude' : Object(others)[name];
        tried++;
        if (found === (isWanted ? value : opposite)) set++;
        else if (found === (isWanted ? opposite : value)) inverted++;
      }
  console.log(`negations: ${tried} sentences, ${set} set what they say`);
  printTarget('inverted', inverted, '0', inverted === 0);
}

/** Whether a value is what was expected, or some of the paths that were. */
function isPart(value: unknown, expected: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(expected)) return value.every((one) => expected.includes(one));
  return isDeepStrictEqual(value, expected);
}
