import * as z from 'zod';
import type { Endpoint } from './endpoints.ts';
import { characters, dateTime, jobId, requestBody, responseBody } from './fields.ts';

const name = characters({ min: 1, max: 200 }).meta({ description: 'What the source is called in lists' });

/** Texts beside the service's own that questions are answered from. */
export const docsSource = responseBody({
  id: z.string(),
  kind: z.enum(['folder', 'crawl']).meta({ description: 'A folder of markdown, or the documents of a crawl' }),
  name: z.string(),
  location: z.string().meta({ description: 'Path of the folder, or URL that the crawl started at' }),
  addedAt: dateTime,
  pages: z.int().meta({ description: 'Files or web pages' }),
  passages: z.int().meta({ description: 'Paragraphs, list items, table rows and blocks of code' }),
  removable: z.boolean().meta({ description: 'False for folders that the service was started with' }),
});
export type DocsSource = z.output<typeof docsSource>;

/** Body of the call that adds a source: a folder or a crawl. */
export const addDocsSourceBody = requestBody({
  folder: characters({ min: 1, max: 4_096 })
    .optional()
    .meta({ description: 'Absolute path of a folder with markdown files' }),
  crawlId: jobId.optional().meta({ description: 'A crawl that is over' }),
  name: name.optional(),
})
  .superRefine((body, context) => {
    if ((body.folder === undefined) === (body.crawlId === undefined)) {
      context.addIssue({ code: 'custom', message: "Either 'folder' or 'crawlId' must be provided, and not both." });
    }
  })
  .meta({ oneOf: [{ required: ['folder'] }, { required: ['crawlId'] }] });

/** The calls on sources of texts, offered by the embedded service alone. */
export const docsSourceEndpoints = {
  listDocsSources: {
    method: 'GET',
    path: '/embedded/docs-sources',
    summary: 'List the texts beside its own that the service answers questions from',
    section: 'embedded',
    response: responseBody({ success: z.boolean(), sources: z.array(docsSource) }),
    errors: {},
  },
  addDocsSource: {
    method: 'POST',
    path: '/embedded/docs-sources',
    summary: 'Index a folder of markdown or the documents of a crawl; one that is there already is read anew',
    section: 'embedded',
    body: addDocsSourceBody,
    response: responseBody({ success: z.boolean(), source: docsSource }),
    errors: {
      403: 'The crawl belongs to a different team',
      404: 'No such crawl, or it expired',
      409: 'The crawl is not over yet',
    },
    answersWithin: 300,
  },
  removeDocsSource: {
    method: 'DELETE',
    path: '/embedded/docs-sources/:sourceId',
    summary: 'Remove a source and its index; the folder or crawl stays',
    section: 'embedded',
    params: z.object({ sourceId: characters({ min: 1, max: 200 }).meta({ description: 'The source' }) }),
    response: responseBody({ success: z.boolean() }),
    errors: { 404: 'No such source', 409: 'The folder was given when the service was started' },
  },
} as const satisfies Record<string, Endpoint>;
