import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { characters, dateTime, jobId, ownResponse, requestBody, responseBody } from '../fields.ts';

/** A source of texts, in addition to the service's own, that questions are answered from. */
export const docsSource = responseBody({
  id: z.string(),
  kind: z
    .enum(['folder', 'crawl'])
    .describe('A folder of texts (Markdown, reStructuredText or HTML), or the documents of a crawl'),
  name: z.string(),
  location: z.string().describe('Path of the folder, or start URL of the crawl'),
  crawlId: z.string().nullish().describe('The crawl, which may have expired since'),
  addedAt: dateTime,
  pages: z.int().describe('Files or web pages'),
  passages: z.int().describe('Sections of pages, or parts of long ones'),
  removable: z.boolean().describe('False for folders that the service was started with'),
});
export type DocsSource = z.output<typeof docsSource>;

/** Body of the call that adds a source: a folder or a crawl. */
export const addDocsSourceBody = requestBody({
  folder: characters({ min: 1, max: 4_096 })
    .optional()
    .describe('Absolute path of a folder of Markdown, reStructuredText or HTML files'),
  crawlId: jobId.optional().describe('A finished crawl'),
  name: characters({ min: 1, max: 200 }).describe('Display name of the source').optional(),
})
  .superRefine((body, context) => {
    if ((body.folder === undefined) === (body.crawlId === undefined)) {
      context.addIssue({ code: 'custom', message: "Either 'folder' or 'crawlId' must be provided, and not both." });
    }
  })
  .meta({ oneOf: [{ required: ['folder'] }, { required: ['crawlId'] }] });

/** The endpoints for sources of texts, which only the embedded service has. */
export const docsSourceEndpoints = {
  listDocsSources: endpoint('GET', '/embedded/docs-sources', {
    summary: 'List the sources of texts that the user added',
    response: ownResponse({ sources: z.array(docsSource) }),
  }),
  addDocsSource: endpoint('POST', '/embedded/docs-sources', {
    summary: 'Index a folder of texts or the documents of a crawl; an existing source is indexed again',
    body: addDocsSourceBody,
    response: ownResponse({
      source: docsSource,
      warning: z.string().nullish().meta({ description: 'Texts of the folder that are not read' }),
    }),
    errors: {
      403: "The crawl belongs to a different team, or the service isn't permitted to read the folder",
      404: 'Crawl not found or expired',
      409: 'The team has too many sources, the source was removed meanwhile, or the crawl is still running, failed without a page, or has zeroDataRetention',
    },
    respondsWithin: 300,
  }),
  removeDocsSource: endpoint('DELETE', '/embedded/docs-sources/:sourceId', {
    summary: 'Remove a source and its index; the folder or crawl stays',
    params: z.object({ sourceId: characters({ min: 1, max: 200 }).describe('The source') }),
    response: ownResponse({}),
    errors: { 404: 'Source not found', 409: 'The service was started with this folder' },
  }),
} as const;
