import assert from 'node:assert/strict';
import { crawl, pathsOf } from '../../harness/crawl-jobs.ts';
import type { FaultySite } from '../../harness/faulty-site.ts';
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
    assert.deepEqual([state.status, state.data.length], ['completed', 1000]);
    const { pathname } = new URL(state.next);
    const rest = await service.call('GET', `${pathname}?skip=1000&limit=1000`);
    const paths: string[] = [...pathsOf(state), ...pathsOf(rest.body)];
    const count = (start: string) => paths.filter((path) => path.startsWith(start)).length;
    assert.deepEqual([count('/archive'), count('/item/'), count('/log')], [300, 120, 100]);
    assert.equal(paths.filter((path) => /^\/shop\?page=\d+$/.test(path)).length, 11);
    // Of 43,200 combinations and of dates and visits without end.
    assert.ok(count('/shop') < 1500 && count('/calendar') < 120 && count('/agenda') < 120 && count('/visit') < 300);
    const trap = state.leftOut.find(({ reason }: { reason: string }) => reason === 'trap');
    assert.ok(trap.count > 20 && trap.atLeast && trap.examples.length === 3, JSON.stringify(trap));
  });
});
