import assert from 'node:assert/strict';
import { createJobRobots } from '../../../../src/service/web/crawl/run/job-robots.ts';
import type { RobotsCache, SiteRobots } from '../../../../src/service/web/crawl/site/robots-cache.ts';
import type { Job } from '../../../../src/service/web/crawl/store/job-table.ts';
import { eventually } from '../../../harness/eventually.ts';

const origin = 'https://site.test';
const pageOf = (path: string) => ({ url: origin + path, origin });

describe('the robots.txt of the sites of a job', () => {
  let read: number;
  const cache = {
    of: async () => {
      read++;
      return { allows: (path: string) => path !== '/private?all' } as SiteRobots;
    },
  } as unknown as RobotsCache;
  const { signal } = new AbortController();
  const open = (job: Partial<Job>, onRead = () => {}) =>
    createJobRobots({ kind: 'crawl', options: {}, scrapeOptions: {}, ...job } as Job, cache, signal, onRead);
  beforeEach(() => {
    read = 0;
  });

  it('is read once, before the first page of a site', async () => {
    let told = 0;
    const robots = open({}, () => told++);
    assert.equal(robots.against(pageOf('/private?all')), undefined);
    assert.deepEqual([robots.areOpen(origin), robots.areOpen(origin), robots.first()], [true, true, undefined]);
    await eventually(() => assert.equal(told, 1));
    assert.deepEqual([robots.areOpen(origin), read], [false, 1]);
    assert.equal(robots.against(pageOf('/private?all')), robots.first());
    assert.ok(robots.first());
    assert.equal(robots.against(pageOf('/private')), undefined);
  });

  it('is not heeded by a batch, nor by a crawl that ignores it, but can be read', async () => {
    for (const job of [{ kind: 'batch_scrape' as const }, { options: { ignoreRobotsTxt: true } }]) {
      const robots = open(job);
      assert.equal(robots.areOpen(origin), false);
      assert.equal((await robots.read(origin)).allows('/private?all'), false);
      assert.equal(robots.against(pageOf('/private?all')), undefined);
    }
    assert.equal(read, 2);
  });
});
