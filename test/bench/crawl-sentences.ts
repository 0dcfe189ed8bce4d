import { isDeepStrictEqual } from 'node:util';
import { parametersByRules } from '../../src/service/web/crawl/parameters/rules.ts';
import { site } from '../fixtures/crawl-sentences.ts';
import { blind } from '../fixtures/crawl-sentences-blind.ts';
import { heldOut } from '../fixtures/crawl-sentences-held-out.ts';
import { printTarget } from './figures.ts';

/** How many ordinary sentences about a crawl are understood without a language model. */
export async function run(): Promise<void> {
  const sets = { 'first set': Object.entries(heldOut), 'second set': blind };
  for (const [name, sentences] of Object.entries(sets)) {
    let inFull = 0;
    let reported = 0;
    let wrong = 0;
    for (const [sentence, expected] of sentences) {
      const { parameters, notUnderstood } = parametersByRules(sentence, new URL('https://shop.test/'), site);
      const known: Record<string, unknown> = { ...expected };
      if (isDeepStrictEqual(parameters, expected)) inFull++;
      else if (Object.entries(parameters).some(([option, value]) => !isDeepStrictEqual(value, known[option]))) wrong++;
      else if (notUnderstood.length > 0) reported++;
    }
    const share = (100 * inFull) / sentences.length;
    console.log(`${name}: ${inFull} of ${sentences.length} in full, ${reported} reported as not understood`);
    printTarget('understood in full, %', share, '>= 85', share >= 85);
    printTarget('something wrong', wrong, '0', wrong === 0);
  }
}
