import * as z from 'zod';
import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { describeIssues } from '../../../../contract/errors.ts';
import type { LanguageModel } from '../../../platform/language-model/language-model.ts';
import type { Draft } from './phrases.ts';
import { type Derived, parametersByRules } from './by-rules.ts';
import { lemmaOf, tokensOf } from './tokens.ts';
import { sentencesOf, type Unit } from './units.ts';

const { regexOnFullURL: _regex, maxConcurrency: _concurrency, ...known } = crawlOptionsShape;
/** The expected response: the specification's fields, each as a crawl accepts it. Null values and `url` are ignored. */
const responseSchema = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([name, field]) => field !== null && name !== 'url'))
      : value,
  z.strictObject({ ...known, notUnderstood: z.array(z.string().max(300)).max(20).optional() }),
);

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
    const answer = responseSchema.safeParse(jsonIn(text));
    if (answer.success) {
      const { notUnderstood = [], ...parameters } = answer.data;
      return { notUnderstood, ...checked(parameters as Draft, prompt, start, siteUrls) };
    }
    complaint = `\n\nYour last answer was not valid: ${describeIssues(answer.error.issues)}. Answer with the corrected JSON object and nothing else.`;
  }
  return undefined;
}

/**
 * Checks what a language model made of a sentence by the rules' own words: an amount, a path or a user agent has to be in
 * it, an option has to be named in it, and what stands beside a denial or a condition has to be read in the same way.
 * Everything else is `guessed`.
 */
function checked(
  parameters: Draft,
  prompt: string,
  start: URL,
  siteUrls: readonly string[],
): Omit<Derived, 'notUnderstood'> {
  const { parameters: read, sources, ofItems } = parametersByRules(prompt, start, siteUrls);
  const sentences = sentencesOf(tokensOf(prompt, start.hostname)).map(({ units }) => units);
  const isDoubtful = (units: Unit[]) => units.some(({ is }) => ['not', 'deny', 'except', 'condition'].includes(is));
  const plain = sentences.filter((units) => !isDoubtful(units)).flat();
  const doubtful = sentences.filter(isDoubtful).flat();
  const isIn = (text: string, units: Unit[]) => {
    const last = lemmasOf(text).at(-1);
    return units.some(({ tokens }) => tokens.some((token) => last && lemmasOf(token.text).includes(last)));
  };
  const isNamed = (name: keyof Draft, value: unknown): boolean => {
    const { includePaths = [], excludePaths = [] } = read;
    const [same, opposite, units] =
      name === 'includePaths' ? [includePaths, excludePaths, plain] : [excludePaths, includePaths, doubtful];
    if (Array.isArray(value))
      return value.every((one) => same.includes(one) || (isIn(one, units) && !opposite.includes(one)));
    if (name === 'robotsUserAgent') return isIn(String(value), [...plain, ...doubtful]);
    // Without a denial, naming an option can only mean that it is wanted.
    const isWanted = (unit: Unit) => 'wanted' in unit && (unit.wanted?.[name] === value || unit.only?.[name] === value);
    const isOption = (unit: Unit) => 'of' in unit && unit.of === name;
    const isAmount = (unit: Unit) => unit.is === 'number' || (unit.is === 'amount' && unit.name === name);
    return (
      (plain.some(isWanted) && !doubtful.some(isOption)) ||
      [...plain, ...doubtful].some((unit) => isAmount(unit) && 'value' in unit && unit.value === value)
    );
  };
  const isRead = (name: string) =>
    JSON.stringify(read[name as keyof Draft]) === JSON.stringify(parameters[name as keyof Draft]);
  const isOther = (name: keyof Draft) => !name.endsWith('Paths') && read[name] !== undefined && !isRead(name);
  const names = Object.keys(parameters) as (keyof Draft)[];
  return {
    parameters,
    ofItems: ofItems.filter((pattern) => parameters.includePaths?.includes(pattern)),
    sources: Object.fromEntries(Object.entries(sources).filter(([name]) => isRead(name))),
    guessed: names.filter((name) => !isRead(name) && (isOther(name) || !isNamed(name, parameters[name]))),
  };
}

function lemmasOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(lemmaOf);
}

/** Parses the JSON object in a response, ignoring a code fence or text around it. */
function jsonIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}
