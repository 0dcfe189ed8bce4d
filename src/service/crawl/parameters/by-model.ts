import * as z from 'zod';
import { crawlOptionsShape } from '../../../contract/crawl-jobs.ts';
import type { LanguageModel } from '../../language-model/language-model.ts';
import type { Draft } from './draft.ts';

const { regexOnFullURL: _regex, maxConcurrency: _concurrency, ...known } = crawlOptionsShape;
/** What a model may answer: the specification's fields, each as a crawl would take it; null and `url` are passed over. */
const answer = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([name, field]) => field !== null && name !== 'url'))
      : value,
  z.strictObject(known),
);

const tries = 3;
const shownUrls = 120;
const instructions = `You turn a person's wish about crawling a web site into crawl options. Answer with one JSON object and nothing else.
Set only fields that the wish speaks of. Fields:
includePaths, excludePaths: arrays of JavaScript regular expressions, tested unanchored on the pathname with its leading slash; for the section /blog write "^/blog(/|$)"
maxDepth: path segments below the start URL; maxDiscoveryDepth: links away from the start URL
crawlEntireDomain, allowExternalLinks, allowSubdomains, ignoreQueryParameters, ignoreRobotsTxt, deduplicateSimilarURLs: booleans
sitemap: "skip", "include" or "only"; robotsUserAgent: string; delay: seconds between requests; limit: most pages
Name sections as the site's URLs show them. If the wish says nothing about crawling, answer {}.`;

/**
 * Crawl parameters by a language model, checked by schema; an answer that fails the check is sent back with what is
 * wrong with it. Undefined where no answer passed. Throws a ModelError, or the signal's reason.
 */
export async function parametersByModel(
  model: LanguageModel,
  prompt: string,
  start: URL,
  siteUrls: readonly string[],
  signal: AbortSignal,
): Promise<Draft | undefined> {
  const urls = siteUrls.slice(0, shownUrls).join('\n');
  let complaint = '';
  for (let attempt = 0; attempt < tries; attempt++) {
    const { text } = await model.complete({
      messages: [
        { role: 'system', content: instructions },
        {
          role: 'user',
          content: `Start URL: ${start.href}\nURLs of the site:\n${urls}\n\nThe wish:\n${prompt}${complaint}`,
        },
      ],
      maxTokens: 1000,
      signal,
    });
    const checked = answer.safeParse(jsonIn(text));
    if (checked.success) return checked.data as Draft;
    const problems = checked.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
    complaint = `\n\nYour last answer was not usable: ${problems.join('; ')}. Answer with the corrected JSON object alone.`;
  }
  return undefined;
}

/** The JSON object in an answer, with or without a fence and words around it. */
function jsonIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}
