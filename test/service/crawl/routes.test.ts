import assert from 'node:assert/strict';
import { crawl, pathOf } from '../../harness/crawl-jobs.ts';
import { bytes, type FaultySite, page, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

const posts = Array.from({ length: 20 }, (_, number) => number);

/** A site whose server writes its pages, and a script that does something at routes of each page. */
async function startSite(script: string, routes: readonly string[]): Promise<FaultySite> {
  const site = await startFaultySite();
  const add = (path: string, title: string, text: number, links: readonly string[]) => {
    const items = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('');
    const body = `<main><h1>${title}</h1><p>${sentenceOf(text, 60)}</p><ul>${items}</ul></main>`;
    const own = `<script src="/site.js" data-more="${sentenceOf(text + 500, 60)}"></script>`;
    site.answer(path, page(`<!doctype html><title>${title}</title>${body}${own}`));
  };
  site.answer('/site.js', bytes(Buffer.from(script), 'text/javascript'));
  add('/', 'Home', 900, [...posts.map((number) => `/post-${number}/`), ...routes]);
  for (const number of posts) add(`/post-${number}/`, `Post ${number}`, number, ['/', ...routes]);
  return site;
}

describe('routes of pages that their server writes', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  afterEach(() => site.close());
  const urlsOf = (found: readonly { url: string }[]) => found.map(({ url }) => pathOf(url) + new URL(url).hash).sort();
  const pages = ['/', ...posts.map((number) => `/post-${number}/`)].sort();

  it('are no pages if they only open something over any page', async () => {
    const script = `const show = () => {
      if (!location.hash.startsWith('#/portal')) return;
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.style = 'position: fixed; inset: 0; width: 100%; height: 100%';
      frame.contentDocument.body.innerHTML = '<h1>Sign up</h1><form><input type="email"><button>Continue</button></form>';
    };
    addEventListener('hashchange', show); show();`;
    site = await startSite(script, ['#/portal', '#/portal/signup', '#/portal/signin']);
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl });
    assert.deepEqual(urlsOf(body.links), pages);
    assert.equal(body.stopped, 'complete');
    const state = await crawl(service, { url: site.baseUrl });
    assert.deepEqual(urlsOf(state.data.map(({ metadata }: { metadata: object }) => metadata)), pages);
  });

  it('are pages if a script writes others there', async () => {
    const more = "document.querySelector('script[data-more]').dataset.more";
    const script = `const show = () => {
      if (location.hash === '#/more') document.querySelector('main').innerHTML = '<h1>More</h1><p>' + ${more} + '</p>';
    };
    addEventListener('hashchange', show); show();`;
    site = await startSite(script, ['#/more']);
    const all = pages.flatMap((path) => [path, `${path}#/more`]).sort();
    const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl });
    assert.deepEqual(urlsOf(body.links), all);
    const state = await crawl(service, { url: site.baseUrl });
    assert.deepEqual(urlsOf(state.data.map(({ metadata }: { metadata: object }) => metadata)), all);
  });
});
