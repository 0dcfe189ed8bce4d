import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { describeIssues } from '../../../../contract/errors.ts';
import { parseJson } from '../../../platform/language-model/json-answer.ts';
import { withoutNulls } from '../../../platform/language-model/json-schema.ts';
import type { LanguageModel } from '../../../platform/language-model/language-model.ts';
import { type Derived, parametersByRules } from './by-rules.ts';
import { type Draft, isDenial, type Unit } from './phrases.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { siteOf } from './site.ts';
import { lemmaOf } from './tokens.ts';

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
      const isRead = ([name]: [string, unknown]) =>
        isDeepStrictEqual(read.parameters[name as keyof Draft], parameters[name as keyof Draft]);
      const sources = Object.fromEntries(Object.entries(read.sources).filter(isRead));
      const ofItems = read.ofItems.filter((pattern) => parameters.includePaths?.includes(pattern));
      const guessed = guessedIn(parameters, read.parameters, sentencesOf(prompt, siteOf(start, siteUrls)));
      return { parameters, notUnderstood, sources, ofItems, guessed };
    }
    complaint = `\n\nYour last answer was not valid: ${describeIssues(answer.error.issues)}. Answer with the corrected JSON object and nothing else.`;
  }
  return undefined;
}

/**
 * Returns what a language model set although the sentence doesn't name it, by the rules' own words. What they don't read has
 * to be in the sentence: an option or an amount beside no denial and no condition, so that it can only be wanted.
 */
function guessedIn(parameters: Draft, read: Draft, sentences: readonly Sentence[]): (keyof Draft)[] {
  const isDoubtful = (unit: Unit) => isDenial(unit) || '?b'.includes(unit.is);
  const unitsOf = (are: boolean) =>
    sentences.filter(({ units }) => units.some(isDoubtful) === are).flatMap(({ units }) => units);
  const [plain, doubtful] = [unitsOf(false), unitsOf(true)];
  const isIn = (value: unknown, units: readonly Unit[]) => {
    const words = units.flatMap(({ tokens }) => tokens.flatMap(({ text }) => lemmasOf(text)));
    return words.includes(lemmasOf(String(value)).at(-1) ?? '');
  };
  const isNamed = (name: keyof Draft, value: unknown): boolean => {
    if ([read[name]].flat().includes(value as never)) return true;
    if (name === 'includePaths') return isIn(value, plain) && !read.excludePaths?.includes(String(value));
    if (name === 'excludePaths') return isIn(value, doubtful) && !read.includePaths?.includes(String(value));
    if (read[name] !== undefined) return false;
    if (name === 'robotsUserAgent') return isIn(value, [...plain, ...doubtful]);
    return plain.some(({ is, of, value: amount, values: [wanted, , only] }) =>
      '1M'.includes(is)
        ? amount === value && (is === '1' || of === name)
        : of === name && [wanted, only].includes(value),
    );
  };
  return (Object.keys(parameters) as (keyof Draft)[]).filter(
    (name) => ![parameters[name]].flat().every((value) => isNamed(name, value)),
  );
}

const lemmasOf = (text: string): string[] => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(lemmaOf);
