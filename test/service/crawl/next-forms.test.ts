import assert from 'node:assert/strict';
import { crawl, pathsOf } from '../../harness/crawl-jobs.ts';
import { type FaultySite, page, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

describe('a list whose form leads to its next page', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    [service, site] = await Promise.all([startTestService(), startFaultySite()]);
  });
  after(() => Promise.all([service.close(), site.close()]));

  /** A list with rows on four pages, and forms on more of them. */
  function answer(path: string, last: number, field = ''): void {
    site.answer(path, (request, response, url) => {
      const number = Number(url.searchParams.get('page') ?? 1);
      const next = `<form>${field}<input type="hidden" name="page" value="${number + 1}"><button>Next</button></form>`;
      const rows = number > 4 ? '<p>No rows.</p>' : `<p>Row ${'abcd'[number - 1]} of the list</p>`;
      page(`<main><h1>List</h1>${rows}${number < last ? next : ''}</main>`)(request, response, url);
    });
  }

  it('is crawled whole', async () => {
    answer('/list', 4);
    const state = await crawl(service, { url: `${site.baseUrl}/list`, sitemap: 'skip' });
    assert.deepEqual(pathsOf(state), ['/list', '/list?page=2', '/list?page=3', '/list?page=4']);
  });

  it('ends soon after its rows if its forms go on without end', async () => {
    answer('/endless', Number.POSITIVE_INFINITY);
    const state = await crawl(service, { url: `${site.baseUrl}/endless`, sitemap: 'skip', limit: 100 });
    const paths = pathsOf(state);
    assert.ok(paths.includes('/endless?page=4') && paths.length < 50, paths.join(' '));
  });

  it('is left as it is if its form sends something that the address of its page has not', async () => {
    answer('/token', 4, '<input type="hidden" name="token" value="8f3a">');
    const state = await crawl(service, { url: `${site.baseUrl}/token`, sitemap: 'skip' });
    assert.deepEqual(pathsOf(state), ['/token']);
  });
});
