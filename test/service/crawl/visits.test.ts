import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { crawl, pathOf } from '../../harness/crawl-jobs.ts';
import { type Answer, type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const idOf = () => randomUUID().replaceAll('-', '');
const threads = 24;

interface Forum {
  /** The parameter that identifies the visit. */
  name: string;
  /** What it writes between parameters. */
  separator?: ';';
  /** Whether it first sends each visitor to the same page with an id. */
  redirects?: boolean;
}

/** Returns a forum that writes the id of the visit into each link, and another id for each visit. */
function forumOf({ name, separator, redirects }: Forum): Answer {
  const given = new Set<string>();
  return (_request, response, url) => {
    if (/robots|sitemap|llms/.test(url.pathname)) return void response.writeHead(404).end();
    const query = new URLSearchParams(url.search.replaceAll(';', '&'));
    const id = idOf();
    if (redirects && !given.delete(query.get(name) ?? '')) {
      given.add(id);
      query.set(name, id);
      return void response.writeHead(302, { location: `${url.pathname}?${query}` }).end();
    }
    const link = (path: string, ...pairs: string[]) =>
      `<li><a href="${path}?${[`${name}=${id}`, ...pairs].join(separator ?? '&amp;')}">${path}</a></li>`;
    const nav = [
      link('/index.php'),
      link('/faq.php'),
      link('/forumdisplay.php', 'f=1'),
      link('/forumdisplay.php', 'f=2'),
    ];
    const thread = Number(query.get('t'));
    const first = Number(query.get('f')) * 8 + Number(query.get('page') ?? 0) * 4;
    const bodies: Record<string, () => string> = {
      '/faq.php': () => `<h1>Questions</h1><p>${sentenceOf(900, 60)}</p>`,
      '/forumdisplay.php': () =>
        `<h1>Forum ${query.get('f')}</h1><p>${sentenceOf(800 + first, 40)}</p><ul>${[
          ...numbers(4).map((index) => link('/showthread.php', `t=${first + index}`)),
          link('/forumdisplay.php', `f=${query.get('f')}`, 'page=1'),
        ].join('')}</ul>`,
      '/showthread.php': () =>
        `<h1>Thread ${thread}</h1><p>${sentenceOf(thread, 80)}</p><ul>${link('/showthread.php', `t=${thread}`, 'mode=linear')}${link('/newreply.php', 'do=newreply', `t=${thread}`)}</ul>`,
      '/newreply.php': () => '<h1>Not logged in</h1><p>You have to log in to reply.</p>',
    };
    const body = bodies[url.pathname] ?? (() => `<h1>Board</h1><p>${sentenceOf(700, 60)}</p>`);
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>${url.pathname}</title><nav><ul>${nav.join('')}</ul></nav><main>${body()}</main>`);
  };
}

describe('parameters that identify the visit', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  afterEach(() => site.close());

  const kinds: Forum[] = [
    { name: 's' },
    { name: 's', redirects: true },
    { name: 'PHPSESSID', separator: ';' },
    { name: 'sid', redirects: true },
  ];
  for (const forum of kinds)
    it(`are no part of a page's URL: ${JSON.stringify(forum)}`, async () => {
      site = await startFaultySite({ otherwise: forumOf(forum) });
      const state = await crawl(service, { url: site.baseUrl });
      const urls: string[] = state.data.map(({ metadata }: { metadata: { url: string } }) => pathOf(metadata.url));
      assert.ok(!urls.some((url) => url.includes(`${forum.name}=`)), urls.join('\n'));
      const found = (urls: string[]) =>
        new Set(urls.flatMap((url) => /showthread\.php\?.*?t=(\d+)/.exec(url)?.[1] ?? []));
      const expected = numbers(16).map((number) => String(number + 8));
      assert.deepEqual(
        [...found(urls)].sort((one, two) => Number(one) - Number(two)),
        expected,
      );
      assert.equal(urls.length, new Set(urls).size);
      const most = (forum.redirects ? 2 : 1) * 100;
      assert.ok(site.requests.length < most, `${site.requests.length} requests`);
      const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl, readPages: 200 });
      const listed = body.links.map(({ url }: { url: string }) => pathOf(url));
      assert.equal(body.stopped, 'complete');
      assert.deepEqual(
        [...found(listed)].sort((one, two) => Number(one) - Number(two)),
        expected,
      );
      assert.ok(listed.length < threads * 4, listed.join('\n'));
    });

  it('are not those that name a page, even if the site links to another one each time', async () => {
    const items = new Map(numbers(12).map((number) => [idOf(), number]));
    const ids = [...items.keys()];
    let turn = 0;
    site = await startFaultySite({
      otherwise(_request, response, url) {
        const item = items.get(url.searchParams.get('id') ?? '');
        const html = (body: string) =>
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(`<!doctype html><title>Shop</title><main>${body}</main>`);
        const id = ids[turn % ids.length];
        const links = ['/product', '/reviews', '/questions'].map(
          (path) => `<li><a href="${path}?id=${id}">${path}</a></li>`,
        );
        const some = `<ul>${links.join('')}</ul>`;
        turn++;
        if (url.pathname === '/') return void html(`<h1>Shop</h1><p>${sentenceOf(1, 60)}</p>${some}`);
        if (url.pathname === '/product' && item !== undefined)
          return void html(`<h1>Product ${item}</h1><p>${sentenceOf(item + 10, 60)}</p>${some}`);
        if (url.pathname === '/product') return void html(`<h1>All products</h1><p>${sentenceOf(2, 60)}</p>`);
        if (/reviews|questions/.test(url.pathname)) return void html(`<h1>None yet</h1><p>Write the first.</p>${some}`);
        response.writeHead(404).end();
      },
    });
    const state = await crawl(service, { url: site.baseUrl });
    const urls: string[] = state.data.map(({ metadata }: { metadata: { url: string } }) => pathOf(metadata.url));
    assert.equal(urls.filter((url) => url.startsWith('/product?id=')).length, 12, urls.join('\n'));
  });
});
