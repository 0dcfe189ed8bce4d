import type { Fetcher } from '../../platform/network/fetch.ts';
import type { PageCache } from '../../platform/network/page-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BodyBudget } from './body-budget.ts';
import type { PageVersions } from './changes/page-versions.ts';
import type { Converters } from './convert/convert.ts';
import type { Extractor } from './model-formats/model-formats.ts';
import type { Renderer } from './render/chrome-renderer.ts';

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
