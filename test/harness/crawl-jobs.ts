import { eventually } from './eventually.ts';
import type { FaultySite } from './faulty-site.ts';
import type { TestService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
type Loose = any;

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

/** Waits until a job has ended and returns its status with all documents. */
export async function ended(service: TestService, id: string, path = '/v2/crawl', timeout = 60_000): Promise<Loose> {
  return await eventually(async () => {
    const { body } = await service.call('GET', `${path}/${id}?limit=1000`);
    if (body.status === 'scraping') throw new Error(`still scraping: ${body.completed} of ${body.total}`);
    return body;
  }, timeout);
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
