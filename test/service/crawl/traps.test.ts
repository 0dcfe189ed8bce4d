import assert from 'node:assert/strict';
import { crawl, linking, pathsOf } from '../../harness/crawl-jobs.ts';
import { changes, countPages, endlessSites, startEndlessSite } from '../../harness/endless-sites.ts';
import { type FaultySite, redirect, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { sentenceOf, startTrapSite } from '../../harness/trap-site.ts';

describe('URLs without end', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
    site = await startTrapSite();
  });
  after(async () => {
    await service.close();
    await site.close();
  });

  it('are left out and said, while long series stay whole', async () => {
    const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip', limit: 5000 });
    assert.equal(state.status, 'completed');
    const rest = state.next ? (await service.call('GET', state.next.slice(service.baseUrl.length))).body : { data: [] };
    const paths = [...pathsOf(state), ...pathsOf(rest)];
    const count = (start: string) => paths.filter((path) => path.startsWith(start)).length;
    assert.deepEqual([count('/archive'), count('/item/'), count('/log')], [300, 120, 100]);
    // What some filters show is the same, and the first that is read is the one that is stored.
    const lists = paths.filter((path) => path.startsWith('/shop') && !/color=|sort=price/.test(path));
    const numbers = new Set(lists.map((path) => Number(/page=(\d+)/.exec(path)?.[1] ?? 0)));
    assert.deepEqual(
      [...numbers].sort((one, other) => one - other),
      Array.from({ length: 12 }, (_, number) => number),
    );
    // Of 43,200 combinations and of dates and visits without end.
    assert.ok(count('/shop') < 1500 && count('/calendar') < 120 && count('/agenda') < 120 && count('/visit') < 300);
    const trap = state.leftOut.find(({ reason }: { reason: string }) => reason === 'trap');
    assert.ok(trap.count > 20 && trap.atLeast && trap.examples.length === 3, JSON.stringify(trap));
  });

  for (const [index, name] of Object.keys(endlessSites).entries()) {
    // Every site without changes, and each with one of them.
    const [, ...kinds] = Object.keys(changes);
    for (const change of ['nothing', kinds[index % kinds.length] ?? ''])
      it(`made by ${name} hide none of the pages that a limit has room for, with ${change} that changes`, async () => {
        const endless = await startEndlessSite(name, 6, changes[change]);
        try {
          const state = await crawl(service, { url: endless.baseUrl, sitemap: 'skip', limit: 200 });
          const urls: string[] = state.data.map(({ metadata }: { metadata: { url: string } }) => metadata.url);
          const { pages, others } = countPages(name, urls);
          assert.equal(pages, 30, `${endless.requests.length} requests`);
          assert.ok(others <= 30, `${others} others\n${urls.join('\n')}`);
          assert.ok(endless.requests.length < 400, `${endless.requests.length} requests`);
        } finally {
          await endless.close();
        }
      });
  }

  it('are no series whose pages differ in a word or a number, whatever else changes from visit to visit', async () => {
    const names = Array.from({ length: 20 }, (_, number) => sentenceOf(number + 50, 1));
    const shared = sentenceOf(1, 40);
    const series: ((name: string, number: number) => [path: string, text: string])[] = [
      (name, number) => [`/price?sku=${name}`, `<p>${shared}</p><p>${1000 + number * 7} EUR</p>`],
      (name) => [`/lamp?name=${name}`, `<p>Lamp ${name} is sold here.</p><p>${shared}</p>`],
      (_name, number) => [
        `/list?page=${number}`,
        [1, 2, 3].map((row) => `<p>Order ${number * 100 + row}</p>`).join(''),
      ],
      (name, number) => [
        `/shirt/${number >> 2}?color=${name}`,
        `<p>${sentenceOf(number >> 2)}</p><p>Color: ${name}</p>`,
      ],
    ];
    const texts = new Map(series.flatMap((each) => names.map(each)));
    for (const [what, change] of Object.entries(changes)) {
      let requests = 0;
      const shop = await startFaultySite({
        otherwise(_request, response, { pathname, search }) {
          const text = texts.get(pathname + search);
          response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' });
          response.end(text && `<title>Shop</title><main><h1>Shop</h1>${text}${change(++requests)}</main>`);
        },
      });
      try {
        shop.answer('/', linking('Home', ...texts.keys()));
        const state = await crawl(service, { url: shop.baseUrl, sitemap: 'skip', limit: 200 });
        assert.deepEqual(pathsOf(state), ['/', ...texts.keys()].sort(), what);
        assert.ok(shop.requests.length < texts.size + 30, `${shop.requests.length} requests`);
      } finally {
        await shop.close();
      }
    }
  });

  it('are listed as duplicates where they are pages that are there, and count nothing toward the limit', async () => {
    const old = await startFaultySite();
    try {
      const numbers = Array.from({ length: 10 }, (_, number) => number);
      old.answer(
        '/',
        linking('Home', ...numbers.map((number) => `/old${number}`), ...numbers.map((number) => `/ok${number}`)),
      );
      for (const number of numbers) {
        old.answer(`/old${number}`, redirect('/'));
        old.answer(`/ok${number}`, linking(`Page ${number}`));
      }
      const state = await crawl(service, { url: `${old.baseUrl}/`, sitemap: 'skip', limit: 5 });
      assert.deepEqual(pathsOf(state), ['/', '/ok0', '/ok1', '/ok2', '/ok3']);
      const found = state.leftOut.find(({ reason }: { reason: string }) => reason === 'duplicate');
      assert.equal(found.count, 10);
    } finally {
      await old.close();
    }
  });
});
