import { STATUS_CODES } from 'node:http';
import { limits } from '../../contract/limits.ts';
import type { ScrapeOptions } from '../../contract/scrape/scrape.ts';
import type { BodyAccount } from './body-budget.ts';
import type { ConvertResult } from './convert/tasks.ts';
import { deriveFormats } from './derived-formats.ts';
import { type FileKind, kindOfFile } from './file-kind.ts';
import { createLoader, type LoadedPage, type Loader } from './load-page.ts';
import type { ReplayContext, ScrapedPage, ScrapeRequest, Scraper } from './scrape.ts';
import { retryAfterMs, ScrapeError, toScrapeError } from './scrape-errors.ts';
import { modelCredits, planOf, type ScrapePlan } from './scrape-plan.ts';
import type { ScraperParts } from './scraper-parts.ts';

/** Time limit for converting one page, in milliseconds. */
const conversionMs = 5000;
/** Share of the timeout in which the pages of a PDF are read; the rest is for making its formats. */
const readingShare = 0.7;
/** Maximum number of meta refreshes to follow. */
const maxRefreshes = 5;

/** The result for files that aren't converted. */
const notConverted: ConvertResult = { contentLinks: [], images: [], links: [], metadata: {}, shell: false };

interface Conversion {
  kind: FileKind | undefined;
  result: ConvertResult;
}

/** What a scrape has left. */
interface Means {
  /** Returns the milliseconds left of the timeout. Throws if there are none. */
  left(): number;
  memory: BodyAccount;
  loader: Loader;
}

/** Creates a scraper that fetches pages, and renders in the browser those that need it. */
export function createScraper(parts: ScraperParts): Scraper {
  const { converters, clock, extractor } = parts;

  async function convert(page: LoadedPage, request: ScrapeRequest, plan: ScrapePlan, means: Means) {
    const { left, memory, loader } = means;
    const { options, signal, team } = request;
    const kind = kindOfFile(page.contentType, page.body);
    if (kind === undefined || (kind === 'pdf' && plan.pdfPages === 0)) return { kind, result: notConverted };
    const deadlineMs = left();
    await memory.reserve(page.body.byteLength, () => AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
    const result = await converters.convert(
      {
        kind,
        body: page.body,
        contentType: page.contentType,
        raw: plan.rawHtml,
        maxPages: plan.pdfPages,
        pageRange: plan.pdfRange,
        attributes: plan.attributes,
        readingMs: deadlineMs * readingShare,
        lists: { links: request.allLinks === true, contentLinks: plan.links, images: plan.images },
        options: {
          // The name of an uploaded file isn't an address that its links could be relative to.
          url: request.file ? '' : page.url,
          onlyMainContent: options.onlyMainContent,
          onlyCleanContent: options.onlyCleanContent,
          includeTags: options.includeTags,
          excludeTags: options.excludeTags,
          removeBase64Images: options.removeBase64Images,
          markdown: plan.markdown,
          html: plan.html,
        },
      },
      {
        team,
        timeoutMs: kind === 'html' || kind === 'text' ? conversionMs : deadlineMs,
        deadlineMs: left(),
        keepsBody: request.file !== undefined || loader.keeps(page),
        signal,
      },
    );
    return { kind, result };
  }

  /** Loads and converts the page, rendering it if it needs scripts. */
  async function loadAndConvert(
    request: ScrapeRequest,
    plan: ScrapePlan,
    means: Means,
  ): Promise<{ page: LoadedPage; conversion: Conversion; warning?: string }> {
    const { loader } = means;
    const ask = async (load: () => Promise<LoadedPage>) => {
      request.onAsking?.(true);
      return await load().finally(() => request.onAsking?.(false));
    };
    const cached = await loader.cached();
    if (cached) request.onAsking?.(false);
    let page = cached ?? (await ask(() => (plan.needsBrowser ? loader.render() : loader.fetch(request.url))));
    let conversion = await convert(page, request, plan, means);
    if (page.rendered || (cached && !(conversion.result.shell && loader.mayFetch))) return { page, conversion };
    for (let hop = 0; hop < maxRefreshes; hop++) {
      const { refresh } = conversion.result;
      if (refresh === undefined || refresh === page.url || page.status !== 200) break;
      page = await ask(() => loader.fetch(refresh));
      conversion = await convert(page, request, plan, means);
    }
    if (!conversion.result.shell || request.options.fastMode) return { page, conversion };
    try {
      const rendered = await ask(() => loader.render());
      return { page: rendered, conversion: await convert(rendered, request, plan, means) };
    } catch (error) {
      const failure = toScrapeError(error, request.signal);
      if (failure.code === 'SCRAPE_JOB_CANCELLED' || failure.code === 'SCRAPE_TIMEOUT') throw failure;
      // The fetched page may be incomplete, but it's better than none.
      return { page, conversion, warning: `This page needs scripts, but it couldn't be rendered: ${failure.message}` };
    }
  }

  /** The caller's timeout includes the model; the default timeout would be too short for a local model. */
  async function withModel<Result>(
    { options, signal }: ScrapeRequest,
    left: () => number,
    work: (signal: () => AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    let timeout: AbortSignal | undefined;
    const limited = () => {
      timeout ??= AbortSignal.timeout(options.timeout === undefined ? limits.scrapeTimeout.max : left());
      return AbortSignal.any([signal, timeout]);
    };
    try {
      return await work(limited);
    } catch (error) {
      if (!timeout?.aborted || signal.aborted) throw error;
      const message = "The language model didn't respond within the timeout. Set a longer timeout.";
      throw new ScrapeError('SCRAPE_TIMEOUT', message, { cause: error });
    }
  }

  async function scrape(request: ScrapeRequest): Promise<ScrapedPage> {
    const { options, url } = request;
    const plan = planOf(options, extractor.status(request.team));
    const deadline = clock.monotonic() + (options.timeout ?? limits.scrapeTimeout.default + waitsOf(options));
    const left = () => {
      const ms = Math.floor(deadline - clock.monotonic());
      if (ms > 0) return ms;
      throw new ScrapeError('SCRAPE_TIMEOUT', "The page didn't load within the timeout. Set a longer timeout.");
    };
    const memory = parts.budget.open(request.team);
    const loader = createLoader(parts, request, plan, left, memory.reserve);
    const { page, conversion, warning } = await loadAndConvert(request, plan, { left, memory, loader })
      .then((loaded) => {
        if (loaded.conversion.kind !== undefined) loader.keep(loaded.page);
        return loaded;
      })
      // A model may take minutes.
      .finally(memory.release);
    const { result, kind } = conversion;
    if (kind === undefined) throw unsupported(page);
    const { status, cachedAt } = page;
    const derived = await withModel(request, left, (modelSignal) =>
      deriveFormats(parts, plan, { ...request, markdown: result.markdown, status, cachedAt }, modelSignal),
    );

    const creditsUsed = Math.max(1, result.numPages ?? 1) + (derived.usedModel ? modelCredits : 0);
    const rawBase64 = kind === 'pdf' && plan.pdfPages === 0 ? Buffer.from(page.body).toString('base64') : undefined;
    // Published clients look for the file in its Markdown.
    const markdown = rawBase64 ?? result.markdown;
    const requested = new Set(options.formats.map(({ type }) => type));
    const cacheState = options.maxAge !== undefined || page.cachedAt !== undefined;
    const warnings = [result.warning, warning, derived.warning].filter(Boolean).join(' ');
    const retryAfter = retryAfterMs(page.retryAfter, clock.now());
    return {
      document: {
        ...(requested.has('markdown') && markdown !== undefined && { markdown }),
        ...(plan.html && result.html !== undefined && { html: result.html }),
        ...(plan.rawHtml && result.raw !== undefined && { rawHtml: result.raw }),
        ...(rawBase64 !== undefined && { rawBase64 }),
        ...(plan.links && { links: result.contentLinks }),
        ...(plan.images && { images: result.images }),
        ...(plan.attributes && { attributes: result.attributes ?? [] }),
        ...(page.screenshot !== undefined && { screenshot: page.screenshot }),
        ...derived.fields,
        ...(page.actions && { actions: page.actions }),
        ...(warnings !== '' && { warning: warnings }),
        metadata: {
          ...result.metadata,
          sourceURL: url,
          url: page.url,
          statusCode: page.status,
          ...(page.contentType !== undefined && { contentType: page.contentType }),
          ...(page.status >= 400 && { error: STATUS_CODES[page.status] ?? `Status ${page.status}` }),
          ...(result.numPages !== undefined && { numPages: result.numPages }),
          proxyUsed: 'basic',
          ...(cacheState && { cacheState: page.cachedAt === undefined ? 'miss' : 'hit' }),
          ...(page.cachedAt !== undefined && { cachedAt: new Date(page.cachedAt).toISOString() }),
          creditsUsed,
        },
      },
      links: result.links,
      finalUrl: page.url,
      statusCode: page.status,
      contentType: page.contentType,
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
      creditsUsed,
      ...(derived.version && { version: derived.version }),
      rendered: page.rendered,
      replay: replayOf(request, plan),
    };
  }

  return {
    async scrape(request) {
      try {
        return await scrape(request);
      } catch (error) {
        throw toScrapeError(error, request.signal);
      }
    },
    async close() {
      await Promise.all([parts.renderer.close(), converters.close()]);
    },
  };
}

/** Milliseconds that the options themselves ask to wait; the default timeout is extended by them. */
function waitsOf({ waitFor, actions = [] }: ScrapeOptions): number {
  return actions.reduce((sum, each) => sum + (each.type === 'wait' ? (each.milliseconds ?? 0) : 0), waitFor);
}

function unsupported(page: LoadedPage): ScrapeError {
  const type = (page.contentType ?? 'an unknown type').slice(0, 100);
  return new ScrapeError(
    'SCRAPE_UNSUPPORTED_FILE_ERROR',
    `The file is of type ${type}, which isn't supported. HTML, text, PDF, Office, OpenDocument, RTF, EPUB, CSV and e-mail files are.`,
  );
}

function replayOf({ url, options }: ScrapeRequest, plan: ScrapePlan): ReplayContext {
  return {
    url,
    waitFor: options.waitFor,
    actions: options.actions ?? [],
    headers: options.headers ?? {},
    mobile: options.mobile,
    skipTlsVerification: plan.skipTlsVerification,
    location: options.location,
    profile: options.profile,
  };
}
