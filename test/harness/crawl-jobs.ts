import { eventually } from './eventually.ts';
import type { FaultySite } from './faulty-site.ts';
import type { Answer, TestService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
type Loose = any;

type Callable = { call(method: string, path: string): Promise<Answer<Loose>> };

/** Starts a crawl and returns its id. Throws with the response when it is rejected. */
export async function startCrawl(service: TestService, body: object): Promise<string> {
  return start(service, '/v2/crawl', body);
}

/** Starts a batch and returns its id. */
export async function startBatch(service: TestService, body: object): Promise<string> {
  return start(service, '/v2/batch/scrape', body);
}

async function start(service: TestService, path: string, body: object): Promise<string> {
  const answer = await service.call('POST', path, body);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

/** Waits until a job of any kind has ended and returns its status, with all documents of a crawl or batch. */
export async function ended(service: Callable, id: string, path = '/v2/crawl'): Promise<Loose> {
  const query = path === '/v2/agent' ? '' : '?limit=1000';
  return await eventually(async () => {
    const { status, body } = await service.call('GET', `${path}/${id}${query}`);
    if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
    if (body.status === 'scraping') throw new Error(`still scraping: ${body.completed} of ${body.total}`);
    if (body.status === 'processing') throw new Error(`still processing: ${JSON.stringify(body.steps)}`);
    return body;
  });
}

/** Waits until an agent or extract job has ended and returns its state. */
export async function endedAgent(service: Callable, id: string): Promise<Loose> {
  return ended(service, id, '/v2/agent');
}

/** Starts a crawl and waits until it has ended. */
export async function crawl(service: TestService, body: object): Promise<Loose> {
  return ended(service, await startCrawl(service, body));
}

/** Paths of the documents of a job, sorted. */
export function pathsOf(state: Loose): string[] {
  return state.data.map((document: Loose) => pathOf(document.metadata.sourceURL)).sort();
}

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** A page with links. */
export function linking(title: string, ...links: string[]): string {
  const items = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('');
  return `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>Words of ${title}.</p><ul>${items}</ul></main>`;
}

/** Requests for pages, without robots.txt and sitemaps. */
export function pageRequests(site: FaultySite): string[] {
  return site.requests.filter((path) => !/robots\.txt|sitemap/.test(path));
}
