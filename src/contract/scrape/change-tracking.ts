import * as z from 'zod';
import { responseBody } from '../fields.ts';
import { limits } from '../limits.ts';

/** A line of a diff. */
const change = responseBody({
  type: z.string().describe('normal, add or del'),
  content: z.string().describe('The line, after a space, plus or minus'),
  ln: z.number().nullish().describe('Number of the line that was added or removed'),
  ln1: z.number().nullish().describe('Number of the line in the previous version'),
  ln2: z.number().nullish().describe('Number of the line in the current version'),
});
export type LineChange = z.output<typeof change>;

export const changeStatuses = ['new', 'same', 'changed', 'removed'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];
/** How a page differs from its last version that was stored. */
export const changeTracking = responseBody({
  previousScrapeAt: z.string().nullable().describe('When the previous version was scraped; null without one'),
  changeStatus: z.string().describe(`One of ${changeStatuses.join(', ')}`),
  visibility: z.string().describe('visible, or hidden if no page of the crawl links to it anymore'),
  diff: responseBody({
    text: z.string(),
    json: responseBody({
      files: z.array(
        responseBody({
          from: z.string().nullable(),
          to: z.string().nullable(),
          chunks: z.array(responseBody({ content: z.string(), changes: z.array(change) })),
        }),
      ),
      omittedLines: z
        .number()
        .optional()
        .describe(`Last lines that are only in the text: the data has the first ${limits.diffLines}`),
    }),
  })
    .nullish()
    .describe('git-diff mode: the changed lines of the Markdown, as text and as data'),
  json: z.unknown().optional().describe('json mode: each field that changed, with its previous and current value'),
});
export type ChangeTracking = z.output<typeof changeTracking>;
