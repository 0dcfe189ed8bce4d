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

/** A page of results; an empty one is the last. */
export interface EnginePage {
  results: EngineResult[];
  /** What didn't work although there is an answer, such as sources of the engine that failed. */
  problems: string[];
}

/** A search engine. SearXNG is the only one so far. */
export interface SearchEngine {
  /** Returns a page of results. Throws a SearchError. */
  page(request: EngineRequest): Promise<EnginePage>;
}

/** The search engine of a team. */
export interface SearchEngines {
  find(team: string): SearchEngine | undefined;
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
export type SearchErrorCode = keyof typeof statuses;

/** A search failed. The message says what to do, and names at most the engine's host. */
export class SearchError extends ServiceError {
  override readonly code: SearchErrorCode;

  constructor(code: SearchErrorCode, message: string, cause?: unknown) {
    super(statuses[code], message, { code, ...(cause !== undefined && { cause }) });
    this.name = 'SearchError';
    this.code = code;
  }
}
