import type { JsonFormat } from '../../../contract/scrape/formats.ts';
import type { JsonAnswer } from '../../platform/language-model/json-answer.ts';
import type { Fetcher } from '../../platform/network/fetch.ts';
import type { PageCache } from '../../platform/network/page-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BodyBudget } from './body-budget.ts';
import type { PageVersions } from './changes/page-versions.ts';
import type { Converters } from './convert/convert.ts';
import type { Renderer } from './render/render.ts';

/** Whether a language model is configured for the formats that need one, and if not, how to configure one. */
export type LanguageModelStatus = { configured: true } | { configured: false; advice: string };

/** A text that a model wrote about a page. */
export interface Reading {
  text: string;
  /** A problem to show to the user. */
  warning?: string;
}

/** A question about a page. */
export interface PageQuestion {
  prompt: string;
  /** Whether the answer may consist only of passages of the page. */
  onlyQuotes: boolean;
}

/** What a language model does with a page's Markdown. All of it throws a ScrapeError if no model is configured. */
export interface Extractor {
  status(team: string): LanguageModelStatus;
  /** Extracts a value, by a schema or a prompt. */
  extract(team: string, markdown: string, format: Omit<JsonFormat, 'type'>, signal: AbortSignal): Promise<JsonAnswer>;
  summarize(team: string, markdown: string, signal: AbortSignal): Promise<Reading>;
  answer(team: string, markdown: string, question: PageQuestion, signal: AbortSignal): Promise<Reading>;
  /** Describes what changed between two versions of a page as a JSON value. */
  compare(team: string, versions: PageTexts, prompt: string | undefined, signal: AbortSignal): Promise<JsonAnswer>;
}

/** The Markdown of two versions of a page. */
export interface PageTexts {
  previous: string;
  current: string;
}

export interface ScraperParts extends Pick<Platform, 'clock' | 'log'> {
  fetcher: Pick<Fetcher, 'fetch'>;
  renderer: Renderer;
  converters: Converters;
  budget: BodyBudget;
  cache: PageCache;
  extractor: Extractor;
  versions: Pick<PageVersions, 'find'>;
}
