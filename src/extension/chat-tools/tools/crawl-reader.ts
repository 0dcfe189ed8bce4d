import type { Answer } from '../../../answers/answer.ts';
import { documentForModel, foundLines, noDocument, pageLines, partlySearched } from '../../../answers/texts.ts';
import { readDocuments, readState } from '../../../client/job-documents.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { ChatToolParts } from '../chat-tools.ts';
import { ToolProblem } from './tool.ts';

/** Pages in a list, and pages that a search returns. */
const [listed, found] = [100, 10];

/** Creates a reader for any server: the embedded service lists and searches pages; from other servers, all documents are read. */
export function createCrawlReader(connection: ChatToolParts['connection']) {
  return {
    async search(
      query: string,
      { job, cursor }: { job: string | undefined; cursor: string | undefined },
      signal: AbortSignal,
    ): Promise<Answer> {
      const { embedded } = await connection.access();
      if (!embedded)
        throw new ToolProblem(
          'This server can\'t search the pages of crawls. Next: send "job" with "list", then "page".',
        );
      const request = { query: { query, limit: found, ...(job && { jobId: job }), ...(cursor && { cursor }) } };
      const { results, total, cursor: more, indexed } = await embedded.searchPages(request, { signal });
      const jobs = job === undefined ? [...new Set(results.map(({ jobId }) => jobId))] : [];
      return {
        text: `${total} ${total === 1 ? 'page matches' : 'pages match'}.${jobs.length > 0 ? ` They are from ${jobs.join(', ')}.` : ''}${partlySearched(indexed)}`,
        ...(results.length > 0 && { content: { name: 'pages', text: foundLines(results).join('\n') } }),
        next: results.length === 0 ? 'Next: search for other words.' : nextOf(more),
      };
    },

    async list(job: string, cursor: string | undefined, signal: AbortSignal): Promise<Answer> {
      const { client, embedded } = await connection.access();
      if (embedded) {
        const query = { limit: listed, ...(cursor && { cursor }) };
        const { pages, cursor: more } = await embedded.listPages({ params: { jobId: job }, query }, { signal });
        return listOf(pageLines(pages), more);
      }
      const skip = Number.parseInt(cursor ?? '0', 10) || 0;
      const state = await readState(client, { kind: 'crawl', id: job }, { skip, limit: listed }, { signal });
      const pages = state.data.map(({ metadata }) => ({
        url: metadata?.url ?? metadata?.sourceURL ?? '',
        title: metadata?.title,
        state: 'ok',
      }));
      return listOf(pageLines(pages), state.next ? String(skip + state.data.length) : null);
    },

    /** Reads the page of a crawl that has a URL. */
    async read(job: string, url: string, signal: AbortSignal): Promise<Answer> {
      const { client, embedded } = await connection.access();
      const missing = () =>
        new ToolProblem(`The crawl has no page ${shorten(url)}. Next: send "job" with "list" to see its pages.`);
      if (!embedded) {
        for await (const { data } of readDocuments(client, { kind: 'crawl', id: job }, { signal })) {
          const document = data.find(({ metadata }) => metadata?.url === url || metadata?.sourceURL === url);
          if (document) return { content: { name: 'page', text: documentForModel(document, 'markdown') } };
        }
        throw missing();
      }
      const { found: pages } = await embedded.findPages({ params: { jobId: job }, body: { urls: [url] } }, { signal });
      const page = pages[0]?.page;
      if (!page) throw missing();
      if (!page.id) throw new ToolProblem(`${noDocument(page)} Next: read another page.`);
      const { data } = await client.getScrape({ params: { jobId: page.id } }, { signal });
      return { content: { name: 'page', text: documentForModel(data, 'markdown') } };
    },
  };
}

function listOf(lines: readonly string[], cursor: string | null | undefined): Answer {
  if (lines.length === 0) return { text: 'No pages yet.', next: 'Next: send "job" with "wait".' };
  return {
    content: { name: 'pages', text: lines.join('\n') },
    next: nextOf(cursor),
  };
}

function nextOf(cursor: string | null | undefined): string {
  return `Next: ${cursor ? `the same with "cursor":"${cursor}", or ` : ''}read a page with "job" and "page".`;
}
