import { limits } from '../../../contract/limits.ts';
import type { SearchCategory, SearchSource, SourceChoice } from '../../../contract/search.ts';
import { listed, shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../../platform/errors.ts';
import { type EngineRequest, type EngineResult, type SearchEngine, SearchError, type TimeRange } from './engine.ts';
import { localeOf, type Place } from './place.ts';

/** What to search for, in addition to the query. Only `team` and `signal` are required. */
export interface SearchOptions extends Place {
  /** Whose engine answers. */
  team: string;
  /** Cancels the search. */
  signal: AbortSignal;
  /** Milliseconds until the search ends with what it has found; without anything, it throws 408. */
  timeoutMs?: number;
  /** Maximum number of results of each source. */
  limit?: number;
  /** Web results by default. */
  sources?: readonly SourceChoice[];
  /** Limits web results to these kinds of site. */
  categories?: readonly SearchCategory[] | undefined;
  includeDomains?: readonly string[] | undefined;
  excludeDomains?: readonly string[] | undefined;
  /** Time range, such as `qdr:w`. */
  tbs?: string | undefined;
  /** Whether a result may be listed. */
  accepts?: (url: URL) => boolean;
}

/** A result of a search. */
export interface FoundResult extends EngineResult {
  category?: SearchCategory;
}

/** Searches the web through the search engine that is set up. */
export type WebSearch = ReturnType<typeof createSearch>;

/** Requests to an engine for one list of results, at most. */
const maxPages = 20;

/** How to set up a search engine, for messages. */
export const noEngineMessage =
  'No search engine is set up. Start the service with --search-endpoint and the URL of a SearXNG server (or set WEBDATA_SEARCH_ENDPOINT), or run "Web Data: Set Up Search…" in VS Code.';

/** Creates the search. `engines` finds the search engine of a team. */
export function createSearch(engines: { find(team: string): SearchEngine | undefined }) {
  return {
    /** Whether a team has a search engine. */
    isSetUp: (team: string): boolean => engines.find(team) !== undefined,
    /**
     * Returns results by source, best first, and in `warning` what didn't work although there are some. Throws a SearchError:
     * without an engine, when it fails, or when an option isn't supported.
     */
    async search(query: string, options: SearchOptions) {
      const engine = engines.find(options.team);
      if (!engine) throw new SearchError('NO_SEARCH_ENGINE', noEngineMessage);
      const { limit = limits.searchResults.default, timeoutMs = limits.searchTimeout } = options;
      const lists = listsOf(query, options);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([options.signal, timeout]);
      const gathered = await Promise.all(
        lists.map((list) =>
          gather(engine, list, { limit, signal, timeout, options }).catch((error: unknown): Gathered => {
            const failure = timeout.aborted ? timedOut(timeoutMs, error) : error;
            const warning = `No results ${nameOf(list)}: ${messageOf(failure)}`;
            return { results: [], warnings: [warning], failure };
          }),
        ),
      );
      options.signal.throwIfAborted();
      if (gathered.every((each) => each.failure !== undefined)) throw gathered[0]?.failure;
      const results: Partial<Record<SearchSource, FoundResult[]>> = {};
      for (const source of new Set(lists.map((list) => list.source))) {
        const ofSource = gathered.filter((_each, index) => lists[index]?.source === source);
        results[source] = interleaved(ofSource.map((each) => each.results)).slice(0, limit);
      }
      const warnings = new Set([
        ...lists.flatMap((list) => list.warnings),
        ...gathered.flatMap((each) => each.warnings),
      ]);
      return { results, ...(warnings.size > 0 && { warning: [...warnings].join(' ') }) };
    },
  };
}

/** One list of results to request, page by page. */
interface ResultList extends Omit<EngineRequest, 'page' | 'signal'> {
  warnings: string[];
}

/** Returns the lists that a search consists of: one for each source, and for web results one for each category. */
function listsOf(query: string, options: SearchOptions): ResultList[] {
  const { sources = [{ type: 'web' as const }], categories = [], tbs, location, country, lang } = options;
  const words = withDomains(query, options);
  const chosen = new Map(sources.map((source) => [source.type, source]));
  return [...chosen.values()].flatMap((source): ResultList[] => {
    const { language, ignored, country: searched } = localeOf({ location: source.location ?? location, country, lang });
    const list = {
      query: words,
      source: source.type,
      timeRange: timeRangeOf(source.tbs ?? tbs),
      language,
      warnings:
        ignored === undefined
          ? []
          : [
              `Searched with the country ${searched}; "${shorten(ignored, 60)}" was ignored: SearXNG can search only by country.`,
            ],
    };
    if (source.type !== 'web' || categories.length === 0) return [list];
    return [...new Set(categories)].map((category) => ({ ...list, category }));
  });
}

/** Adds operators for domains, which most engines know; results are checked in any case. */
function withDomains(query: string, { includeDomains = [], excludeDomains = [] }: SearchOptions): string {
  const included = includeDomains.map((domain) => `site:${domain}`).join(' OR ');
  const excluded = excludeDomains.map((domain) => ` -site:${domain}`).join('');
  if (included === '') return query + excluded;
  return `${query} ${includeDomains.length > 1 ? `(${included})` : included}`;
}

interface Gathering {
  limit: number;
  signal: AbortSignal;
  timeout: AbortSignal;
  options: SearchOptions;
}

/** A list of results. With `failure`, its first page could not be requested. */
interface Gathered {
  results: FoundResult[];
  warnings: string[];
  failure?: unknown;
}

/** Requests pages until there are enough results or no more. Results of earlier pages are kept when a later one fails. */
async function gather(
  engine: SearchEngine,
  list: ResultList,
  { limit, signal, timeout, options }: Gathering,
): Promise<Gathered> {
  const { warnings: _warnings, ...request } = list;
  const seen = new Set<string>();
  const results: FoundResult[] = [];
  const failed = new Set<string>();
  const warnings: string[] = [];
  for (let page = 1; page <= maxPages && results.length < limit; page++) {
    const answer = await engine.page({ ...request, page, signal }).catch((error: unknown) => {
      options.signal.throwIfAborted();
      if (page === 1) throw error;
      warnings.push(
        timeout.aborted
          ? 'The timeout expired before all results were requested.'
          : `Not all results were requested: ${messageOf(error)}`,
      );
      return undefined;
    });
    for (const problem of answer?.problems ?? []) failed.add(problem);
    const before = seen.size;
    for (const result of answer?.results ?? []) {
      const url = new URL(result.url);
      const key = url.href.replace(/#.*$/s, '');
      if (seen.has(key)) continue;
      seen.add(key);
      if (!isWanted(url, list.category, options)) continue;
      results.push({ ...result, ...(list.category && { category: list.category }) });
    }
    // An engine without pages returns the same results again.
    if (seen.size === before) break;
  }
  if (failed.size > 0) warnings.push(`These SearXNG engines didn't respond: ${listed([...failed], 10)}.`);
  return { results: results.slice(0, limit), warnings };
}

function timedOut(timeoutMs: number, cause: unknown): SearchError {
  return new SearchError(
    'SEARCH_TIMEOUT',
    `The search engine did not answer within ${timeoutMs / 1000} s. Check that it is running, or increase \`timeout\`.`,
    cause,
  );
}

function nameOf({ source, category }: ResultList): string {
  return category === undefined ? `from the source ${source}` : `from the category ${category}`;
}

function isWanted(url: URL, category: SearchCategory | undefined, options: SearchOptions): boolean {
  const { includeDomains = [], excludeDomains = [], accepts } = options;
  const isOf = (domain: string) => url.hostname === domain || url.hostname.endsWith(`.${domain}`);
  if (includeDomains.length > 0 && !includeDomains.some(isOf)) return false;
  if (excludeDomains.some(isOf)) return false;
  // Engines may ignore the operators.
  if (category === 'github' && !isOf('github.com')) return false;
  if (category === 'pdf' && !/\.pdf$|\/pdf\//i.test(url.pathname)) return false;
  return accepts?.(url) ?? true;
}

/** Returns the first of each list, then the second of each, without repeated URLs. */
function interleaved(lists: readonly FoundResult[][]): FoundResult[] {
  const byUrl = new Map<string, FoundResult>();
  for (let index = 0; lists.some((list) => index < list.length); index++) {
    for (const list of lists) {
      const result = list[index];
      if (result && !byUrl.has(result.url)) byUrl.set(result.url, result);
    }
  }
  return [...byUrl.values()];
}

const ranges: Readonly<Record<string, TimeRange>> = { d: 'day', w: 'week', m: 'month', y: 'year' };

/**
 * Returns the time range of a `tbs` parameter, undefined for none. Throws a SearchError that names what SearXNG has no
 * filter for: hours, several units, dates, and sorting.
 */
export function timeRangeOf(tbs: string | undefined): TimeRange | undefined {
  if (tbs === undefined || tbs.trim() === '') return undefined;
  const unit = /^qdr:([dwmy])1?$/i.exec(tbs.trim())?.[1];
  const range = unit && ranges[unit.toLowerCase()];
  if (range) return range;
  throw new SearchError(
    'BAD_REQUEST',
    `tbs: "${shorten(tbs, 60)}" isn't supported: SearXNG filters by the last day, week, month or year only, and doesn't sort by date. Use qdr:d, qdr:w, qdr:m or qdr:y.`,
  );
}
