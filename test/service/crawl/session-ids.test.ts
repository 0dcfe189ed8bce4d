import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { crawl, pathOf } from '../../harness/crawl-jobs.ts';
import { type Answer, type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

interface Forum {
  /** The parameter with the session ID. */
  name: string;
  /** What it writes between parameters. */
  separator: '&amp;' | ';';
  /** Whether it sends each visitor to the same page with another ID first. */
  redirects: boolean;
}

/** Returns a forum that writes a session ID into each link, another one at each visit. */
function forumOf({ name, separator, redirects }: Forum): Answer {
  const given = new Set<string>();
  return (_request, response, url) => {
    if (/robots|sitemap|llms/.test(url.pathname)) return void response.writeHead(404).end();
    const query = new URLSearchParams(url.search.replaceAll(';', '&'));
    const id = randomUUID().replaceAll('-', '');
    if (redirects && !given.delete(query.get(name) ?? '')) {
      given.add(id);
      query.set(name, id);
      return void response.writeHead(302, { location: `${url.pathname}?${query}` }).end();
    }
    const list = (...links: [path: string, ...pairs: string[]][]) => {
      const items = links.map(([path, ...pairs]) => {
        return `<li><a href="${path}?${[`${name}=${id}`, ...pairs].join(separator)}">${path}</a></li>`;
      });
      return `<ul>${items.join('')}</ul>`;
    };
    const [thread, forum] = [query.get('t'), query.get('f')];
    const at = Number(query.get('page'));
    const first = Number(forum) * 24 + at * 4;
    const bodies: Record<string, string> = {
      '/': `<h1>Board</h1><p>${sentenceOf(700, 60)}</p>`,
      '/faq': `<h1>Questions</h1><p>${sentenceOf(900, 60)}</p>`,
      '/forum': `<h1>Forum ${forum}</h1><p>${sentenceOf(800 + first, 40)}</p>${list(
        ...numbers(4).map((index): [string, string] => ['/thread', `t=${first + index}`]),
        ['/forum', `f=${forum}`, `page=${Math.min(at + 1, 5)}`],
      )}`,
      '/thread': `<h1>Thread ${thread}</h1><p>${sentenceOf(Number(thread), 80)}</p>${list(
        ['/thread', `t=${thread}`, 'mode=linear'],
        ['/reply', `t=${thread}`],
      )}`,
      '/reply': '<h1>Not logged in</h1><p>You have to log in to reply.</p>',
    };
    const menu = list(['/'], ['/faq'], ['/forum', 'f=1'], ['/forum', 'f=2']);
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>${url.pathname}</title><nav>${menu}</nav><main>${bodies[url.pathname]}</main>`);
  };
}

describe('pages with session IDs in their links', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  afterEach(() => site.close());

  const kinds: Forum[] = [
    { name: 'PHPSESSID', separator: ';', redirects: false },
    { name: 'sid', separator: '&amp;', redirects: true },
  ];
  for (const forum of kinds)
    it(`are read once, and each is read: ${JSON.stringify(forum)}`, async () => {
      site = await startFaultySite({ otherwise: forumOf(forum) });
      const threadsOf = (urls: readonly string[]) => {
        const found = urls.flatMap((url) => /\/thread\?.*?t=(\d+)/.exec(url)?.[1] ?? []).map(Number);
        return [...new Set(found)].sort((one, other) => one - other);
      };
      const threads = numbers(48).map((number) => number + 24);
      const state = await crawl(service, { url: site.baseUrl });
      const urls: string[] = state.data.map(({ metadata }: { metadata: { url: string } }) => pathOf(metadata.url));
      assert.deepEqual(threadsOf(urls), threads, JSON.stringify(state.leftOut));
      assert.equal(urls.length, new Set(urls).size);
      assert.ok(!urls.some((url) => url.includes(`${forum.name}=`)), urls.join('\n'));
      const { body } = await service.call('POST', '/v2/map', { url: site.baseUrl, readPages: 200 });
      const links: string[] = body.links.map(({ url }: { url: string }) => pathOf(url));
      assert.deepEqual(threadsOf(links), threads);
      assert.equal(links.length, new Set(links).size);
      assert.ok(!links.some((url) => url.includes(`${forum.name}=`)), links.join('\n'));
      assert.equal(body.stopped, 'complete');
    });
});
