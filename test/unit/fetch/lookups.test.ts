import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type Asker, workingFor } from '../../../src/service/platform/asker.ts';
import type { Address } from '../../../src/service/platform/network/address-policy/address-policy.ts';
import { shareLookups } from '../../../src/service/platform/network/lookups.ts';
import { openNetwork } from '../../../src/service/platform/network/network.ts';
import { eventually } from '../../harness/eventually.ts';

/** A name service that answers for a host when it is told to. */
function startNames(waitMs?: number) {
  const asked = new Map<string, { answer(): void; fail(): void }>();
  const found: Address[] = [{ address: '203.0.113.1', family: 4 }];
  const resolve = shareLookups((host) => {
    const { promise, resolve: answer, reject } = Promise.withResolvers<Address[]>();
    const fail = () => reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { syscall: 'getaddrinfo' }));
    asked.set(host, { answer: () => answer(found), fail });
    return promise;
  }, waitMs);
  return {
    found,
    asked: () => [...asked.keys()],
    end(host: string, how: 'answer' | 'fail' = 'answer'): void {
      asked.get(host)?.[how]();
      asked.delete(host);
    },
    lookUp: (asker: Asker | undefined, host: string) =>
      asker ? workingFor(asker, () => resolve(host)) : resolve(host),
  };
}

const hosts = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}.test`);

describe('look-ups of names whose servers do not answer (TRN-11)', () => {
  const job = { team: 'a', work: 'job' };

  it('leave room for other work of the same team, and for other teams', async () => {
    const names = startNames(60_000);
    const begin = (asker: Asker, host: string) => void names.lookUp(asker, host).catch(() => undefined);
    for (const host of hosts('job', 100)) begin(job, host);
    assert.deepEqual(names.asked(), hosts('job', 4));
    const scraped = names.lookUp({ team: 'a', work: 'scrape' }, 'scrape.test');
    names.end('scrape.test');
    assert.deepEqual(await scraped, names.found);
    // However much a team begins.
    for (const host of hosts('more', 100)) begin({ team: 'a', work: host }, host);
    assert.equal(names.asked().length, 7);
    const others = hosts('other', 3).map((host) => names.lookUp({ team: 'b', work: 'crawl' }, host));
    for (const host of hosts('other', 3)) names.end(host);
    assert.deepEqual(await Promise.all(others), [names.found, names.found, names.found]);
    // Two teams don't use up the threads that the service itself needs, and leave a turn to others.
    for (const host of hosts('rest', 100)) begin({ team: 'c', work: host }, host);
    assert.equal(names.asked().length, 10);
    for (const team of ['d', 'e', 'f']) begin({ team, work: team }, `${team}.test`);
    assert.deepEqual(names.asked().slice(10), ['d.test', 'e.test']);
    names.end('job0.test', 'fail');
    await eventually(() => assert.ok(names.asked().includes('f.test')));
  });

  it('are made in their order, as others end', async () => {
    const names = startNames(60_000);
    const all = hosts('job', 12).map((host) =>
      names.lookUp(job, host).then(
        () => host,
        () => 'failed',
      ),
    );
    names.end('job1.test', 'fail');
    assert.equal(await all[1], 'failed');
    assert.deepEqual(names.asked(), ['job0.test', 'job2.test', 'job3.test', 'job4.test']);
    for (const host of hosts('job', 12)) {
      names.end(host);
      await all[Number(host.match(/\d+/)?.[0])];
    }
    assert.equal((await Promise.all(all)).filter((each) => each !== 'failed').length, 11);
  });

  it('are made once for all that need the same name at a time', async () => {
    const names = startNames();
    const all = ['job', 'scrape', 'crawl'].map((work) => names.lookUp({ team: 'a', work }, 'a.test'));
    assert.deepEqual(names.asked(), ['a.test']);
    names.end('a.test');
    assert.deepEqual(await Promise.all(all), [names.found, names.found, names.found]);
    const again = names.lookUp(undefined, 'a.test');
    assert.deepEqual(names.asked(), ['a.test']);
    names.end('a.test');
    assert.deepEqual(await again, names.found);
  });

  it('are given up if their turn does not come', async () => {
    const names = startNames(1);
    for (const host of hosts('job', 4)) void names.lookUp(job, host);
    await assert.rejects(names.lookUp(job, 'late.test'), {
      code: 'ETIMEDOUT',
      message: /^late\.test wasn't looked up in time/,
    });
    names.end('job0.test');
    assert.ok(!names.asked().includes('late.test'));
  });

  it('are those of the job that fetches, and of the page that a browser shows', async () => {
    const asked: string[] = [];
    const network = openNetwork({
      denyPrivateTargets: false,
      proxy: undefined,
      ownPorts: () => [],
      resolve: (host) => {
        asked.push(host);
        return new Promise(() => undefined);
      },
    });
    const stop = new AbortController();
    const fetchFor = (asker: Asker, host: string) => {
      const options = { signal: stop.signal, timeoutMs: 600_000, maxBytes: 1 };
      void workingFor(asker, () => network.fetcher.fetch(`http://${host}/`, options)).catch(() => undefined);
    };
    for (const host of hosts('job', 8)) fetchFor(job, host);
    fetchFor({ team: 'a', work: 'scrape' }, 'scrape.test');
    await eventually(() => assert.deepEqual(asked.sort(), [...hosts('job', 4), 'scrape.test']));
    const { lane, url: proxy } = await network.egress();
    const { hostname, port } = new URL(proxy);
    const tabs: Record<string, ReturnType<typeof lane>> = { page: lane() };
    const load = (work: string, host: string) => {
      const { username, password } = Object.assign(tabs[work] ?? lane(), { asker: { team: 'b', work } });
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      const headers = { 'proxy-authorization': authorization, host };
      request({ hostname, port, path: `http://${host}/`, headers })
        .on('error', () => undefined)
        .end();
    };
    for (const host of hosts('page', 8)) load('page', host);
    await eventually(() => assert.equal(asked.filter((host) => host.startsWith('page')).length, 4));
    load('other', 'other.test');
    await eventually(() => assert.ok(asked.includes('other.test')));
    assert.equal(asked.length, 10);
    stop.abort();
    await network.close();
  });
});
