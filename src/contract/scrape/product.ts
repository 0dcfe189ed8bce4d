import * as z from 'zod';
import { responseBody } from '../fields.ts';

const price = responseBody({
  amount: z.number(),
  currency: z.string().nullish().describe('ISO 4217 code, if the page names it'),
  formatted: z.string().nullish().describe('The price as the page shows it'),
});

/** The product of a page, from its structured data. A product without variants has one. */
export const product = responseBody({
  title: z.string(),
  brand: z.string().nullish(),
  category: z.string().nullish().describe('Category, or the path to it'),
  url: z.string().nullish(),
  description: z.string().nullish(),
  variants: z.array(
    responseBody({
      id: z.string().nullish(),
      sku: z.string().nullish(),
      title: z.string().nullish(),
      values: z.record(z.string(), z.string()).nullish().describe('Options and their values, such as color'),
      price: price.nullish(),
      sale: responseBody({ originalPrice: price }).nullish().describe('Only if the price is reduced'),
      availability: responseBody({ inStock: z.boolean(), text: z.string().nullish() }),
      images: z.array(responseBody({ url: z.string(), alt: z.string().nullish() })).nullish(),
    }),
  ),
});
export type Product = z.output<typeof product>;
