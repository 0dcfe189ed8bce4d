import {
  type AttributesFormat,
  type ChangeTrackingFormat,
  type Format,
  formatNames,
  type HighlightsFormat,
  type JsonFormat,
  type QueryFormat,
  type QuestionFormat,
  type ScreenshotFormat,
} from '../../../contract/scrape/formats.ts';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { PdfDivision } from './convert/tasks.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { LanguageModelStatus, PageQuestion } from './scraper-parts.ts';

/** The work that a scrape's options require. */
export interface ScrapePlan {
  markdown: boolean;
  html: boolean;
  rawHtml: boolean;
  links: boolean;
  images: boolean;
  product: boolean;
  screenshot: ScreenshotFormat | undefined;
  json: JsonFormat | undefined;
  summary: boolean;
  /** Questions about the page, by the field of the document that their answer is for. */
  questions: { field: 'answer' | 'highlights'; question: PageQuestion }[];
  changes: ChangeTrackingFormat | undefined;
  /** Attributes to collect from the whole page. */
  attributes: AttributesFormat['selectors'] | undefined;
  /** Whether the page has to be rendered in a browser. */
  needsBrowser: boolean;
  skipTlsVerification: boolean;
  /** Maximum number of pages of a PDF to read; 0 returns the file as is. */
  pdfPages: number;
  /** Pages of a PDF to read, such as `1-3,7`; all by default. */
  pdfRange: string | undefined;
  /** How a PDF is divided into its pages. */
  pdfDivision: PdfDivision;
}

const maxPdfPages = 1000;
/** Credits for a page that a language model reads, in addition to the page's. */
export const modelCredits = 4;
/** Credits for a page of a request with zeroDataRetention, in addition to the page's. */
export const unstoredCredits = 1;

function isScreenshot(format: Format): format is ScreenshotFormat {
  return format.type === 'screenshot';
}
function isJson(format: Format): format is JsonFormat {
  return format.type === 'json';
}
function isAttributes(format: Format): format is AttributesFormat {
  return format.type === 'attributes' && 'selectors' in format;
}
function isQuery(format: Format): format is QueryFormat {
  return format.type === 'query' && 'prompt' in format;
}
function isQuestion(format: Format): format is QuestionFormat {
  return format.type === 'question' && 'question' in format;
}
function isHighlights(format: Format): format is HighlightsFormat {
  return format.type === 'highlights' && 'query' in format;
}
function isChangeTracking(format: Format): format is ChangeTrackingFormat {
  return format.type === 'changeTracking';
}

/** Formats that say nothing without their options, and an example of these. */
const examples: Record<string, string> = {
  attributes: '"selectors": [{ "selector": "a", "attribute": "href" }]',
  query: '"prompt": "What does it cost?"',
  question: '"question": "What does it cost?"',
  highlights: '"query": "prices"',
};

/** Returns whether a language model may have to read pages for these formats. */
export function needsModel(formats: readonly Format[]): boolean {
  return formats.some(usesModel);
}

function usesModel(format: Format): boolean {
  if (isChangeTracking(format)) return format.modes.includes('json');
  return ['json', 'summary', 'query', 'question', 'highlights'].includes(format.type);
}

/** Why formats of other servers aren't supported. */
const reasons: Record<string, string> = {
  branding: 'this service reads the content of pages, not their design',
  menu: 'use the format "json" with a schema',
  pii: "personal data can't be recognized reliably on this machine",
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
  const names = new Set(options.formats.map(({ type }) => type));
  const supported = new Set<string>(formatNames);
  for (const name of names) {
    if (supported.has(name)) continue;
    throw new ScrapeError(
      'FORMAT_NOT_OFFERED',
      `The format "${shorten(name, 60)}" isn't supported${Object.hasOwn(reasons, name) ? `: ${reasons[name]}` : ''}. Supported formats: ${formatNames.join(', ')}.`,
    );
  }
  const reader = options.formats.find(usesModel);
  if (reader && !model.configured)
    throw new ScrapeError('NO_LANGUAGE_MODEL', `The ${reader.type} format needs a language model: ${model.advice}`);
  for (const format of options.formats) {
    const example = Object.hasOwn(examples, format.type) && Object.keys(format).length === 1 && examples[format.type];
    if (!example) continue;
    throw new ScrapeError(
      'BAD_REQUEST',
      `The format "${format.type}" needs its options: { "type": "${format.type}", ${example} }.`,
    );
  }
  const json = options.formats.find(isJson);
  const questions = questionsOf(options.formats);
  const changes = options.formats.find(isChangeTracking);
  const screenshot = options.formats.find(isScreenshot);
  const attributes = options.formats.filter(isAttributes).flatMap(({ selectors }) => selectors);
  const actions = options.actions ?? [];
  const needsBrowser =
    screenshot !== undefined ||
    actions.length > 0 ||
    options.waitFor > 0 ||
    options.mobile ||
    options.profile !== undefined;
  const pdf = options.parsers.find(({ type }) => type === 'pdf');
  return {
    markdown: names.has('markdown') || reader !== undefined || changes !== undefined,
    html: names.has('html'),
    rawHtml: names.has('rawHtml'),
    links: names.has('links'),
    images: names.has('images'),
    product: names.has('product'),
    screenshot,
    json,
    summary: names.has('summary'),
    questions,
    changes,
    attributes: attributes.length > 0 ? attributes : undefined,
    needsBrowser,
    skipTlsVerification: skipsTlsVerification(options),
    pdfPages: pdf ? (pdf.maxPages ?? maxPdfPages) : 0,
    pdfRange: pdf?.pageRange,
    pdfDivision: { pages: pdf?.pages === true, markers: pdf?.pageMarkers === true },
  };
}

function questionsOf(formats: readonly Format[]): ScrapePlan['questions'] {
  const questions: ScrapePlan['questions'] = [
    ...formats.filter(isQuery).map(({ prompt, mode }) => ({
      field: 'answer' as const,
      question: { prompt, onlyQuotes: mode === 'directQuote' },
    })),
    ...formats
      .filter(isQuestion)
      .map(({ question }) => ({ field: 'answer' as const, question: { prompt: question, onlyQuotes: false } })),
    ...formats
      .filter(isHighlights)
      .map(({ query }) => ({ field: 'highlights' as const, question: { prompt: query, onlyQuotes: true } })),
  ];
  const twice = questions.find(({ field }, index) => questions.findIndex((other) => other.field === field) !== index);
  if (!twice) return questions;
  throw new ScrapeError(
    'BAD_REQUEST',
    `A page can have only one ${twice.field}: request one of its formats at a time.`,
  );
}
