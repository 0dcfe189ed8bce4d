import type { CrawlParameters } from '../../../contract/crawl.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import type { LanguageModels } from '../../language-model/language-model.ts';
import type { Log } from '../../log.ts';
import { type MapParts, mapSite } from '../map.ts';
import { parametersByModel } from './by-model.ts';
import type { Draft } from './draft.ts';
import { parametersByRules } from './rules.ts';

export interface PreviewParts extends MapParts {
  models: LanguageModels;
  log: Log;
}

const mapLimits = { urls: 500, ms: 10_000 };

/**
 * Crawl parameters from a sentence and a look at the site: by a language model where there is one, else by rules.
 * Throws 400 where the sentence says nothing that can be made into one.
 */
export async function previewParameters(
  { url, prompt, team, signal }: { url: URL; prompt: string; team: string; signal: AbortSignal },
  parts: PreviewParts,
): Promise<CrawlParameters> {
  const siteUrls = await urlsOf(url, team, signal, parts);
  const draft = await understood(prompt, url, siteUrls, team, signal, parts);
  if (Object.keys(draft).length === 0) {
    throw new ServiceError(400, 'Failed to process natural language prompt. Please try rephrasing.', {
      code: 'BAD_REQUEST',
    });
  }
  return { url: url.href, ...draft };
}

async function understood(
  prompt: string,
  url: URL,
  siteUrls: string[],
  team: string,
  signal: AbortSignal,
  { models, log }: PreviewParts,
): Promise<Draft> {
  const model = models.find(team);
  if (model) {
    try {
      const draft = await parametersByModel(model, prompt, url, siteUrls, signal);
      if (draft) return draft;
      log.warn({ model: model.name }, 'the language model made no usable crawl parameters: rules do it');
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ model: model.name, reason: messageOf(error) }, 'the language model failed: rules make the parameters');
    }
  }
  return parametersByRules(prompt, url, siteUrls);
}

/** What a short look at a site finds; a site that cannot be looked at has no say. */
async function urlsOf(url: URL, team: string, signal: AbortSignal, parts: PreviewParts): Promise<string[]> {
  // Sections may lie beside the start URL's own.
  const site = new URL('/', url);
  const { links } = await mapSite(
    {
      url: site,
      team,
      signal: AbortSignal.any([signal, AbortSignal.timeout(mapLimits.ms)]),
      sitemap: 'include',
      includeSubdomains: false,
      ignoreQueryParameters: true,
      limit: mapLimits.urls,
      location: undefined,
    },
    parts,
  );
  signal.throwIfAborted();
  return links.map((link) => link.url);
}
