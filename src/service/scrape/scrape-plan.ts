import type { AttributesFormat, Format, JsonFormat, ScrapeOptions, ScreenshotFormat } from '../../contract/scrape.ts';
import { formatNames } from '../../contract/scrape.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { LanguageModelStatus } from './scraper-parts.ts';

/** The work that a scrape's options require. */
export interface ScrapePlan {
  markdown: boolean;
  html: boolean;
  rawHtml: boolean;
  links: boolean;
  images: boolean;
  screenshot: ScreenshotFormat | undefined;
  json: JsonFormat | undefined;
  /** Attributes to collect from the whole page. */
  attributes: AttributesFormat['selectors'] | undefined;
  /** Whether the page has to be rendered in a browser. */
  needsBrowser: boolean;
  skipTlsVerification: boolean;
  /** Maximum number of pages of a PDF to read; 0 returns the file as is. */
  pdfPages: number;
  /** Pages of a PDF to read, such as `1-3,7`; all by default. */
  pdfRange: string | undefined;
}

const maxPdfPages = 1000;
/** Credits for the json format, in addition to the page's. */
export const jsonCredits = 4;

function isScreenshot(format: Format): format is ScreenshotFormat {
  return format.type === 'screenshot';
}
function isJson(format: Format): format is JsonFormat {
  return format.type === 'json';
}

function isAttributes(format: Format): format is AttributesFormat {
  return format.type === 'attributes' && 'selectors' in format;
}

/** Why formats of other servers aren't supported. */
const reasons: Record<string, string> = {
  branding: 'this service reads the content of pages, not their design',
  audio: 'this service reads text and images only',
  video: 'this service reads text and images only',
};

/** Returns whether any certificate is accepted: by default, unless the scrape sends something that identifies its user. */
export function skipsTlsVerification(
  options: Pick<ScrapeOptions, 'skipTlsVerification' | 'headers' | 'actions' | 'profile'>,
): boolean {
  const hasIdentity =
    Object.keys(options.headers ?? {}).length > 0 ||
    (options.actions ?? []).length > 0 ||
    options.profile !== undefined;
  return options.skipTlsVerification ?? !hasIdentity;
}

/** Returns the plan for a scrape. Throws a ScrapeError that names the unsupported option. */
export function planOf(options: ScrapeOptions, model: LanguageModelStatus): ScrapePlan {
  if (options.proxy === 'stealth' || options.proxy === 'enhanced') {
    throw new ScrapeError(
      'SCRAPE_PROXY_SELECTION_ERROR',
      `The proxy "${options.proxy}" isn't available: this service fetches pages directly or through the proxy it was started with. Remove proxy, or use "basic" or "auto".`,
    );
  }
  const names = new Set(options.formats.map(({ type }) => type));
  const supported = new Set<string>(formatNames);
  for (const name of names) {
    if (supported.has(name)) continue;
    throw new ScrapeError(
      'FORMAT_NOT_OFFERED',
      `The format "${name.slice(0, 60)}" isn't supported${Object.hasOwn(reasons, name) ? `: ${reasons[name]}` : ''}. Supported formats: ${formatNames.join(', ')}.`,
    );
  }
  const json = options.formats.find(isJson);
  if (json && !model.configured)
    throw new ScrapeError('NO_LANGUAGE_MODEL', `The json format needs a language model: ${model.advice}`);
  const screenshot = options.formats.find(isScreenshot);
  const attributes = options.formats.filter(isAttributes).flatMap(({ selectors }) => selectors);
  if (names.has('attributes') && attributes.length === 0) {
    throw new ScrapeError(
      'BAD_REQUEST',
      'The format "attributes" needs its selectors: { "type": "attributes", "selectors": [{ "selector": "a", "attribute": "href" }] }.',
    );
  }
  const actions = options.actions ?? [];
  const needsBrowser =
    screenshot !== undefined ||
    actions.length > 0 ||
    options.waitFor > 0 ||
    options.mobile ||
    options.profile !== undefined;
  const pdf = options.parsers.find(({ type }) => type === 'pdf');
  return {
    markdown: names.has('markdown') || json !== undefined,
    html: names.has('html'),
    rawHtml: names.has('rawHtml'),
    links: names.has('links'),
    images: names.has('images'),
    screenshot,
    json,
    attributes: attributes.length > 0 ? attributes : undefined,
    needsBrowser,
    skipTlsVerification: skipsTlsVerification(options),
    pdfPages: pdf ? (pdf.maxPages ?? maxPdfPages) : 0,
    pdfRange: pdf?.pageRange,
  };
}
