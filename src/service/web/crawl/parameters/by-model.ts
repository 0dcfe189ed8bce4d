import * as z from 'zod';
import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { describeIssues } from '../../../../contract/errors.ts';
import type { LanguageModel } from '../../../platform/language-model/language-model.ts';
import { checked } from './check.ts';
import type { Derived, Draft } from './rules.ts';

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
