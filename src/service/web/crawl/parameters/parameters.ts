import { sectionOf } from '../../../../contract/addresses.ts';
import type { CrawlParameters, ListedPart } from '../../../../contract/crawl/crawl.ts';
import { nextTurn, within } from '../../../platform/async.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { LanguageModels } from '../../../platform/language-model/language-model.ts';
import type { Log } from '../../../platform/log.ts';
import { type KnownSite, redirectOf } from '../map/known-site.ts';
import { type Items, itemsOf, listsOthers, unknownKinds } from '../map/lists.ts';
import type { SweepRequest, Sweeps } from '../site/sweeps.ts';
import { parametersByModel } from './by-model.ts';
import { type Derived, parametersByRules } from './by-rules.ts';
import { declaredKinds } from './declared-kinds.ts';
import { withoutEmptySections } from './empty-sections.ts';
import { notFoundIn } from './known-paths.ts';
import { beginningOf, reaching } from './reach.ts';
import { patternOf } from './sections.ts';
import { urlsOfSections } from './site.ts';

export interface PreviewParts {
  sweeps: Pick<Sweeps, 'glance' | 'read'>;
  models: LanguageModels;
  log: Log;
}

/** What a sentence becomes. */
export interface Preview extends Omit<Derived, 'parameters' | 'ofItems'> {
  parameters: CrawlParameters;
  /** The words for parts of the site of which no page was found yet, or only lists of pages in other sections. */
  notFound: string[];
  /** Parts of the site that are read only for their links. */
  lists: ListedPart[];
}

/** How long to look at the site, and at pages of the sections of which items are wanted. */
const lookMs = { site: 10_000, lists: 8_000 };
const maxRounds = 3;

/**
 * Derives crawl parameters from a sentence and a quick look at the site, with a language model if there is one and by
 * rules otherwise, with the words that each came from and those that no parameter expresses. Where a sentence wants the
 * items of a section, pages that only list them are left out.
 */
export async function previewParameters(
  request: SweepRequest & { prompt: string },
  parts: PreviewParts,
): Promise<Preview> {
  const { url } = request;
  const site = await parts.sweeps.glance(request, lookMs.site);
  let siteUrls = urlsOfSections(site);
  await nextTurn();
  let read = await derive(request, site, siteUrls, parts);
  const until = AbortSignal.any([request.signal, AbortSignal.timeout(lookMs.lists)]);
  for (let round = 0; round < maxRounds; round++) {
    const wanted = read.parameters.includePaths ?? [];
    const left = await withoutEmptySections(siteUrls, wanted, site, { ...request, signal: until }, parts.sweeps);
    if (left.length === siteUrls.length) break;
    siteUrls = left;
    read = await derive(request, site, siteUrls, parts);
  }
  const { ofItems, ...derived } = reaching(read, [url, redirectOf(site, url) ?? url]);
  const all = derived.parameters.includePaths ?? [];
  const items = new Map<string, Items>();
  const others = new Set<string>();
  for (const pattern of all.filter((one) => ofItems.includes(one)))
    for (const section of beginningOf(pattern).filter((path) => patternOf(path) === pattern)) {
      await within(lookMs.lists, readKinds(site, section, request, parts.sweeps));
      const found = itemsOf(site, section);
      if (found) items.set(pattern, found);
      else if (listsOthers(site, section)) others.add(pattern);
    }
  const includePaths = all.map((pattern) => items.get(pattern)?.pattern ?? pattern);
  const parameters = { url: url.href, ...derived.parameters, ...(items.size > 0 && { includePaths }) };
  const notFound = notFoundIn(site, read, request.prompt, others);
  return { ...derived, parameters, notFound, lists: [...items.values()].flatMap(({ lists }) => lists) };
}

/** Reads pages of a section until its lists can be told, or enough were read. */
async function readKinds(site: KnownSite, section: string, request: SweepRequest, sweeps: PreviewParts['sweeps']) {
  // A page that is read can lead to pages of other kinds.
  for (let round = 0; round < maxRounds; round++) {
    const urls = unknownKinds(site, section);
    if (urls.length === 0) return;
    await sweeps.read(urls, request);
  }
}

/** Reads a sentence with a language model if there is one, or else by rules. */
async function derive(
  { prompt, url, team, signal }: SweepRequest & { prompt: string },
  site: KnownSite,
  siteUrls: string[],
  { models, log }: PreviewParts,
): Promise<Derived> {
  const model = models.find(team);
  try {
    const derived = model && (await parametersByModel(model, prompt, url, siteUrls, signal));
    if (derived) return derived;
    if (model)
      log.warn({ model: model.name }, 'the language model returned no usable crawl parameters; using rules instead');
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ model: model?.name, reason: messageOf(error) }, 'the language model failed; using rules instead');
  }
  const home = sectionOf(url.pathname);
  const title = [...site.found.values()].find((link) => link.url === url.href)?.title;
  return parametersByRules(prompt, url, siteUrls, { declared: declaredKinds(site, home), ...(title && { title }) });
}
