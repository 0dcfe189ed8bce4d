import { randomUUID } from 'node:crypto';
import type { CrawlOptions, StartCrawlBody } from '../../../contract/crawl/crawl-jobs.ts';
import { limits } from '../../../contract/limits.ts';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import { listed, shorten } from '../../../contract/shorten.ts';
import { transaction } from '../../../storage/storage.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import { type Context, type Handlers, JsonText } from '../../platform/http/bind.ts';
import type { Database } from '../../platform/storage/storage.ts';
import type { Activity } from '../../platform/team/activity.ts';
import type { Ledger } from '../../platform/team/ledger.ts';
import { createEstimates } from './estimate.ts';
import { jobPaths, withDocuments } from './job-state.ts';
import type { Jobs } from './jobs.ts';
import { type MapParts, type MappedSite, mapSite } from './map/map.ts';
import { rankLinks } from './map/rank-links.ts';
import { type PreviewParts, previewParameters } from './parameters/parameters.ts';
import type { PathMatcher } from './scope/path-rules.ts';
import type { Sweeps } from './site/sweeps.ts';
import { type Job, type JobKind, limitOf } from './store/job-table.ts';

export interface CrawlHandlerParts extends PreviewParts, MapParts {
  sweeps: Sweeps;
  matcher: PathMatcher;
  clock: Clock;
  database: Database;
  jobs: Jobs;
  activity: Activity;
  ledger: Ledger;
  /** Throws when the URL's address is blocked. */
  checkTarget(url: URL): void;
  /** Throws when the service can't scrape any page with these options. */
  checkOptions(options: ScrapeOptions, team: string): void;
}

/** What published clients expect. */
const mapTimedOut = 'Map timed out';
const idempotencyHeader = 'x-idempotency-key';

/** Handles the endpoints for crawls, batches and maps. */
export function crawlHandlers(parts: CrawlHandlerParts) {
  const { database, jobs, activity, ledger } = parts;
  const estimate = createEstimates(parts);

  const state = async (kind: JobKind, id: string, query: Parameters<Jobs['state']>[3], context: Context) => {
    const { state: stored, documents } = await jobs.state(context.caller, kind, id, query, jobUrl(kind, id, context));
    return new JsonText(withDocuments(stored, documents));
  };
  const cancel = async (kind: JobKind, id: string, { caller }: Context) => {
    await jobs.cancel(caller, kind, id);
    return { success: true, status: 'cancelled' };
  };

  return {
    async startCrawl({ body }, context) {
      const { caller, signal } = context;
      parts.checkTarget(new URL(body.url));
      parts.checkOptions(body.scrapeOptions, caller.team);
      const requested = optionsOf(body);
      let generated: CrawlOptions | undefined;
      let warning: string | undefined;
      // Clients with a form send an empty prompt when nothing was entered.
      if (body.prompt !== undefined && body.prompt.trim() !== '') {
        const preview = await previewParameters(
          { url: new URL(body.url), prompt: body.prompt, team: caller.team, signal },
          parts,
        );
        const { url: _url, ...options } = preview.parameters;
        // What a model guessed is for a person to confirm.
        const isNamed = ([name]: [string, unknown]) => !preview.guessed.some((guess) => guess === name);
        generated = Object.fromEntries(Object.entries(options).filter(isNamed)) as CrawlOptions;
        const quoted = (parts: readonly string[]) => listed(parts.map((part) => `"${shorten(part, 58)}"`));
        const warnings = [
          ['These parts of the prompt were not understood', quoted(preview.notUnderstood)],
          [
            'Of these parts, no page was found on the site yet, or only lists of pages in other sections',
            quoted(preview.notFound),
          ],
          ['The prompt does not name these settings, so they were left out', preview.guessed.join(', ')],
        ].flatMap(([what, parts]) => (parts === '' ? [] : [`${what}: ${parts}`]));
        if (warnings.length === 0 && Object.keys(generated).length === 0) {
          warnings.push('The prompt sets no crawl options, so the defaults apply');
        }
        if (warnings.length > 0) warning = warnings.join('. ');
      }
      const options = withDefaults({ ...generated, ...requested });
      const { url, webhook } = body;
      const scrapeOptions = pageOptionsOf(body);
      const idempotencyKey = context.header(idempotencyHeader);
      const job = await jobs.startCrawl(caller, { url, options, scrapeOptions, webhook, idempotencyKey, warning });
      return {
        success: true,
        id: job.id,
        url: jobUrl('crawl', job.id, context),
        ...(generated && { promptGeneratedOptions: generated, finalCrawlerOptions: options }),
      };
    },
    getCrawl: ({ params, query }, context) => state('crawl', params.jobId, query, context),
    cancelCrawl: ({ params }, context) => cancel('crawl', params.jobId, context),
    async continueCrawl({ params, body }, { caller }) {
      const { id, options } = await jobs.continueCrawl(caller, params.jobId, body.limit);
      return { success: true, id, limit: limitOf({ kind: 'crawl', options }) };
    },
    async repeatCrawl({ params }, { caller }) {
      const { url, options, scrapeOptions, webhook } = await jobs.find(caller, 'crawl', params.jobId);
      parts.checkTarget(new URL(url));
      parts.checkOptions(scrapeOptions, caller.team);
      const again = { url, options: { ...options, since: params.jobId }, scrapeOptions, webhook };
      const { id } = await jobs.startCrawl(caller, again);
      return { success: true, id, url };
    },
    async estimateCrawl({ body }, { caller, signal }) {
      const { url, origin: _origin, integration: _integration, lookAgain: again, ...options } = body;
      parts.checkTarget(new URL(url));
      await ledger.require(caller.team, 1);
      return { success: true, ...(await estimate({ url: new URL(url), options, team: caller.team, signal, again })) };
    },
    getCrawlErrors: ({ params }, { caller }) => jobs.errors(caller, 'crawl', params.jobId),
    listActiveCrawls: async (_request, { caller }) => ({
      success: true,
      crawls: (await jobs.running(caller)).filter(({ kind }) => kind === 'crawl').map(activeCrawlOf),
    }),
    previewCrawlParameters: async ({ body }, { caller, signal }) => {
      const url = new URL(body.url);
      parts.checkTarget(url);
      const { parameters, notUnderstood, notFound, sources, guessed, lists } = await previewParameters(
        { url, prompt: body.prompt, team: caller.team, signal },
        parts,
      );
      return {
        success: true,
        data: parameters,
        sources,
        ...(notUnderstood.length > 0 && { notUnderstood }),
        ...(notFound.length > 0 && { notFound }),
        ...(guessed.length > 0 && { guessed }),
        ...(lists.length > 0 && { lists }),
      };
    },
    async startBatchScrape({ body }, context) {
      parts.checkOptions(body, context.caller.team);
      const { job, invalidUrls } = await jobs.startBatch(context.caller, body, context.header(idempotencyHeader));
      return {
        success: true,
        id: job.id,
        url: jobUrl('batch_scrape', job.id, context),
        ...(invalidUrls.length > 0 && { invalidURLs: invalidUrls }),
      };
    },
    getBatchScrape: ({ params, query }, context) => state('batch_scrape', params.jobId, query, context),
    cancelBatchScrape: ({ params }, context) => cancel('batch_scrape', params.jobId, context),
    getBatchScrapeErrors: ({ params }, { caller }) => jobs.errors(caller, 'batch_scrape', params.jobId),
    async mapSite({ body }, { caller, signal }) {
      await ledger.require(caller.team, 1);
      const url = new URL(body.url);
      parts.checkTarget(url);
      const timeout = AbortSignal.timeout(body.timeout ?? limits.scrapeTimeout.default * 2);
      const { search, ...request } = body;
      const mapped = await mapSite(
        { ...request, url, team: caller.team, signal: AbortSignal.any([signal, timeout]) },
        parts,
      );
      signal.throwIfAborted();
      // The given URL alone isn't a result.
      const found = mapped.links.some((link) => link.url !== url.href);
      if (mapped.links.length === 0 || (mapped.stopped === 'timeout' && !found)) throwIfFailed(mapped, timeout);
      const ranked = search ? await rankLinks(mapped.links, search) : undefined;
      const warning = [mapped.warning, unreadText(mapped), ranked?.note].filter(Boolean).join('\n');
      const id = randomUUID();
      await transaction(database, async (tx) => {
        await activity.record({ id, team: caller.team, endpoint: 'map', target: body.url }, tx);
        await ledger.charge(caller, 'map', 1, tx);
      });
      return {
        success: true,
        id,
        links: ranked?.links ?? mapped.links,
        read: mapped.read,
        stopped: mapped.stopped,
        ...(warning !== '' && { warning }),
        ...(mapped.startInstead && { startInstead: mapped.startInstead }),
      };
    },
  } satisfies Partial<Handlers>;
}

/** Says that a map may be a part of its site, of which it wasn't to read more. */
function unreadText({ read, leadsOn }: MappedSite): string | undefined {
  if (!leadsOn) return undefined;
  const pages = read.pages === 1 ? '1 page was' : `${read.pages} pages were`;
  return `Pages may be missing: only ${pages} read for their links. To have more read, set readPages to a higher number.`;
}

/** Throws when a map is empty because the site failed or the time ran out. */
function throwIfFailed({ failure }: MappedSite, timeout: AbortSignal): void {
  if (timeout.aborted) {
    throw new ServiceError(408, mapTimedOut, {
      code: 'MAP_TIMEOUT',
    });
  }
  if (failure instanceof ServiceError) throw failure;
  if (failure !== undefined) throw new ServiceError(500, messageOf(failure), { code: 'MAP_FAILED' });
}

/** Returns the URL of a job. */
function jobUrl(kind: JobKind, id: string, context: Context): string {
  return `${context.baseUrl}${jobPaths[kind]}/${id}`;
}

/** Returns the options of a crawl's pages: without a trace in the cache if nothing is to be stored. */
function pageOptionsOf({ scrapeOptions, zeroDataRetention }: StartCrawlBody): ScrapeOptions {
  return zeroDataRetention ? { ...scrapeOptions, storeInCache: false } : scrapeOptions;
}

function optionsOf(body: StartCrawlBody): CrawlOptions {
  const {
    url: _url,
    prompt: _prompt,
    scrapeOptions: _scrapeOptions,
    webhook: _webhook,
    origin: _origin,
    integration: _integration,
    ...options
  } = body;
  return options;
}

/** Returns the options of a crawl with those that it leaves out. */
export function withDefaults(options: CrawlOptions): CrawlOptions {
  return {
    limit: limits.crawlPages.default,
    sitemap: 'include',
    crawlEntireDomain: false,
    allowExternalLinks: false,
    allowSubdomains: false,
    ignoreRobotsTxt: false,
    ignoreQueryParameters: false,
    deduplicateSimilarURLs: true,
    regexOnFullURL: false,
    ...options,
  };
}

function activeCrawlOf(job: Job) {
  return {
    id: job.id,
    teamId: job.team,
    url: job.url,
    created_at: new Date(job.created_at).toISOString(),
    options: { ...job.options, scrapeOptions: scrapeOptionsOf(job.scrapeOptions) },
  };
}

/** Lists formats and parsers by name only, as the specification does. */
function scrapeOptionsOf({ formats, parsers, ...options }: ScrapeOptions) {
  return { formats: formats.map(({ type }) => type), ...options, parsers: parsers.map(({ type }) => type) };
}
