import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { describeIssues } from '../../../../contract/errors.ts';
import { parseJson } from '../../../platform/language-model/json-answer.ts';
import { withoutNulls } from '../../../platform/language-model/json-schema.ts';
import type { LanguageModel } from '../../../platform/language-model/language-model.ts';
import { type Derived, parametersByRules } from './by-rules.ts';
import type { Draft } from './phrases.ts';
import { lemmaOf, tokensOf } from './tokens.ts';
import { isDenial, type Sentence, sentencesOf, type Unit } from './units.ts';

const { regexOnFullURL: _regex, maxConcurrency: _concurrency, ...known } = crawlOptionsShape;
/** The expected response: the specification's fields, each as a crawl accepts it. `url` is ignored. */
const responseSchema = z.strictObject({
  ...known,
  url: z.unknown().optional(),
  notUnderstood: z.array(z.string().max(300)).max(20).optional(),
});

const maxAttempts = 3;
const maxSiteUrls = 120;
const instructions = `You turn a person's request to crawl a website into crawl options. Answer with one JSON object and nothing else.
Set only fields that the request mentions. Fields:
includePaths, excludePaths: arrays of JavaScript regular expressions, tested unanchored on the pathname with its leading slash; for the section /blog write "^/blog(/|$)"
maxDepth: path segments below the start URL; maxDiscoveryDepth: links away from the start URL
crawlEntireDomain, allowExternalLinks, allowSubdomains, ignoreQueryParameters, ignoreRobotsTxt, deduplicateSimilarURLs: booleans
sitemap: "skip", "include" or "only"; robotsUserAgent: string; delay: seconds between requests; limit: maximum number of pages
notUnderstood: array of the parts of the request that no field above expresses, in its own words, such as "with screenshots"
Name sections as the site's URLs show them. If the request says nothing about crawling, answer {}.`;

/**
 * Derives crawl parameters with a language model. A response that fails validation is sent back with its problems. What
 * it sets is checked against the words of the sentence.
 * Returns undefined if every response fails. Throws a ModelError, or the signal's reason.
 */
export async function parametersByModel(
  model: LanguageModel,
  prompt: string,
  start: URL,
  siteUrls: readonly string[],
  signal: AbortSignal,
): Promise<Derived | undefined> {
  const urls = siteUrls.slice(0, maxSiteUrls).join('\n');
  let complaint = '';
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { text } = await model.complete({
      messages: [
        { role: 'system', content: instructions },
        {
          role: 'user',
          content: `Start URL: ${start.href}\nURLs of the site:\n${urls}\n\nThe request:\n${prompt}${complaint}`,
        },
      ],
      maxTokens: 1000,
      signal,
    });
    const answer = responseSchema.safeParse(withoutNulls(parseJson(text)));
    if (answer.success) {
      const { notUnderstood = [], url, ...options } = answer.data;
      const parameters = options as Draft;
      const read = parametersByRules(prompt, start, siteUrls);
      const isRead = (name: keyof Draft) => isDeepStrictEqual(read.parameters[name], parameters[name]);
      const sources = Object.fromEntries(Object.entries(read.sources).filter(([name]) => isRead(name as keyof Draft)));
      const ofItems = read.ofItems.filter((pattern) => parameters.includePaths?.includes(pattern));
      const sentences = sentencesOf(tokensOf(prompt, start.hostname));
      return {
        parameters,
        notUnderstood,
        sources,
        ofItems,
        guessed: guessedIn(parameters, read.parameters, sentences),
      };
    }
    complaint = `\n\nYour last answer was not valid: ${describeIssues(answer.error.issues)}. Answer with the corrected JSON object and nothing else.`;
  }
  return undefined;
}

/**
 * Returns what a language model set although the sentence doesn't name it, by the rules' own words: an amount, a path or a
 * user agent has to be in the sentence, an option has to be named in it, and what stands beside a denial or a condition has
 * to be read by the rules in the same way.
 */
function guessedIn(parameters: Draft, read: Draft, sentences: readonly Sentence[]): (keyof Draft)[] {
  const isDoubtful = ({ units }: Sentence) =>
    units.some((unit) => isDenial(unit) || unit.is === 'but' || unit.is === 'condition');
  const unitsOf = (some: readonly Sentence[]) => some.flatMap(({ units }) => units);
  const plain = unitsOf(sentences.filter((sentence) => !isDoubtful(sentence)));
  const doubtful = unitsOf(sentences.filter(isDoubtful));
  const isIn = (value: unknown, units: readonly Unit[]) => {
    const words = units.flatMap(({ tokens }) => tokens.flatMap(({ text }) => lemmasOf(text)));
    return words.includes(lemmasOf(String(value)).at(-1) ?? '');
  };
  const isNamed = (name: keyof Draft): boolean => {
    const value = parameters[name];
    if (name === 'includePaths' || name === 'excludePaths') {
      const [opposite, units] = name === 'includePaths' ? [read.excludePaths, plain] : [read.includePaths, doubtful];
      const isIt = (path: string) => read[name]?.includes(path) || (isIn(path, units) && !opposite?.includes(path));
      return parameters[name]?.every(isIt) === true;
    }
    if (read[name] !== undefined) return read[name] === value;
    if (name === 'robotsUserAgent') return isIn(value, [...plain, ...doubtful]);
    const isAmount = (unit: Unit) =>
      unit.is === 'number' ? unit.value === value : unit.is === 'amount' && unit.name === name && unit.value === value;
    const isOption = (unit: Unit) => 'values' in unit && unit.of === name;
    // Without a denial, naming an option can only mean that it is wanted.
    const isWanted = (unit: Unit) => 'values' in unit && [unit.values.wanted, unit.values.only].includes(value);
    const isOptionWanted = plain.filter(isOption).some(isWanted) && !doubtful.some(isOption);
    return isOptionWanted || [...plain, ...doubtful].some(isAmount);
  };
  return (Object.keys(parameters) as (keyof Draft)[]).filter((name) => !isNamed(name));
}

const lemmasOf = (text: string): string[] => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(lemmaOf);
