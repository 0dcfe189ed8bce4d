import assert from 'node:assert/strict';
import { crawl, linking, pathsOf } from '../../harness/crawl-jobs.ts';
import { countPages, endlessSites, startEndlessSite } from '../../harness/endless-sites.ts';
import { type FaultySite, redirect, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTrapSite } from '../../harness/trap-site.ts';

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
    assert.equal(paths.filter((path) => /^\/shop\?page=\d+$/.test(path)).length, 11);
    // Of 43,200 combinations and of dates and visits without end.
    assert.ok(count('/shop') < 1500 && count('/calendar') < 120 && count('/agenda') < 120 && count('/visit') < 300);
    const trap = state.leftOut.find(({ reason }: { reason: string }) => reason === 'trap');
    assert.ok(trap.count > 20 && trap.atLeast && trap.examples.length === 3, JSON.stringify(trap));
  });

  for (const name of Object.keys(endlessSites)) {
    it(`made by ${name} hide none of the pages that a limit has room for`, async () => {
      const endless = await startEndlessSite(name, 6);
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
