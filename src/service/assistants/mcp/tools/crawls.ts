import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import { crawlText, foundLines, noDocument, pageLines, partlySearched } from '../../../../answers/texts.ts';
import type { JobState } from '../../../../contract/crawl/crawl-jobs.ts';
import { pageLimits } from '../../../../contract/crawl/page-limits.ts';
import { limits } from '../../../../contract/limits.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Api } from '../api.ts';
import { waitForCrawl } from './progress.ts';
import { fetches, reads, steers, type Tool, type ToolCall, tool } from './tool.ts';
import { describeDocument } from './web.ts';

const job = z.string().min(1).max(100).describe('ID from crawl_start');
const seconds = z.int().min(0).max(300).optional();

/** Tools that crawl sites and read what was found. */
export function crawlTools(api: Api): Record<string, Tool> {
  const awaited = async (jobId: string, forSeconds: number, call: ToolCall) =>
    describeState(jobId, await waitForCrawl(call, forSeconds, api, jobId));

  return {
    crawl_start: tool({
      title: 'Crawl a site',
      description: 'Crawl a site in the background. Then use crawl_status and crawl_pages.',
      schema: z.strictObject({
        url: z.string().min(1).max(limits.url),
        limit: z.int().min(1).max(limits.crawlPages.max).optional().describe('Most pages, default 50'),
        includePaths: z.array(z.string().max(1000)).max(50).optional().describe('Regexes of paths to keep'),
        excludePaths: z.array(z.string().max(1000)).max(50).optional().describe('Regexes of paths to skip'),
        maxDiscoveryDepth: z.int().min(0).max(100).optional().describe('Most links from the start'),
        prompt: z.string().max(limits.crawlPrompt.max).optional().describe('What to crawl, in words'),
        wait: seconds.describe('Seconds to wait'),
      }),
      example: { url: 'https://example.com/docs', limit: 50, wait: 30 },
      hints: fetches,
      async run({ wait: forSeconds = 0, limit = 50, ...options }, call) {
        const body = { ...options, limit };
        const { id } = await api('startCrawl', { body }, call);
        return await awaited(id, forSeconds, call);
      },
    }),
    crawl_status: tool({
      title: 'Check a crawl',
      description: 'Get the progress of a crawl, wait for its end, or cancel it.',
      schema: z.strictObject({
        job,
        wait: seconds.describe('Seconds to wait'),
        cancel: z.boolean().optional(),
      }),
      example: { job: '00000000-0000-4000-8000-000000000000', wait: 30 },
      hints: steers,
      async run({ job: jobId, wait: forSeconds = 0, cancel = false }, call) {
        if (cancel) {
          await api('cancelCrawl', { params: { jobId } }, call);
          return { text: `Crawl ${jobId} is canceled. The pages it has read stay readable with crawl_pages.` };
        }
        return await awaited(jobId, forSeconds, call);
      },
    }),
    crawl_pages: tool({
      title: 'Read the pages of a crawl',
      description: 'Search the text of the pages of a crawl, read one page by its URL, or list them.',
      schema: z.strictObject({
        job: job.optional().describe('Omit it to search all crawls'),
        search: z
          .string()
          .min(1)
          .max(pageLimits.query.max)
          .optional()
          .describe('Words to find; "in quotes" for a phrase'),
        url: z.string().max(limits.url).optional().describe('URL of a page to read'),
        cursor: z.string().max(4096).optional().describe('From the last answer'),
      }),
      example: { job: '00000000-0000-4000-8000-000000000000', search: 'rate limit' },
      hints: reads,
      async run({ job: jobId, search, url, cursor }, call) {
        if (search !== undefined) return await found(search, jobId, cursor, call);
        if (jobId === undefined)
          throw new ServiceError(400, 'Send "job" to list pages or read one, or "search" to find words in all crawls.');
        return url === undefined ? await listed(jobId, cursor, call) : await read(jobId, url, call);
      },
    }),
  };

  async function found(query: string, jobId: string | undefined, cursor: string | undefined, call: ToolCall) {
    const request = { query: { query, limit: 10, ...(jobId && { jobId }), ...(cursor && { cursor }) } };
    const { results, total, cursor: more, indexed } = await api('searchPages', request, call);
    const text = foundLines(results);
    return {
      text: `${total} pages match.${partlySearched(indexed)}`,
      ...(text.length > 0 && { content: { name: 'pages', text: text.join('\n') } }),
      next: more ? `Next: the same with "cursor":"${more}", or read a page with "job" and "url".` : undefined,
    };
  }

  async function listed(jobId: string, cursor: string | undefined, call: ToolCall): Promise<Answer> {
    const query = { limit: 100, ...(cursor && { cursor }) };
    const { pages, cursor: more } = await api('listPages', { params: { jobId }, query }, call);
    if (pages.length === 0) return { text: 'No pages yet.', next: 'Next: crawl_status with "wait".' };
    const text = pageLines(pages);
    return {
      content: { name: 'pages', text: text.join('\n') },
      next: more ? `Next: the same with "cursor":"${more}".` : undefined,
    };
  }

  async function read(jobId: string, url: string, call: ToolCall): Promise<Answer> {
    const { found: pages } = await api('findPages', { params: { jobId }, body: { urls: [url] } }, call);
    const page = pages[0]?.page;
    if (!page) throw new ServiceError(404, `The crawl has no page ${shorten(url)}.`);
    if (!page.id) throw new ServiceError(404, noDocument(page));
    const { data } = await api('getScrape', { params: { jobId: page.id } }, call);
    return describeDocument(data, 'markdown');
  }
}

function describeState(id: string, state: JobState): Answer {
  const { status, error, warning } = state;
  const next =
    status === 'scraping'
      ? `Next: crawl_status {"job":"${id}","wait":60}.`
      : `Next: crawl_pages {"job":"${id}"}, with "search" or "url".`;
  // Both may quote what a site answered.
  const said = [error, warning].filter(Boolean).join('\n');
  return {
    text: crawlText(id, state),
    ...(said && { content: { name: 'problems', text: said } }),
    next,
  };
}
