import type { JsonFormat } from '../../contract/scrape.ts';
import type { Clock } from '../clock.ts';
import type { Fetcher } from '../fetch/fetch.ts';
import type { PageCache } from '../fetch/page-cache.ts';
import type { Log } from '../log.ts';
import type { BodyBudget } from './body-budget.ts';
import type { Converters } from './convert/convert.ts';
import type { Renderer } from './render/render.ts';

/** Whether a language model is configured for the json format, and if not, how to configure one. */
export type LanguageModelStatus = { configured: true } | { configured: false; advice: string };

/** A value that a model extracted from a page. */
export interface Extraction {
  value: unknown;
  /** A problem to show to the user. */
  warning?: string;
}

/** Extracts a value from a page's Markdown, by a schema or a prompt. */
export interface Extractor {
  status(team: string): LanguageModelStatus;
  extract(team: string, markdown: string, format: JsonFormat, signal: AbortSignal): Promise<Extraction>;
}

export interface ScraperParts {
  fetcher: Pick<Fetcher, 'fetch'>;
  renderer: Renderer;
  converters: Converters;
  budget: BodyBudget;
  cache: PageCache;
  extractor: Extractor;
  clock: Clock;
  log: Log;
}
