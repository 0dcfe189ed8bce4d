import type { SearchCategory, SearchSource } from '../../../contract/search.ts';
import { ServiceError } from '../../platform/errors.ts';

/** How old results may be. */
export type TimeRange = 'day' | 'week' | 'month' | 'year';

/** A request for one page of results. */
export interface EngineRequest {
  query: string;
  source: SearchSource;
  /** Limits web results to one kind of site. */
  category?: SearchCategory | undefined;
  /** Page of the results, from 1. */
  page: number;
  timeRange?: TimeRange | undefined;
  /** Language and country as a BCP 47 tag, such as `de` or `de-AT`. */
  language?: string | undefined;
  signal: AbortSignal;
}

/** A result as an engine lists it. */
export interface EngineResult {
  url: string;
  title: string;
  /** An excerpt. */
  text: string;
  /** When it was published, as the engine writes it. */
  date?: string | undefined;
  imageUrl?: string | undefined;
  imageWidth?: number | undefined;
  imageHeight?: number | undefined;
}

/** A search engine. SearXNG is the only one so far. */
export interface SearchEngine {
  /**
   * Returns a page of results, of which an empty one is the last, and what didn't work although there is an answer, such as
   * sources of the engine that failed. Throws a SearchError.
   */
  page(request: EngineRequest): Promise<{ results: EngineResult[]; problems: string[] }>;
}

const statuses = {
  /** No engine is set up. */
  NO_SEARCH_ENGINE: 503,
  /** The engine is there, but has to be set up differently. */
  SEARCH_ENGINE_SETTINGS: 503,
  /** The engine can't be reached or failed. */
  SEARCH_ENGINE_FAILED: 502,
  SEARCH_TIMEOUT: 408,
  BAD_REQUEST: 400,
} as const;
/** A search failed. The message says what to do, and names at most the engine's host. */
export class SearchError extends ServiceError {
  constructor(code: keyof typeof statuses, message: string, cause?: unknown) {
    super(statuses[code], message, { code, cause });
  }
}
