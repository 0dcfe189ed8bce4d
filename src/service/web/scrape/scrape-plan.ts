import { limits } from '../../../contract/limits.ts';
import { type Format, formatNames } from '../../../contract/scrape/formats.ts';
import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import { shorten } from '../../../contract/shorten.ts';
import { ScrapeError } from './scrape-errors.ts';

/** The work that a scrape's options require. */
export type ScrapePlan = ReturnType<typeof planOf>;

/** Whether a language model is configured for the formats that need one, and if not, how to configure one. */
export type LanguageModelStatus = { configured: true } | { configured: false; advice: string };

const maxPdfPages = 1000;
/** Credits for a page that a language model reads, in addition to the page's. */
export const modelCredits = 4;
/** Credits for a page of a request with zeroDataRetention, in addition to the page's. */
export const unstoredCredits = 1;

/** Returns the formats of a type. Those of `examples` may lack their options until `planOf` has checked that. */
export function formatsOf<Type extends string>(formats: readonly Format[], type: Type) {
  return formats.filter((format): format is Extract<Format, { type: Type }> => format.type === type);
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
  if (formatsOf([format], 'changeTracking').some(({ modes }) => modes.includes('json'))) return true;
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
export function planOf(options: ScrapeOptions, model: LanguageModelStatus) {
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
  const [json] = formatsOf(options.formats, 'json');
  const [changes] = formatsOf(options.formats, 'changeTracking');
  const [screenshot] = formatsOf(options.formats, 'screenshot');
  const attributes = formatsOf(options.formats, 'attributes').flatMap(({ selectors }) => selectors);
  const actions = options.actions ?? [];
  /** Whether the page has to be rendered in a browser. */
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
    questions: questionsOf(options.formats),
    changes,
    /** Attributes to collect from the whole page. */
    attributes: attributes.length > 0 ? attributes : undefined,
    needsBrowser,
    /** Milliseconds that the scrape may take. */
    limitMs: options.timeout ?? limits.scrapeTimeout.default + waitsOf(options),
    skipTlsVerification: skipsTlsVerification(options),
    /** Maximum number of pages of a PDF to read; 0 returns the file as is. */
    pdfPages: pdf ? (pdf.maxPages ?? maxPdfPages) : 0,
    /** Pages of a PDF to read, such as `1-3,7`; all by default. */
    pdfRange: pdf?.pageRange,
    /** How a PDF is divided into its pages. */
    pdfDivision: { pages: pdf?.pages === true, markers: pdf?.pageMarkers === true },
  };
}

/** Milliseconds that the options themselves ask to wait; the default timeout is extended by them. */
function waitsOf({ waitFor, actions = [] }: ScrapeOptions): number {
  return actions.reduce((sum, each) => sum + (each.type === 'wait' ? (each.milliseconds ?? 0) : 0), waitFor);
}

/** Returns the questions about the page, by the field of the document that their answer is for. */
function questionsOf(formats: readonly Format[]) {
  const ask = (field: 'answer' | 'highlights', prompt: string, onlyQuotes: boolean) => ({
    field,
    question: { prompt, onlyQuotes },
  });
  const questions = [
    ...formatsOf(formats, 'query').map(({ prompt, mode }) => ask('answer', prompt, mode === 'directQuote')),
    ...formatsOf(formats, 'question').map(({ question }) => ask('answer', question, false)),
    ...formatsOf(formats, 'highlights').map(({ query }) => ask('highlights', query, true)),
  ];
  const twice = questions.find(({ field }, index) => questions.findIndex((other) => other.field === field) !== index);
  if (!twice) return questions;
  throw new ScrapeError(
    'BAD_REQUEST',
    `A page can have only one ${twice.field}: request one of its formats at a time.`,
  );
}
