import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import type { DocsSource } from '../../../../contract/docs-search/docs-sources.ts';
import { limits } from '../../../../contract/limits.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { hostOf } from '../../steering/hosts.ts';
import type { Steering } from '../../steering/steering.ts';
import type { Api } from '../api.ts';
import { waitForCrawl, working } from './progress.ts';
import { fetches, reads, type Tool, type ToolCall, tool } from './tool.ts';

/** Seconds that an update is waited for, unless the agent says how long. */
const patience = 60;

/** Tools that answer from the documentation, and keep it up to date. */
export function docsTools(api: Api, steering: Pick<Steering, 'permit'>): Record<string, Tool> {
  const sourcesOf = async (call: ToolCall) => (await api('listDocsSources', {}, call)).sources;

  return {
    docs_answer: tool({
      title: 'Ask the documentation',
      description: 'Get an answer with sources from the docs of Web Data and those that the user added.',
      schema: z.strictObject({ question: z.string().min(1).max(limits.question.max) }),
      example: { question: 'How do I save logins between sessions?' },
      hints: reads,
      async run({ question }, call) {
        const searching = api('searchDocs', { body: { question } }, call);
        const { answer, evidence } = await working(call, 'Searching', searching);
        const sources = (evidence ?? []).map(({ pathOrUrl }) => `- ${pathOrUrl}`);
        const text = [answer, ...(sources.length > 0 ? ['Sources:', ...sources] : [])].join('\n');
        return { content: { name: 'documentation', text } };
      },
    }),
    docs_update: tool({
      title: 'Update docs',
      description: 'Crawl docs that the user added again, or list them.',
      schema: z.strictObject({
        source: z.string().max(200).optional(),
        job: z.string().max(100).optional().describe('Update in progress'),
        wait: z.int().min(0).max(300).optional(),
      }),
      example: { source: 'docs.example.com' },
      hints: fetches,
      async run({ source: named, job, wait = patience }, call) {
        const sources = await sourcesOf(call);
        if (named === undefined) return listed(sources);
        const source = sources.find(({ id, name }) => id === named || name === named);
        if (!source)
          throw new ServiceError(404, 'There is no such source. Call docs_update without "source" for a list.');
        if (source.kind !== 'crawl')
          throw new ServiceError(400, 'The source is a folder. Ask the user to run Reindex in Manage Docs Sources.');
        return await update(source, job ?? (await begin(source, call)), wait, call);
      },
    }),
  };

  /** Repeats the crawl of a source; if its pages are gone, starts another one at the same URL. */
  async function begin({ crawlId, location }: DocsSource, call: ToolCall): Promise<string> {
    const host = hostOf(location);
    if (host) await steering.permit({ kind: 'host', host, detail: location }, call);
    try {
      return (await api('repeatCrawl', { params: { jobId: crawlId ?? '' }, body: {} }, call)).id;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      return (await api('startCrawl', { body: { url: location } }, call)).id;
    }
  }

  /** Answers from a crawl as soon as it has ended. */
  async function update(source: DocsSource, job: string, seconds: number, call: ToolCall): Promise<Answer> {
    const state = await waitForCrawl(call, seconds, api, job);
    if (state.status === 'scraping')
      return { text: 'Crawling.', next: `Next: call docs_update with the same source and job ${job}.` };
    const adding = api('addDocsSource', { body: { crawlId: job, name: source.name } }, call);
    const added = (await working(call, 'Indexing', adding)).source;
    const remove = (sourceId: string) => api('removeDocsSource', { params: { sourceId } }, call);
    if (added.location !== source.location) {
      if (added.id !== source.id) await remove(added.id);
      throw new ServiceError(400, 'The job is not a crawl of this source. Call docs_update without "job".');
    }
    if (added.id !== source.id) await remove(source.id);
    const { changes } = state;
    const said = changes && ` ${changes.new} new, ${changes.changed} changed and ${changes.removed} removed pages.`;
    return { text: `Updated: ${added.pages} pages.${said ?? ''}` };
  }
}

function listed(sources: readonly DocsSource[]): Answer {
  if (sources.length === 0) return { text: 'The user has added no docs.' };
  const lines = sources.map(({ name, kind, location, pages }) => [name, kind, location, `${pages} pages`].join(' · '));
  return { text: `${sources.length} sources.`, content: { name: 'docs sources', text: lines.join('\n') } };
}
