import type { JsonFormat } from '../../contract/scrape.ts';
import type { Clock } from '../clock.ts';
import type { Fetcher } from '../fetch/fetch.ts';
import type { PageCache } from '../fetch/page-cache.ts';
import type { Log } from '../log.ts';
import type { Converters } from './convert/convert.ts';
import type { Renderer } from './render/render.ts';

/** Whether there is a language model to make json with, and if not, what to set. */
export type LanguageModelStatus = { configured: true } | { configured: false; advice: string };

/** What a model made of a page. */
export interface Extracted {
  value: unknown;
  /** What is wrong with it, for a person. */
  warning?: string;
}

/** Makes a value of a page's markdown, by a schema or a prompt. */
export interface Extractor {
  status(team: string): LanguageModelStatus;
  extract(team: string, markdown: string, format: JsonFormat, signal: AbortSignal): Promise<Extracted>;
}

export interface ScraperParts {
  fetcher: Pick<Fetcher, 'fetch'>;
  renderer: Renderer;
  converters: Converters;
  cache: PageCache;
  extractor: Extractor;
  clock: Clock;
  log: Log;
}
