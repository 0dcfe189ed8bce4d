import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLog } from '../../../src/service/platform/log.ts';
import { cacheKey, openPageCache } from '../../../src/service/platform/network/page-cache.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('page cache', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const page = {
    url: 'https://site.test/',
    status: 200,
    contentType: 'text/html',
    link: '</2>; rel="next"',
    body: Uint8Array.of(1, 2, 3),
    rendered: false,
    because: 'noScripts',
    menuLinks: ['/three'],
    etag: '"one"',
    lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT',
  };
  const any = { max: Number.MAX_SAFE_INTEGER };

  it('finds a page by team and key, within the requested ages', async () => {
    const clock = createFakeClock();
    const cache = openPageCache(folder, clock, silentLog);
    cache.store('red', 'key', page);
    const stored = clock.now();
    clock.advance(10_000);
    assert.deepEqual(await cache.find('red', 'key', { max: 10_000 }), { ...page, storedAt: stored });
    assert.equal(await cache.find('red', 'key', { max: 9999 }), undefined);
    assert.equal(await cache.find('red', 'key', { ...any, min: 10_001 }), undefined);
    assert.ok(await cache.find('red', 'key', { ...any, min: 10_000 }));
    assert.equal(await cache.find('blue', 'key', any), undefined);
    assert.equal(await cache.find('red', 'other', any), undefined);
    await cache.close();
  });

  it('keeps the newest version of a page, also for the next service', async () => {
    const clock = createFakeClock();
    const first = openPageCache(folder, clock, silentLog);
    first.store('red', 'key', page);
    clock.advance(1000);
    first.store('red', 'key', { ...page, status: 203 });
    await first.close();
    const next = openPageCache(folder, clock, silentLog);
    assert.equal((await next.find('red', 'key', any))?.status, 203);
    await next.close();
  });

  it('starts over if its file is damaged', async () => {
    writeFileSync(
      join(folder, 'pages.sqlite'),
      'not a database at all, just some text that is long enough to be looked at',
    );
    const cache = openPageCache(folder, createFakeClock(), silentLog);
    assert.equal(await cache.find('red', 'key', any), undefined);
    cache.store('red', 'key', page);
    assert.ok(await cache.find('red', 'key', any));
    await cache.close();
  });

  it('leaves nothing of earlier versions, which would take its place', async () => {
    const path = join(folder, 'pages.sqlite');
    const before = new DatabaseSync(path);
    before.exec('CREATE TABLE page_1 (body BLOB); CREATE TABLE page_5 (body BLOB)');
    before.close();
    await openPageCache(folder, createFakeClock(), silentLog).close();
    const after = new DatabaseSync(path);
    const tables = after.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    after.close();
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['page_6'],
    );
  });

  it('treats URLs that differ only in their fragment as one page', () => {
    assert.equal(cacheKey('https://x/#a', { mobile: false }), cacheKey('https://x/#b', { mobile: false }));
    // Routes of an application are pages of their own.
    const routes = ['https://x/', 'https://x/#/a', 'https://x/#/b', 'https://x/#!a', 'https://x/#/a#b'];
    assert.equal(new Set(routes.map((url) => cacheKey(url, { mobile: false }))).size, routes.length);
    assert.notEqual(cacheKey('https://x/', { mobile: false }), cacheKey('https://x/', { mobile: true }));
  });
});
