import { STATUS_CODES } from 'node:http';
import { limits } from '../../../contract/limits.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { BodyAccount } from './body-budget.ts';
import { type PageSource, UnchangedPage } from './changes/known-page.ts';
import { addressOf, readLinkHeader } from './convert/notes/declared-links.ts';
import type { ConvertResult } from './convert/tasks.ts';
import { deriveFormats } from './derived-formats.ts';
import { kindOfFile } from './file-kind.ts';
import { said, textOf } from './lack.ts';
import { createLoader, type LoadedPage, type Loader, replayOf } from './load-page.ts';
import { type Conversion, readPage } from './read-page.ts';
import type { FailedPart } from './render/failed-parts.ts';
import type { ScrapedPage, ScrapeRequest } from './scrape.ts';
import { retryAfterMs, ScrapeError, toScrapeError } from './scrape-errors.ts';
import { modelCredits, planOf, type ScrapePlan, unstoredCredits } from './scrape-plan.ts';
import type { ScraperParts } from './scraper-parts.ts';

/** Share of the timeout in which the pages of a PDF are read; the rest is for making its formats. */
const readingShare = 0.7;

/** The result for files that aren't converted. */
const notConverted: ConvertResult = { contentLinks: [], images: [], links: [], metadata: {}, need: 'no scripts' };

/** Creates a scraper that fetches pages, and renders in the browser those that need it. */
export function createScraper(parts: ScraperParts) {
  const { converters, clock, extractor } = parts;

  /** @param left returns the milliseconds left of the timeout, and throws if there are none */
  async function convert(
    page: LoadedPage,
    request: ScrapeRequest,
    plan: ScrapePlan,
    { left, memory, loader }: { left(): number; memory: BodyAccount; loader: Loader },
  ): Promise<Conversion> {
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
        division: plan.pdfDivision,
        attributes: plan.attributes,
        readingMs: deadlineMs * readingShare,
        lists: {
          links: request.allLinks === true,
          contentLinks: plan.links || request.listed === true,
          images: plan.images,
        },
        options: {
          // The name of an uploaded file isn't an address that its links could be relative to.
          url: request.file ? '' : page.url,
          ...(page.encoding !== undefined && { encoding: page.encoding }),
          onlyMainContent: options.onlyMainContent,
          onlyCleanContent: options.onlyCleanContent,
          includeTags: options.includeTags,
          excludeTags: options.excludeTags,
          removeBase64Images: options.removeBase64Images,
          markdown: plan.markdown,
          html: plan.html,
          product: plan.product,
          sketch: request.templates !== undefined,
          wording: request.wording === true,
          listed: request.listed === true,
          subjects: request.subjects === true,
        },
      },
      {
        team,
        // The converters limit what a page takes of the processor. On a busy machine that may be long.
        timeoutMs: deadlineMs,
        deadlineMs: left(),
        keepsBody: loader.keeps(page),
        signal,
      },
    );
    return { kind, result };
  }

  /** The caller's timeout includes the model; the default timeout would be too short for a local model. */
  async function withModel<Result>(
    { options, signal }: ScrapeRequest,
    leftMs: number,
    work: (signal: () => AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    let timeout: AbortSignal | undefined;
    const limited = () => {
      timeout ??= AbortSignal.timeout(options.timeout === undefined ? limits.scrapeTimeout.max : leftMs);
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

  async function read(request: ScrapeRequest, plan: ScrapePlan) {
    const deadline = clock.monotonic() + plan.limitMs;
    const left = () => {
      const ms = Math.floor(deadline - clock.monotonic());
      if (ms > 0) return ms;
      throw new ScrapeError('SCRAPE_TIMEOUT', "The page didn't load within the timeout. Set a longer timeout.");
    };
    const memory = parts.budget.open(request.team);
    const loader = createLoader(parts, request, plan, left, memory.reserve);
    const means = { left, memory, loader };
    // A model may take minutes, and so may what is read again.
    const found = await readPage(request, plan, loader, (loaded) => convert(loaded, request, plan, means)).finally(
      memory.release,
    );
    const { page, conversion, because } = found;
    const warnings = [...said(page.doubt), ...found.warnings];
    const { kind, result } = conversion;
    if (kind === undefined) throw unsupported(page);
    // A copy couldn't say what it lacks.
    if (warnings.length === 0) loader.keep(page, because);
    const { failedParts = [] } = page;
    return {
      ...found,
      warnings,
      kind,
      result,
      leftMs: Math.max(1, Math.floor(deadline - clock.monotonic())),
      finalUrl: page.url,
      statusCode: page.status,
      rendered: page.rendered,
      ...(failedParts.length > 0 && { failedParts: { retryAfterMs: longestWait(failedParts, clock.now()) } }),
    };
  }

  async function scrape(request: ScrapeRequest): Promise<ScrapedPage> {
    const { options, url } = request;
    const plan = planOf(options, extractor.status(request.team));
    const first = await read(request, plan);
    const again = () => read({ ...request, templates: undefined }, plan);
    const { page, kind, result, because, warnings, asksToLogIn, leftMs, ...reading } =
      (await request.improve?.(first, again)) ?? first;
    const { status, cachedAt } = page;
    const derived = await withModel(request, leftMs, (modelSignal) =>
      deriveFormats(parts, plan, { ...request, markdown: result.markdown, status, cachedAt }, modelSignal),
    );

    const extra = (derived.usedModel ? modelCredits : 0) + (request.unstored ? unstoredCredits : 0);
    const creditsUsed = Math.max(1, result.numPages ?? 1) + extra;
    const rawBase64 = kind === 'pdf' && plan.pdfPages === 0 ? Buffer.from(page.body).toString('base64') : undefined;
    // Published clients look for the file in its Markdown.
    const markdown = rawBase64 ?? result.markdown;
    const requested = new Set(options.formats.map(({ type }) => type));
    const isFresh = options.maxAge === 0 || (options.actions ?? []).length > 0 || requested.has('changeTracking');
    const copy = page.revalidated ? 'revalidated' : 'hit';
    const cacheState = page.cachedAt !== undefined ? copy : isFresh ? undefined : 'miss';
    const also = page.goesOn?.map((link) => shorten(link)).join(' ');
    const besidesOwn = also && `The document also contains what the site shows under another URL: ${also}`;
    const missing = [...said(result.warning), ...warnings, ...said(besidesOwn), ...said(derived.warning)];
    const warning = missing.map(textOf).join(' ');
    const retryAfter = retryAfterMs(page.retryAfter, clock.now());
    const { links: declared, ...named } = readLinkHeader(page.link, page.url);
    const ofMenus = page.menuLinks?.flatMap((link) => addressOf(link, page.url) ?? []) ?? [];
    const besides = [...declared, ...ofMenus];
    return {
      document: {
        ...(requested.has('markdown') && markdown !== undefined && { markdown }),
        ...(result.pages && { pages: result.pages }),
        ...(plan.html && result.html !== undefined && { html: result.html }),
        ...(plan.rawHtml && result.raw !== undefined && { rawHtml: result.raw }),
        ...(rawBase64 !== undefined && { rawBase64 }),
        ...(plan.links && { links: result.contentLinks }),
        ...(plan.images && { images: result.images }),
        ...(result.product && { product: result.product }),
        ...(plan.attributes && { attributes: result.attributes ?? [] }),
        ...(page.screenshot !== undefined && { screenshot: page.screenshot }),
        ...derived.fields,
        ...(page.actions && { actions: page.actions }),
        ...(warning !== '' && { warning }),
        ...(missing.some(({ actions }) => actions) && { missing }),
        ...(result.leftOut && { leftOut: result.leftOut }),
        metadata: {
          ...named,
          ...result.metadata,
          sourceURL: url,
          url: page.url,
          statusCode: page.status,
          ...(page.contentType !== undefined && { contentType: page.contentType }),
          ...(page.status >= 400 && { error: STATUS_CODES[page.status] ?? `Status ${page.status}` }),
          ...(result.numPages !== undefined && { numPages: result.numPages, totalPages: result.totalPages }),
          proxyUsed: 'basic',
          ...(cacheState && { cacheState }),
          ...(page.cachedAt !== undefined && { cachedAt: new Date(page.cachedAt).toISOString() }),
          creditsUsed,
          ...(page.queuedMs && { concurrencyLimited: true, concurrencyQueueDurationMs: page.queuedMs }),
          ...(!request.file && { readAs: page.rendered ? 'rendered' : 'fetched', readBecause: because }),
        },
      },
      links: besides.length === 0 ? result.links : [...new Set([...result.links, ...besides])],
      finalUrl: reading.finalUrl,
      statusCode: reading.statusCode,
      doubt: page.doubt,
      rendered: reading.rendered,
      ...(reading.failedParts && { failedParts: reading.failedParts }),
      contentType: page.contentType,
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
      creditsUsed,
      ...(asksToLogIn && { asksToLogIn }),
      ...(result.isLogin && { isLogin: true }),
      warnings: [...said(kind === 'html' ? undefined : result.warning), ...warnings].map(textOf),
      hidesLinks: reading.hidesLinks.map(textOf),
      choices: result.choices,
      feeds: result.feeds,
      ...(derived.version && { version: derived.version }),
      source: derived.warning === undefined && because !== 'renderingFailed' ? sourceOf(page, result) : undefined,
      wording: result.wording,
      ...(result.listed?.length && { listed: result.listed }),
      ...(result.subjects?.length && { subjects: result.subjects }),
      ...(request.listed && kind === 'html' && { contentLinks: result.contentLinks }),
      replay: replayOf(request.url, request.options, plan),
    };
  }

  return {
    /** Throws a ScrapeError if the page, its site or the options prevent the scrape. */
    async scrape(request: ScrapeRequest): Promise<ScrapedPage> {
      try {
        return await scrape(request);
      } catch (error) {
        if (error instanceof UnchangedPage) throw error;
        throw toScrapeError(error, request.signal);
      }
    },
    /** Closes the browsers that render pages and stops the converters. */
    async close(): Promise<void> {
      await Promise.all([parts.renderer.close(), converters.close()]);
    },
  };
}

/** Returns what a later scrape can compare with: what scripts show or a meta refresh leads to may change behind an unchanged page. */
function sourceOf(
  { digest, refreshed, etag, lastModified }: LoadedPage,
  { choices, feeds }: Pick<PageSource, 'choices' | 'feeds'>,
): PageSource | undefined {
  return digest === undefined || refreshed ? undefined : { etag, lastModified, body: digest, choices, feeds };
}

function unsupported(page: LoadedPage): ScrapeError {
  const type = shorten(page.contentType ?? 'an unknown type', 100);
  return new ScrapeError(
    'SCRAPE_UNSUPPORTED_FILE_ERROR',
    `The file is of type ${type}, which isn't supported. HTML, text, PDF, Office, OpenDocument, RTF, EPUB, CSV and e-mail files are.`,
  );
}

function longestWait(parts: readonly FailedPart[], now: number): number | undefined {
  const waits = parts.flatMap(({ retryAfter }) => retryAfterMs(retryAfter, now) ?? []);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}
