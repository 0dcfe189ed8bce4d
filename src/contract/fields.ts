import * as z from 'zod';
import { limits } from './limits.ts';

/** Returns the length of a text in code points: a surrogate pair, such as an emoji, counts as one. */
export function countCharacters(text: string): number {
  let surrogatePairs = 0;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    surrogatePairs++;
    index++;
  }
  return text.length - surrogatePairs;
}

/** Formats a whole number: `10,000`. Schemas need it while they are built, and the first use of Intl takes 20 ms. */
function grouped(whole: number): string {
  return String(whole).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** The error for a URL that is longer than `limits.url`. */
export const tooLongUrl = { error: `expected a URL of at most ${grouped(limits.url)} characters` };

/** A string with a limited number of code points; the error message has the limit and the actual number. */
export function characters(limit: { min?: number; max: number }): z.ZodString {
  const { min = 0, max } = limit;
  const range = min > 0 ? `${grouped(min)} to ${grouped(max)}` : `at most ${grouped(max)}`;
  return z
    .string({ error: `expected a text of ${range} characters` })
    .superRefine((text, context) => {
      const count = countCharacters(text);
      if (count < min || count > max) {
        context.addIssue({ code: 'custom', message: `expected ${range} characters, got ${grouped(count)}` });
      }
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

/** A list of at most so many items. Those of a longer one aren't checked: each would be a problem of its own. */
export function fewOf<Item extends z.ZodType>(item: Item, max: number) {
  return z.array(z.unknown()).max(max).pipe(z.array(item));
}

/** A whole number from `min` to `max`; the error message has the limit. */
export function wholeNumber(limit: { min: number; max: number }, unit?: string): z.ZodInt {
  const error = `expected a whole number from ${grouped(limit.min)} to ${grouped(limit.max)}${unit ? ` (${unit})` : ''}`;
  return z.int({ error }).min(limit.min, { error }).max(limit.max, { error });
}

/** A field of other servers that this one refuses, with the reason; `false` turns nothing on, so it is accepted. */
export function refused(reason: string) {
  return z
    .unknown()
    .refine((value) => value === undefined || value === false, { error: reason })
    .meta({ const: false, description: 'Not supported' })
    .optional();
}

/** A request body: unknown fields are rejected, but `origin` and `integration`, which published clients add to every POST, are accepted. */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({
    ...shape,
    origin: z.string().max(1000).optional().describe('Label of the calling program'),
    integration: z.string().max(1000).nullish().describe('Label of the calling integration'),
  });
}

/** A response body: unknown fields pass through. */
export function responseBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.looseObject(shape);
}

/** A response of the API: `success` may be missing, since other servers leave it out. */
export function apiResponse<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return responseBody({ success: z.boolean().optional(), ...shape });
}

/** A response that only the embedded service gives. */
export function ownResponse<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return responseBody({ success: z.boolean(), ...shape });
}

/** A field of a response that only the embedded service sends. */
export function ownField<Type extends z.ZodType>(type: Type, about: string) {
  return type.nullish().describe(`${about}. Sent by the embedded service only`);
}

/** A query parameter that is a whole number, as a number or as text. */
export function queryNumber(limit: { min: number; max: number }) {
  const error = `expected a whole number from ${grouped(limit.min)} to ${grouped(limit.max)}`;
  const asText = z
    .string({ error })
    .regex(/^\d{1,16}$/, { error })
    .transform(Number);
  return z.union([z.int({ error }), asText], { error }).pipe(wholeNumber(limit));
}

/** A query parameter that is true only for `true`. */
export const queryFlag = z.union([
  z.boolean(),
  z
    .string()
    .transform((text) => text === 'true')
    .pipe(z.boolean()),
]);

/** A date and time as servers send it. */
export const dateTime = z.string().meta({ format: 'date-time' });

/** The identifier of a scrape, crawl or batch job. */
export const jobId = z.uuid({ error: 'Invalid job ID format. Job ID must be a valid UUID.' });
