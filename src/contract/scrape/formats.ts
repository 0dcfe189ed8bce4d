import * as z from 'zod';
import { characters, wholeNumber } from '../fields.ts';
import { limits } from '../limits.ts';

/** The formats of a document; other names pass through, since other servers may have more. */
export const formatNames = [
  'markdown',
  'html',
  'rawHtml',
  'links',
  'images',
  'screenshot',
  'attributes',
  'product',
  'json',
  'summary',
  'query',
  'question',
  'highlights',
  'changeTracking',
] as const;

const viewport = z.strictObject({
  width: wholeNumber({ min: 1, max: 7680 }, 'pixels'),
  height: wholeNumber({ min: 1, max: 4320 }, 'pixels'),
});
const quality = wholeNumber({ min: 1, max: 100 }).describe('JPEG quality; without it the screenshot is a PNG');
const jsonSchema = z.record(z.string(), z.unknown()).optional();

/** Also an action, with the same options. */
export const screenshotFormat = z.strictObject({
  type: z.literal('screenshot'),
  fullPage: z.boolean().default(false),
  quality: quality.optional(),
  viewport: viewport.optional(),
});
const jsonFormat = z.strictObject({
  type: z.literal('json'),
  prompt: characters(limits.prompt).optional(),
  schema: jsonSchema.describe('JSON Schema of the value to extract'),
});
const attributesFormat = z.strictObject({
  type: z.literal('attributes'),
  selectors: z
    .array(
      z.strictObject({
        selector: characters({ min: 1, max: 2000 }).describe('CSS selector of the elements'),
        attribute: characters({ min: 1, max: 200 }).describe('Name of the attribute'),
      }),
    )
    .min(1)
    .max(100),
});
const queryFormat = z.strictObject({
  type: z.literal('query'),
  prompt: characters(limits.prompt).describe('Question about the page'),
  mode: z
    .enum(['freeform', 'directQuote'])
    .default('freeform')
    .describe('directQuote answers only with passages of the page'),
});
const questionFormat = z.strictObject({
  type: z.literal('question'),
  question: characters(limits.prompt).describe('Question about the page'),
});
const highlightsFormat = z.strictObject({
  type: z.literal('highlights'),
  query: characters(limits.prompt).describe('What the passages of the page are to be about'),
});

export const changeModes = ['git-diff', 'json'] as const;
const changeTrackingFormat = z.strictObject({
  type: z.literal('changeTracking'),
  modes: z
    .array(z.enum(changeModes))
    .max(changeModes.length)
    .default([])
    .describe('How changes are reported: git-diff by line, json by field, with a language model'),
  schema: jsonSchema.describe('json mode: JSON Schema of the fields to compare'),
  prompt: characters(limits.prompt).optional().describe('json mode: what to compare'),
  tag: characters(limits.changeTag).nullish().describe('Name of a separate history of the page, such as hourly'),
});

const withOptions = {
  screenshot: screenshotFormat,
  json: jsonFormat,
  attributes: attributesFormat,
  query: queryFormat,
  question: questionFormat,
  highlights: highlightsFormat,
  changeTracking: changeTrackingFormat,
};
const otherFormat = z
  .looseObject({ type: z.string().max(100) })
  .refine(({ type }) => !Object.hasOwn(withOptions, type), { error: 'expected the fields of its type', abort: true });

/** A format with its options; a name alone is the format without options. */
export const format = z.union(
  [
    ...Object.values(withOptions),
    otherFormat,
    z
      .string()
      .max(100)
      .meta({ examples: [...formatNames] })
      .transform((type): Format => formatOf(type)),
  ],
  { error: `expected a format: ${formatNames.join(', ')}, by name or as an object with "type"` },
);

export type ScreenshotFormat = z.output<typeof screenshotFormat>;
export type JsonFormat = z.output<typeof jsonFormat>;
export type AttributesFormat = z.output<typeof attributesFormat>;
export type ChangeTrackingFormat = z.output<typeof changeTrackingFormat>;
export type Format = z.output<(typeof withOptions)[keyof typeof withOptions]> | { type: string };

function formatOf(name: string): Format {
  if (name === 'screenshot') return { type: 'screenshot', fullPage: false };
  if (name === 'screenshot@fullPage') return { type: 'screenshot', fullPage: true };
  if (name === 'changeTracking') return { type: 'changeTracking', modes: [] };
  return { type: name };
}
