import type { CrawlParameters } from '../../../../contract/crawl/crawl.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { LanguageModels } from '../../../platform/language-model/language-model.ts';
import type { Log } from '../../../platform/log.ts';
import { type MapParts, mapSite } from '../map.ts';
import { parametersByModel } from './by-model.ts';
import { type Derived, parametersByRules } from './rules.ts';

export interface PreviewParts extends MapParts {
  models: LanguageModels;
  log: Log;
}

const mapLimits = { urls: 500, ms: 10_000 };

/**
 * Derives crawl parameters from a sentence and a quick look at the site, with a language model if there is one and by
 * rules otherwise, with the words that each came from and those that no parameter expresses.
 */
export async function previewParameters(
  { url, prompt, team, signal }: { url: URL; prompt: string; team: string; signal: AbortSignal },
  parts: PreviewParts,
): Promise<Omit<Derived, 'parameters'> & { parameters: CrawlParameters }> {
  const siteUrls = await urlsOf(url, team, signal, parts);
  const derived = await derive(prompt, url, siteUrls, team, signal, parts);
  return { ...derived, parameters: { url: url.href, ...derived.parameters } };
}

async function derive(
  prompt: string,
  url: URL,
  siteUrls: string[],
  team: string,
  signal: AbortSignal,
  { models, log }: PreviewParts,
): Promise<Derived> {
  const model = models.find(team);
  if (model) {
    try {
      const derived = await parametersByModel(model, prompt, url, siteUrls, signal);
      if (derived) return derived;
      log.warn({ model: model.name }, 'the language model returned no usable crawl parameters; using rules instead');
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ model: model.name, reason: messageOf(error) }, 'the language model failed; using rules instead');
    }
  }
  return parametersByRules(prompt, url, siteUrls);
}

/** Lists URLs of a site from a quick look; empty if the site can't be read. */
async function urlsOf(url: URL, team: string, signal: AbortSignal, parts: PreviewParts): Promise<string[]> {
  const untilLate = AbortSignal.any([signal, AbortSignal.timeout(mapLimits.ms)]);
  const map = (page: URL, sitemap: 'include' | 'skip') =>
    mapSite(
      {
        url: page,
        team,
        signal: untilLate,
        sitemap,
        includeSubdomains: false,
        ignoreQueryParameters: true,
        limit: mapLimits.urls,
        location: undefined,
        // Names of sections aren't worth waiting for scripts.
        fastMode: true,
      },
      parts,
    );
  // Sections may be outside the start URL's path, and those below it may not be linked from the home page.
  const home = new URL('/', url);
  const maps = await Promise.all([...(url.href === home.href ? [] : [map(url, 'skip')]), map(home, 'include')]);
  signal.throwIfAborted();
  return [...new Set(maps.flatMap(({ links }) => links.map((link) => link.url)))];
}
