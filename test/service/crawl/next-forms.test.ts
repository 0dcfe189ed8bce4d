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

  it('is said to have more pages if its form posts their numbers, unless links lead there, too', async () => {
    const rows = '<h1>List</h1><p>Row a of the list</p>';
    const form = (fields: string) =>
      `<form method="post" action="/jobs"><input type="hidden" name="token" value="8f3a">${fields}</form>`;
    const button = (number: number) => `<button name="page" value="${number}">${number}</button>`;
    const numbers = [1, 2, 3, 4, 5, 2].map(button).join('');
    const warned = async (html: string) => {
      site.answer('/jobs', page(`<main>${rows}${html}</main>`));
      const { warning, data } = await crawl(service, { url: `${site.baseUrl}/jobs`, sitemap: 'skip', limit: 1 });
      return [data[0].warning, warning];
    };
    const said = 'Only buttons that post a form lead to further pages of this list, which are missing:';
    const [own, ofCrawl] = await warned(form(numbers));
    assert.ok(own.startsWith(`${said} "2", "3", "4" and 1 more. To get the first of them, set actions: `), own);
    assert.ok(own.includes(String.raw`:is(button, [type=\"submit\" i])[name=\"page\"][value=\"2\"]"}]`), own);
    assert.ok(ofCrawl.includes(`${site.baseUrl}/jobs: ${said}`), ofCrawl);
    const hidden = (number: number) => `<input type="hidden" name="page" value="${number}">`;
    for (const none of [
      `${form(numbers)}<a href="/jobs?page=2">2</a>`,
      `${form(numbers)}<a href="/jobs?p=2">2</a>`,
      `${form(numbers)}<a href="/jobs/page/2">2</a>`,
      `${form(numbers)}<a href="/jobs/page-2.html">2</a>`,
      `${form(numbers)}<a rel="next" href="/jobs/more">More</a>`,
      `<link rel="next" href="/jobs/more">${form(numbers)}`,
      // What is liked is the page of a list of all.
      form(`${hidden(812)}<button>Like this page</button>`),
      form(`${hidden(812)}<button name="like" value="2">Like</button><button name="like" value="3">Love</button>`),
      form(`${button(7)}${button(7)}`),
      form(numbers).replace('/jobs', `${site.baseUrl.replace('127.0.0.1', 'localhost')}/jobs`),
      form(`<input name="q">${numbers}`),
      form('<button name="page" value="1">First</button>'),
      form('<button name="step" value="2">Next</button>'),
      form(numbers).replace('/jobs', '/vote'),
    ])
      assert.deepEqual(await warned(none), [undefined, undefined], none);
    await warned(form(numbers));
    const { body } = await service.call('POST', '/v2/scrape', {
      url: `${site.baseUrl}/jobs`,
      actions: [{ type: 'wait', milliseconds: 1 }],
    });
    assert.equal(body.data.warning, undefined);
  });
});
