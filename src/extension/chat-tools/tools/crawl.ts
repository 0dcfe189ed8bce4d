import { setTimeout as wait } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Answer } from '../../../answers/answer.ts';
import { crawlText } from '../../../answers/texts.ts';
import type { JobState } from '../../../contract/crawl/crawl-jobs.ts';
import { pageLimits } from '../../../contract/crawl/page-limits.ts';
import { limits } from '../../../contract/limits.ts';
import { webUrl } from '../../../contract/scrape/scrape.ts';
import { shortAddress } from '../../ui/text/text.ts';
import type { ChatToolParts } from '../chat-tools.ts';
import { createCrawlReader } from './crawl-reader.ts';
import { type ChatTool, chatTool, placeNote, questionWith, ToolProblem } from './tool.ts';

/** Pages that a crawl reads unless the call says otherwise. */
const defaultLimit = 50;
/** Seconds to wait for the end of a crawl that was just started, and for one that was started before. */
const [waitAtStart, waitLater] = [20, 0];
/** Milliseconds between two checks of a crawl's status. */
const lookMs = 500;
/** Running crawls have this status. */
const running = 'scraping';

const patterns = z.array(z.string().max(limits.pathPatterns.length)).max(limits.pathPatterns.count);
const schema = z.strictObject({
  url: webUrl.optional().describe('Site to crawl: starts a crawl'),
  limit: z
    .int()
    .min(1)
    .max(limits.crawlPages.max)
    .optional()
    .describe(`With "url": maximum number of pages, default ${defaultLimit}`),
  includePaths: patterns.optional().describe('With "url": regexes of paths to keep'),
  excludePaths: patterns.optional().describe('With "url": regexes of paths to skip'),
  maxDiscoveryDepth: z.int().min(0).max(100).optional().describe('With "url": maximum number of links from the start'),
  prompt: z.string().max(limits.crawlPrompt.max).optional().describe('With "url": what to crawl, in words'),
  job: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('ID of a crawl: returns its status, or its pages with "list", "page" or "search"'),
  wait: z
    .int()
    .min(0)
    .max(300)
    .optional()
    .describe(`Seconds to wait for it to end; default ${waitAtStart} with "url", 0 with "job"`),
  cancel: z.boolean().optional().describe('With "job": true cancels the crawl'),
  list: z.boolean().optional().describe('With "job": true lists its pages'),
  page: z.string().min(1).max(limits.url).optional().describe('With "job": URL of one of its pages, to read it'),
  search: z
    .string()
    .min(1)
    .max(pageLimits.query.max)
    .optional()
    .describe('Words to find in the pages of "job", or of all crawls; "in quotes" for a phrase'),
  cursor: z.string().max(4096).optional().describe('From the previous answer, to get more'),
});
type Input = z.output<typeof schema>;

/** The tool that crawls sites and reads what was found. */
export function crawlTool({ connection, crawls }: ChatToolParts): ChatTool {
  const reader = createCrawlReader(connection);

  async function start(input: Input & { url: string }, signal: AbortSignal): Promise<Answer> {
    const { client } = await connection.access();
    const body = bodyOf(input);
    const { id } = await client.startCrawl({ body }, { signal });
    await crawls.started(id, body.url, body);
    try {
      return await awaited(id, input.wait ?? waitAtStart, signal);
    } catch (error) {
      // Whoever cancels the call doesn't want what it has started.
      if (signal.aborted) await cancel(id).catch(() => undefined);
      throw error;
    }
  }

  async function cancel(jobId: string): Promise<Answer> {
    const { client } = await connection.access();
    await client.cancelCrawl({ params: { jobId } });
    crawls.cancelled(jobId);
    return {
      text: `Crawl ${jobId} is canceled.`,
      next: `Next: ${call({ job: jobId, list: true })} lists its pages so far.`,
    };
  }

  /** Waits for the end of a crawl, at most for the given seconds. */
  async function awaited(jobId: string, seconds: number, signal: AbortSignal): Promise<Answer> {
    const { client } = await connection.access();
    for (const end = performance.now() + seconds * 1000; ; ) {
      const state = await client.getCrawl({ params: { jobId }, query: { limit: 1 } }, { signal });
      const left = end - performance.now();
      if (state.status !== running || left <= 0) return describe(jobId, state);
      await wait(Math.min(lookMs, left), undefined, { signal });
    }
  }

  return chatTool({
    schema,
    example: { url: 'https://example.com/docs', limit: defaultLimit },
    prepare(input) {
      const { url, job, cancel: cancels } = input;
      if (url !== undefined) {
        return {
          doing: l10n.t('Crawling {0}', shortAddress(url, 60)),
          question: questionWith(l10n.t('Crawl this site?'), {
            text: JSON.stringify(bodyOf({ ...input, url }), undefined, 2),
            language: 'json',
            note: placeNote(connection),
          }),
        };
      }
      if (cancels && job !== undefined)
        return {
          doing: l10n.t('Canceling a crawl'),
          question: questionWith(l10n.t('Cancel this crawl?'), { text: job }),
        };
      return { doing: l10n.t('Reading a crawl') };
    },
    async run(input, signal) {
      const { url, job, search, page, list, cursor } = input;
      if (url !== undefined && job !== undefined)
        throw new ToolProblem('Send either "url", to start a crawl, or "job", to read one.');
      if (url !== undefined) return await start({ ...input, url }, signal);
      if (search !== undefined) return await reader.search(search, { job, cursor }, signal);
      if (job === undefined)
        throw new ToolProblem(
          `Send "url" to start a crawl, "job" to read one, or "search" to find words in all. For example: {"url":"https://example.com/docs"}`,
        );
      if (input.cancel) return await cancel(job);
      if (page !== undefined) return await reader.read(job, page, signal);
      if (list || cursor !== undefined) return await reader.list(job, cursor, signal);
      return await awaited(job, input.wait ?? waitLater, signal);
    },
  });
}

/** Returns the body of the request that starts a crawl. */
function bodyOf({
  url,
  limit = defaultLimit,
  includePaths,
  excludePaths,
  maxDiscoveryDepth,
  prompt,
}: Input & { url: string }) {
  return {
    url,
    limit,
    ...(includePaths && { includePaths }),
    ...(excludePaths && { excludePaths }),
    ...(maxDiscoveryDepth !== undefined && { maxDiscoveryDepth }),
    ...(prompt && { prompt }),
  };
}

function describe(job: string, state: JobState): Answer {
  const { status, error, warning } = state;
  const next =
    status === running
      ? `Next: ${call({ job, wait: 60 })}.`
      : `Next: ${call({ job, list: true })}, or with "search" or "page" instead of "list".`;
  const said = [error, warning].filter(Boolean).join('\n');
  return {
    text: crawlText(job, state),
    ...(said && { content: { name: 'message', text: said } }),
    next,
  };
}

const call = (input: z.input<typeof schema>) => `webdata_crawl ${JSON.stringify(input)}`;
