import { dataBlock } from '../../../answers/data-block.ts';
import { type Redact, redactInTurns } from '../../../answers/redaction.ts';
import { describeRun } from '../../../answers/texts.ts';
import { shorten } from '../../../contract/shorten.ts';
import { plain } from '../../browsers/page/driver/driver.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Api } from './api.ts';
import type { Agent } from './tools/tool.ts';
import { describeDocument } from './tools/web.ts';

/** What agents can read without a tool: documents of scrapes and crawls, and the results of their runs. */
export type Resources = ReturnType<typeof createResources>;

/** The kinds of resource, as URI templates. */
export const resourceTemplates = [
  {
    uriTemplate: 'webdata://scrape/{id}',
    name: 'Document of a scrape or of a page of a crawl',
    mimeType: 'text/markdown',
  },
  { uriTemplate: 'webdata://crawl/{id}', name: 'Pages of a crawl, each with its document', mimeType: 'text/plain' },
  { uriTemplate: 'webdata://run/{id}', name: 'Result of a run of your code', mimeType: 'text/plain' },
];

/** Maximum number of requests that are listed. */
const listed = 50;
/** Maximum number of pages of a crawl that are listed. */
const crawlPages = 500;

export function createResources(api: Api, redact: Redact) {
  return {
    /** Returns resources as the protocol lists them. */
    async list(agent: Agent, signal: AbortSignal) {
      const { data } = await api('listActivity', { query: { limit: listed } }, { agent, signal });
      // Truncated last: part of a key isn't recognized.
      const safe = (text: string, length: number) => plain(redact(text)).slice(0, length);
      const requests = data.flatMap(({ id, endpoint, target }) => {
        if (!id || (endpoint !== 'scrape' && endpoint !== 'crawl')) return [];
        const mimeType = endpoint === 'scrape' ? 'text/markdown' : 'text/plain';
        return [{ uri: `webdata://${endpoint}/${id}`, name: safe(`${endpoint} ${target ?? ''}`, 200), mimeType }];
      });
      const runs = agent.runs.list().map(({ id, language, code }) => ({
        uri: `webdata://run/${id}`,
        name: `run ${id} (${language})`,
        description: safe(code, 100),
        mimeType: 'text/plain',
      }));
      return [...runs, ...requests];
    },
    /** Throws a ServiceError: 404 if there is no such resource. */
    async read(uri: string, agent: Agent, signal: AbortSignal) {
      const [, kind = '', id = ''] = /^webdata:\/\/(scrape|crawl|run)\/([\w-]{1,100})$/.exec(uri) ?? [];
      const content = async (mimeType: string, text: string) => ({
        uri,
        mimeType,
        text: dataBlock(`untrusted ${kind}`, await redactInTurns(redact, text)),
      });
      if (kind === 'run') {
        const run = agent.runs.find(id);
        if (!run) throw new ServiceError(404, `Run "${shorten(id, 60)}" is no longer available. Run the code again.`);
        const { summary, text } = describeRun(run.result);
        return await content('text/plain', [run.code, summary, text].join('\n\n'));
      }
      if (kind === 'scrape') {
        const { data } = await api('getScrape', { params: { jobId: id } }, { agent, signal });
        return await content('text/markdown', describeDocument(data, 'markdown').content?.text ?? '');
      }
      if (kind !== 'crawl') {
        const known = resourceTemplates.map(({ uriTemplate }) => uriTemplate).join(', ');
        throw new ServiceError(404, `There is no resource ${shorten(uri)}. The resources are: ${known}.`);
      }
      const pages: string[] = [];
      for (let cursor: string | null | undefined; pages.length < crawlPages && cursor !== null; ) {
        const query = { limit: 100, ...(cursor && { cursor }) };
        const page = await api('listPages', { params: { jobId: id }, query }, { agent, signal });
        for (const { url, title, id: scrape } of page.pages)
          pages.push([title, url, scrape && `webdata://scrape/${scrape}`].filter(Boolean).join(' · '));
        cursor = page.cursor;
      }
      return await content('text/plain', pages.join('\n'));
    },
  };
}
