import type { ChangeStatus } from '../../../../contract/scrape/change-tracking.ts';
import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { type KnownPage, type PageSource, UnchangedPage } from '../../scrape/changes/known-page.ts';
import { digestOf } from '../../scrape/changes/page-versions.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';
import { parseLink } from '../scope/urls.ts';
import type { EarlierPage, EarlierPages } from '../store/earlier-pages.ts';
import type { WaitingPage } from '../store/frontier.ts';
import type { Say } from '../store/job-table.ts';

/** How a page differs from the crawl that this one repeats. */
export interface PageChange {
  status: ChangeStatus;
  /** Why a page counts as removed. */
  reason?: string | undefined;
}

/** A page of a crawl that repeats another one. */
export interface RepeatedPage {
  scraped: ScrapedPage;
  change: PageChange | undefined;
  /** Of a page that says what it said when the earlier crawl left it out: the URL of the page that said the same. */
  copyOf?: URL | undefined;
}

/** No page has these: a site that calls it unchanged doesn't compare. */
const foreign = { etag: '"never-a-version-of-this-page"', lastModified: 'Thu, 01 Jan 1970 00:00:00 GMT' };
/** Of a site's pages, the first ones and then one of so many are compared by content. */
const checks = { first: 3, every: 50 };
const goneStatuses = [404, 410];

/** What is known of a site's answers that pages are unchanged. */
interface Trust {
  state: 'probing' | 'trusted' | 'distrusted' | undefined;
  asked: number;
}

export type Repeat = ReturnType<typeof createRepeat>;

/**
 * Compares the pages of a crawl with those of an earlier one: returns a function that scrapes a page, or takes over what the
 * earlier crawl has if the page is as it was.
 */
export function createRepeat(since: number, earlier: EarlierPages, say: Say) {
  const sites = new Map<string, Trust>();

  /** Returns what to ask the site to compare. */
  function validatorsOf(trust: Trust, source: PageSource): Pick<PageSource, 'etag' | 'lastModified'> {
    if (source.etag === undefined && source.lastModified === undefined) return {};
    if (trust.state === undefined) {
      trust.state = 'probing';
      return foreign;
    }
    if (trust.state !== 'trusted') return {};
    trust.asked++;
    if (trust.asked <= checks.first || trust.asked % checks.every === 0) return {};
    return { etag: source.etag, lastModified: source.lastModified };
  }

  return async (
    page: WaitingPage,
    scrape: (known: KnownPage | undefined) => Promise<ScrapedPage>,
  ): Promise<RepeatedPage> => {
    const found = await earlier.find(since, page.identity, page.url);
    if (found === undefined || found === 'damaged') {
      const scraped = await scrape(undefined);
      const compared = marked(page, scraped, found === 'damaged' ? 'changed' : 'new', undefined);
      const copy = found === undefined ? await earlier.copy(since, page.identity) : undefined;
      return copy && copy.digest === scraped.wording?.digest ? { ...compared, copyOf: parseLink(copy.of) } : compared;
    }
    const { source, url } = found;
    const trust: Trust = sites.get(new URL(url).origin) ?? { state: undefined, asked: 0 };
    sites.set(new URL(url).origin, trust);
    const distrust = () => {
      trust.state = 'distrusted';
      say(
        'unchanged pages',
        `The site says that pages are unchanged although they changed, so they were compared by content: ${shorten(page.url)}`,
      );
    };
    const bodyOnly = source && { url, body: source.body };
    const validators = source && validatorsOf(trust, source);
    const probes = validators === foreign;
    try {
      let scraped: ScrapedPage;
      try {
        scraped = await scrape(bodyOnly && { ...bodyOnly, ...validators });
      } catch (error) {
        if (!probes || !(error instanceof UnchangedPage) || !error.unseen) throw error;
        distrust();
        scraped = await scrape(bodyOnly);
      }
      if (probes && trust.state === 'probing') trust.state = scraped.statusCode < 400 ? 'trusted' : undefined;
      const isSame = (await contentOf(scraped.document)) === (await contentOf(found.document));
      if (!isSame && scraped.statusCode < 400 && trust.state === 'trusted' && isSaidUnchanged(source, scraped.source))
        distrust();
      return marked(page, scraped, isSame ? 'same' : 'changed', found.storedAt);
    } catch (error) {
      if (probes && trust.state === 'probing')
        trust.state = error instanceof UnchangedPage && !error.unseen ? 'trusted' : undefined;
      if (!(error instanceof UnchangedPage)) throw error;
      return marked(page, takenOver(page.url, found), 'same', found.storedAt);
    }
  };
}

/** Whether a site sent the same version with other content. */
function isSaidUnchanged(before: PageSource | undefined, now: PageSource | undefined): boolean {
  if (!before || !now) return false;
  return before.etag !== undefined || now.etag !== undefined
    ? before.etag === now.etag
    : before.lastModified !== undefined && before.lastModified === now.lastModified;
}

function marked(
  { hidden }: WaitingPage,
  scraped: ScrapedPage,
  compared: ChangeStatus,
  storedAt: number | undefined,
): RepeatedPage {
  const isGone = goneStatuses.includes(scraped.statusCode);
  if (scraped.statusCode >= 400 && !(isGone && storedAt !== undefined)) return { scraped, change: undefined };
  const change: PageChange = isGone
    ? { status: 'removed', reason: `The page returned ${scraped.statusCode}.` }
    : hidden === 1
      ? { status: 'removed', reason: 'No link to the page was found anymore, but it still exists.' }
      : { status: compared };
  const changeTracking = {
    previousScrapeAt: storedAt === undefined ? null : new Date(storedAt).toISOString(),
    changeStatus: change.status,
    visibility: hidden === 1 ? 'hidden' : 'visible',
  };
  const { metadata, ...content } = scraped.document;
  // What a site says in place of a page is no content of it.
  const document = { ...(isGone ? {} : content), changeTracking, metadata };
  return { scraped: { ...scraped, document }, change };
}

/** Returns a page as the earlier crawl has it. */
function takenOver(asked: string, { document, storedAt, statusCode, url, replay, source }: EarlierPage): ScrapedPage {
  const { links = [], ...compared } = source ?? {};
  const { metadata, ...content } = document;
  const cachedAt = metadata.cachedAt ?? new Date(storedAt).toISOString();
  return {
    document: {
      ...content,
      metadata: { ...metadata, sourceURL: asked, cacheState: 'revalidated', cachedAt, creditsUsed: 1 },
    },
    links,
    choices: source?.choices,
    feeds: source?.feeds,
    finalUrl: url,
    statusCode,
    contentType: metadata.contentType ?? undefined,
    creditsUsed: 1,
    rendered: false,
    ...(source && { source: compared as PageSource }),
    replay: { ...replay, url: asked },
  };
}

/** Returns a digest of what a document says of its page: of its text if it has some, without its white space. */
async function contentOf(document: ScrapeDocument): Promise<string> {
  const {
    metadata: _metadata,
    changeTracking: _changes,
    screenshot: _screenshot,
    warning: _warning,
    ...rest
  } = document;
  return await digestOf(rest.markdown ?? rest.html ?? rest.rawHtml ?? JSON.stringify(rest));
}
