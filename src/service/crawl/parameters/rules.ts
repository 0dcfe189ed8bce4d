import { markAmounts } from './amounts.ts';
import { clausesOf } from './clauses/clauses.ts';
import { numbersAsDigits } from './clauses/numbers.ts';
import { plainText } from './clauses/plain-text.ts';
import type { Derived } from './draft.ts';
import { Reader } from './reader.ts';
import { createSiteSections } from './sections/site-sections.ts';
import { markLiterals, Tokens } from './tokens.ts';

const maxPromptLength = 10_000;
const maxNotUnderstood = 20;

/**
 * Derives crawl parameters from a sentence without a language model: splits it into clauses, decides for each what it
 * denies, and sets the parameters that it is about. Sets only what the sentence mentions, and reports the parts that no
 * rule reads.
 * @param siteUrls known URLs of the site, to find its sections by name
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Derived {
  const tokens = new Tokens();
  const site = createSiteSections(start, siteUrls);
  const literal = markLiterals(plainText(prompt.slice(0, maxPromptLength), start.hostname), tokens);
  const clauses = clausesOf(markAmounts(numbersAsDigits(literal), tokens));
  const readAll = (distrusted: ReadonlySet<number>) => {
    const reader = new Reader(site, tokens, distrusted);
    for (const clause of clauses) reader.read(clause);
    return reader;
  };
  let reader = readAll(new Set());
  // A denial can come after what it denies.
  if (reader.doubtful.size > 0) reader = readAll(reader.doubtful);
  const notUnderstood = reader.finish().slice(0, maxNotUnderstood);
  return { parameters: reader.parameters, notUnderstood };
}
