import { randomUUID } from 'node:crypto';
import type { CrawlOptions, StartCrawlBody } from '../../contract/crawl/crawl-jobs.ts';
import { limits } from '../../contract/limits.ts';
import type { ScrapeOptions } from '../../contract/scrape/scrape.ts';
import { transaction } from '../../storage/storage.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { type Context, type Handlers, JsonText } from '../http/bind.ts';
import type { Database } from '../storage/storage.ts';
import type { Activity } from '../team/activity.ts';
import type { Ledger } from '../team/ledger.ts';
import type { Jobs } from './jobs.ts';
import { type MappedSite, mapSite, rankLinks } from './map.ts';
import { type PreviewParts, previewParameters } from './parameters/parameters.ts';
import type { Job, JobKind } from './store/job-table.ts';

type CrawlEndpoint =
  | 'startCrawl'
  | 'getCrawl'
  | 'cancelCrawl'
  | 'getCrawlErrors'
  | 'listActiveCrawls'
  | 'previewCrawlParameters'
  | 'startBatchScrape'
  | 'getBatchScrape'
  | 'cancelBatchScrape'
  | 'getBatchScrapeErrors'
  | 'mapSite';

export interface CrawlHandlerParts extends PreviewParts {
  database: Database;
  jobs: Jobs;
  activity: Activity;
  ledger: Ledger;
  /** Throws when the URL's address is blocked. */
  checkTarget(url: URL): void;
  /** Throws when the service can't scrape any page with these options. */
  checkOptions(options: ScrapeOptions, team: string): void;
}

const idempotencyHeader = 'x-idempotency-key';
const paths: Record<JobKind, string> = { crawl: '/v2/crawl', batch_scrape: '/v2/batch/scrape' };

/** Handles the endpoints for crawls, batches and maps. */
export function crawlHandlers(parts: CrawlHandlerParts): Pick<Handlers, CrawlEndpoint> {
  const { database, jobs, activity, ledger } = parts;

  const state = async (
    kind: JobKind,
    id: string,
    query: { skip?: number | undefined; limit?: number | undefined },
    context: Context,
  ) => {
    const { state: stored, documents } = await jobs.state(context.caller, kind, id, query, jobUrl(kind, id, context));
    // The documents are sent as they are stored.
    const { data: _data, ...rest } = stored;
    return new JsonText(`${JSON.stringify(rest).slice(0, -1)},"data":[${documents.join(',')}]}`);
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
        generated = options as CrawlOptions;
        const ignored = preview.notUnderstood.map((part) => `"${part}"`).join(', ');
        if (ignored !== '') warning = `These parts of the prompt were not understood: ${ignored}`;
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
    getCrawlErrors: ({ params }, { caller }) => jobs.errors(caller, 'crawl', params.jobId),
    listActiveCrawls: async (_request, { caller }) => ({
      success: true,
      crawls: (await jobs.running(caller)).filter(({ kind }) => kind === 'crawl').map(activeCrawlOf),
    }),
    previewCrawlParameters: async ({ body }, { caller, signal }) => {
      const url = new URL(body.url);
      parts.checkTarget(url);
      const { parameters, notUnderstood } = await previewParameters(
        { url, prompt: body.prompt, team: caller.team, signal },
        parts,
      );
      return { success: true, data: parameters, ...(notUnderstood.length > 0 && { notUnderstood }) };
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
      if (mapped.links.length === 0 || (timeout.aborted && !found)) throwIfFailed(mapped, timeout);
      const id = randomUUID();
      await transaction(database, async (tx) => {
        await activity.record({ id, team: caller.team, endpoint: 'map', target: body.url }, tx);
        await ledger.charge(caller, 'map', 1, tx);
      });
      return {
        success: true,
        id,
        links: search ? rankLinks(mapped.links, search) : mapped.links,
        ...(mapped.warning !== undefined && { warning: mapped.warning }),
      };
    },
  };
}

/** Throws when a map is empty because the site failed or the time ran out. */
function throwIfFailed({ failure }: MappedSite, timeout: AbortSignal): void {
  if (timeout.aborted) {
    throw new ServiceError(408, 'The site could not be mapped within the timeout. Increase `timeout` and try again.', {
      code: 'MAP_TIMEOUT',
    });
  }
  if (failure instanceof ServiceError) throw failure;
  if (failure !== undefined) throw new ServiceError(500, messageOf(failure), { code: 'MAP_FAILED' });
}

/** Returns the URL of a job. */
function jobUrl(kind: JobKind, id: string, context: Context): string {
  return `${context.baseUrl}${paths[kind]}/${id}`;
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

function withDefaults(options: CrawlOptions): CrawlOptions {
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
