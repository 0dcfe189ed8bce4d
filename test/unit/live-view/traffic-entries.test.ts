import assert from 'node:assert/strict';
import {
  filterLines,
  filterRequests,
  mergeEntries,
  shortUrl,
} from '../../../src/webviews/live-view/traffic/entries.ts';

const line = (id: string, level: string, text: string, url?: string) => ({
  id,
  level,
  text,
  source: 'console',
  at: '2026-11-24T10:00:00.000Z',
  ...(url && { url }),
});
const request = (id: string, type: string, state: string, status?: number) => ({
  id,
  method: 'GET',
  url: `https://shop.test/${id}`,
  type,
  page: 'https://shop.test/',
  state,
  startedAt: '2026-11-24T10:00:00.000Z',
  bytes: 0,
  transferredBytes: 0,
  ...(status !== undefined && { status }),
});
const all = { text: '', kind: '', failed: false };
const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).join(' ');

describe('the lists of the console and the network', () => {
  it('filter lines by text, URL, level and failure', () => {
    const lines = [
      line('a', 'error', 'Broken'),
      line('b', 'log', 'fine', 'https://shop.test/cart.js'),
      line('c', 'log', 'x'),
    ];
    assert.equal(ids(filterLines(lines, all)), 'a b c');
    assert.equal(ids(filterLines(lines, { ...all, text: ' broken ' })), 'a');
    assert.equal(ids(filterLines(lines, { ...all, text: 'CART' })), 'b');
    assert.equal(ids(filterLines(lines, { ...all, kind: 'log' })), 'b c');
    assert.equal(ids(filterLines(lines, { ...all, failed: true })), 'a');
  });

  it('filter requests by URL, type and failure', () => {
    const requests = [
      request('a', 'fetch', 'finished', 404),
      request('b', 'fetch', 'finished', 200),
      request('c', 'image', 'failed'),
      request('d', 'image', 'pending'),
    ];
    assert.equal(ids(filterRequests(requests, { ...all, kind: 'fetch' })), 'a b');
    assert.equal(ids(filterRequests(requests, { ...all, failed: true })), 'a c');
    assert.equal(ids(filterRequests(requests, { ...all, text: 'TEST/D' })), 'd');
  });

  it('keep the newest thousand, and the place of an entry that has changed', () => {
    const pending = request('a', 'fetch', 'pending');
    const merged = mergeEntries([pending, request('b', 'fetch', 'pending')], [request('a', 'fetch', 'finished', 200)]);
    assert.deepEqual(
      merged.map(({ id, state }) => `${id} ${state}`),
      ['a finished', 'b pending'],
    );
    const many = Array.from({ length: 1200 }, (_, index) => line(String(index), 'log', ''));
    const kept = mergeEntries(many.slice(0, 700), many.slice(700));
    assert.equal(kept.length, 1000);
    assert.equal(kept[0]?.id, '200');
  });

  it('name where a line comes from by the end of its URL, which is never empty', () => {
    for (const [url, name] of [
      ['https://shop.test/js/cart.js', 'cart.js'],
      ['https://shop.test/cart.js?v=1/2#a/b', 'cart.js'],
      ['https://shop.test/docs/', 'docs/'],
      ['https://shop.test:8080/', 'shop.test:8080'],
      ['https://shop.test?a=/b', 'shop.test'],
      ['webpack:main', 'webpack:main'],
      ['data:text/html,<p>', 'data:text/html,<p>'],
      ['', ''],
    ] as const)
      assert.equal(shortUrl(url), name, url);
  });
});
