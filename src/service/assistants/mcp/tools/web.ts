import { stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import { documentForModel, documentFormats } from '../../../../answers/texts.ts';
import { limits } from '../../../../contract/limits.ts';
import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import { searchCategories, searchSources } from '../../../../contract/search.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { asSentence, messageOf, ServiceError } from '../../../platform/errors.ts';
import { readRegularFile } from '../../../platform/system/read-within.ts';
import type { Api } from '../api.ts';
import { working } from './progress.ts';
import { fetches, readsWeb, type Tool, tool } from './tool.ts';

const url = z.string().min(1).max(limits.url).describe('http or https URL');

/**
 * Tools that read pages, sites and files, without a session.
 * @param readsFiles whether agents may have files of this machine parsed
 */
export function webTools(api: Api, readsFiles: boolean): Record<string, Tool> {
  return {
    scrape: tool({
      title: 'Scrape a page',
      description: 'Get the main content of a page as Markdown. Faster and shorter than a session when you only read.',
      schema: z.strictObject({
        url,
        format: z.enum(documentFormats).optional().describe('default markdown'),
        onlyMainContent: z.boolean().optional().describe('false: include navigation and footers'),
        waitFor: z.int().min(0).max(limits.scrapeWait.max).optional().describe('Milliseconds to wait for scripts'),
        fresh: z.boolean().optional().describe('true: no cached copy, up to an hour old'),
      }),
      example: { url: 'https://example.com' },
      hints: readsWeb,
      async run({ url: target, format = 'markdown', onlyMainContent = true, waitFor = 0, fresh = false }, call) {
        const maxAge = fresh ? 0 : cacheMs;
        const body = { url: target, formats: [format], onlyMainContent, waitFor, maxAge };
        const { data } = await working(call, 'Scraping', api('scrape', { body }, call));
        return describeDocument(data, format);
      },
    }),
    map: tool({
      title: 'List the URLs of a site',
      description:
        'List the URLs of a site, optionally those about some words. Use it before crawl_start or to find a page.',
      schema: z.strictObject({
        url,
        search: z.string().max(1000).optional().describe('Words that describe the pages'),
        limit: z.int().min(1).max(limits.mapLinks.max).optional().describe('default 100'),
      }),
      example: { url: 'https://example.com', search: 'pricing' },
      hints: readsWeb,
      async run({ url: target, search, limit = 100 }, call) {
        const body = { url: target, limit, ...(search !== undefined && { search }) };
        const mapping = api('mapSite', { body }, call).catch((error: unknown) => {
          // Its advice is about a field that this tool doesn't have.
          if (!(error instanceof ServiceError) || error.status !== 408) throw error;
          throw new ServiceError(
            408,
            'The site could not be mapped in time. Next: map a part of it, or use crawl_start.',
          );
        });
        const { links, warning } = await working(call, 'Mapping', mapping);
        if (links.length === 0) return { text: 'No URLs were found.', next: 'Next: check the URL, or omit "search".' };
        const lines = links.map((link) => [link.url, link.title].filter(Boolean).join(' · '));
        const all = warning ? [...lines, `(${warning})`] : lines;
        return { text: `${links.length} URLs.`, content: { name: 'URLs', text: all.join('\n') } };
      },
    }),
    parse: tool({
      title: 'Parse a file',
      description: 'Get a file as Markdown: PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, mail, CSV, HTML.',
      schema: z
        .strictObject({
          url: url.optional().describe('URL of the file'),
          path: z.string().min(1).max(4096).optional().describe("Or its absolute path on the user's machine"),
        })
        .refine((file) => (file.url === undefined) !== (file.path === undefined), {
          error: 'expected either "url" or "path"',
        }),
      example: { url: 'https://example.com/report.pdf' },
      // It may read any file of the user: clients should ask first, as they don't for tools that only read.
      hints: fetches,
      async run({ url: target, path }, call) {
        if (path !== undefined && !readsFiles)
          throw new ServiceError(
            403,
            'This service reads no files of its machine for agents. Use "url", or upload the file to POST /v2/parse.',
          );
        const request =
          path === undefined
            ? { body: { url: target } }
            : { body: {}, file: { name: basename(path), contentType: undefined, content: await readWhole(path) } };
        const { data } = await working(call, 'Parsing', api('parseFile', request, call));
        return describeDocument(data, 'markdown');
      },
    }),
  };
}

/** How old a cached copy of a page may be, in milliseconds: agents often read a page several times. */
const cacheMs = 60 * 60 * 1000;

/** Answers with a document. */
export function describeDocument(document: ScrapeDocument, format: (typeof documentFormats)[number]): Answer {
  const id = document.metadata?.scrapeId;
  return {
    ...(id && { text: `Document webdata://scrape/${id}` }),
    content: { name: 'page', text: documentForModel(document, format) },
  };
}

async function readWhole(path: string): Promise<Uint8Array> {
  if (!isAbsolute(path)) throw new ServiceError(400, '"path" must be absolute, such as "/home/ada/report.pdf".');
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new ServiceError(404, `There is no file ${shorten(path)}.`);
  return await readRegularFile(path, limits.parsedFile).catch((error: unknown) => {
    const status = error instanceof ServiceError ? error.status : 400;
    throw new ServiceError(status, `Can't read ${shorten(path)}. ${asSentence(messageOf(error))}`, { cause: error });
  });
}

/** The tool that searches the web. */
export function searchTool(api: Api): Tool {
  return tool({
    title: 'Search the web',
    description: 'Search the web and get titles, URLs and excerpts. Read a result with scrape.',
    schema: z.strictObject({
      query: z.string().min(1).max(limits.searchQuery.max),
      limit: z.int().min(1).max(50).optional().describe('default 10'),
      source: z.enum(searchSources).optional().describe('default web'),
      category: z.enum(searchCategories).optional().describe('Only results of this kind'),
      domains: z.array(z.string().min(1).max(253)).max(20).optional().describe('Only results of these hosts'),
      since: z.enum(['day', 'week', 'month', 'year']).optional().describe('How recent'),
    }),
    example: { query: 'playwright locator best practices' },
    hints: readsWeb,
    async run({ query, limit = 10, source = 'web', category, domains, since }, call) {
      const body = {
        query,
        limit,
        sources: [source],
        ...(category && { categories: [category] }),
        ...(domains && { includeDomains: domains }),
        ...(since && { tbs: `qdr:${since[0]}` }),
      };
      const { data, warning } = await working(call, 'Searching', api('searchWeb', { body }, call));
      const results = [
        ...(data.web ?? []).map(({ url, title, description }) => [title, url, description]),
        ...(data.news ?? []).map(({ url, title, date, snippet }) => [
          title,
          url,
          [date, snippet].filter(Boolean).join(': '),
        ]),
        ...(data.images ?? []).map(({ url, title, imageUrl }) => [title, url, imageUrl]),
      ];
      if (results.length === 0) {
        return {
          text: 'No results.',
          ...(warning && { content: { name: 'problems', text: warning } }),
          next: 'Next: search with other words.',
        };
      }
      const lines = results.map(([title, url, more]) =>
        [
          [title, url].filter(Boolean).join(' · '),
          ...(more ? [`  ${more.replaceAll(/\s+/g, ' ').slice(0, 300)}`] : []),
        ].join('\n'),
      );
      return {
        content: { name: 'results', text: [...lines, ...(warning ? [`(${warning})`] : [])].join('\n') },
        next: 'Next: scrape the URL of a result.',
      };
    },
  });
}
