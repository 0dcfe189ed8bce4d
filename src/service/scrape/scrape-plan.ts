import type { Format, JsonFormat, ScrapeOptions, ScreenshotFormat } from '../../contract/scrape.ts';
import { formatNames } from '../../contract/scrape.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { LanguageModelStatus } from './scraper-parts.ts';

/** What the options of a scrape come to. */
export interface ScrapePlan {
  markdown: boolean;
  html: boolean;
  rawHtml: boolean;
  links: boolean;
  images: boolean;
  screenshot: ScreenshotFormat | undefined;
  json: JsonFormat | undefined;
  /** Only a browser can do it. */
  needsBrowser: boolean;
  skipTlsVerification: boolean;
  /** Pages of a PDF that are read; 0: it is given back as it is. */
  pdfPages: number;
}

const mostPdfPages = 1000;
/** Credits that the format json costs beside those of the page. */
export const jsonCredits = 4;

function isScreenshot(format: Format): format is ScreenshotFormat {
  return format.type === 'screenshot';
}
function isJson(format: Format): format is JsonFormat {
  return format.type === 'json';
}

/** Reads the options. Throws a ScrapeError that names what is not offered. */
export function planOf(options: ScrapeOptions, model: LanguageModelStatus): ScrapePlan {
  if (options.proxy === 'stealth' || options.proxy === 'enhanced') {
    throw new ScrapeError(
      'SCRAPE_PROXY_SELECTION_ERROR',
      `The proxy "${options.proxy}" is not offered: pages are fetched from this machine, or by the one proxy that the service was started with. Leave proxy out, or use "basic" or "auto".`,
    );
  }
  const names = new Set(options.formats.map(({ type }) => type));
  const known = new Set<string>(formatNames);
  for (const name of names) {
    if (known.has(name)) continue;
    throw new ScrapeError(
      'FORMAT_NOT_OFFERED',
      `The format "${name.slice(0, 60)}" is not offered; offered are ${formatNames.join(', ')}.`,
    );
  }
  const json = options.formats.find(isJson);
  if (json && !model.configured)
    throw new ScrapeError('NO_LANGUAGE_MODEL', `The format json needs a language model: ${model.advice}`);
  const screenshot = options.formats.find(isScreenshot);
  const actions = options.actions ?? [];
  const needsBrowser =
    screenshot !== undefined ||
    actions.length > 0 ||
    options.waitFor > 0 ||
    options.mobile ||
    options.profile !== undefined;
  const ownIdentity =
    Object.keys(options.headers ?? {}).length > 0 || actions.length > 0 || options.profile !== undefined;
  const pdf = options.parsers.find(({ type }) => type === 'pdf');
  return {
    markdown: names.has('markdown') || json !== undefined,
    html: names.has('html'),
    rawHtml: names.has('rawHtml'),
    links: names.has('links'),
    images: names.has('images'),
    screenshot,
    json,
    needsBrowser,
    skipTlsVerification: options.skipTlsVerification ?? !ownIdentity,
    pdfPages: pdf ? (pdf.maxPages ?? mostPdfPages) : 0,
  };
}
