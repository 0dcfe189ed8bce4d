import assert from 'node:assert/strict';
import type { ConsoleEntry } from '../../../../src/service/browsers/traffic/console.ts';
import { keepEntries } from '../../../../src/service/browsers/traffic/kept.ts';
import { mask } from '../../../../src/service/browsers/traffic/masking.ts';
import type { RecordedRequest } from '../../../../src/service/browsers/traffic/requests.ts';
import { listConsole, listRequests } from '../../../../src/service/browsers/traffic/shown.ts';

/** Requests for URLs, on a page of the first one. */
function requestsFor(...urls: string[]) {
  const entries = keepEntries<RecordedRequest>('r', 1000);
  for (const url of urls)
    entries.add({
      url,
      page: urls[0] ?? '',
      method: 'GET',
      type: 'fetch',
      state: 'finished',
      status: 200,
      startedAt: 0,
      start: 0,
      requestHeaders: [],
      responseHeaders: [],
      transferredBytes: 0,
      bodyBytes: 0,
    });
  return { entries };
}

describe('lists of what a session has recorded', () => {
  it('have the requests that are asked for, without secrets', async () => {
    const network = requestsFor('https://site.test/', 'https://site.test/a?token=x', 'https://site.test/b');
    const urls = async (query: Parameters<typeof listRequests>[1]) =>
      (await listRequests(network, query)).map(({ url }) => url);
    assert.deepEqual(await urls({ text: '/A' }), [`https://site.test/a?token=${mask}`]);
    assert.deepEqual(await urls({ since: 2, type: 'FETCH' }), ['https://site.test/b']);
    assert.deepEqual(await urls({ failed: true }), []);
    // What it contains can't be found out by searching for it.
    assert.deepEqual(await urls({ text: 'token=x' }), []);
  });

  it('have the lines that are asked for', async () => {
    const entries = keepEntries<ConsoleEntry>('c', 1000);
    const line = { source: 'console', at: 0 } as const;
    entries.add({ ...line, level: 'error', text: 'One', url: 'https://site.test/x.js' });
    entries.add({ ...line, level: 'log', text: 'Two' });
    const texts = async (query: Parameters<typeof listConsole>[1]) =>
      (await listConsole({ entries }, query)).map(({ text }) => text);
    assert.deepEqual(await texts({ level: 'error' }), ['One']);
    assert.deepEqual(await texts({ text: 'X.JS' }), ['One']);
    assert.deepEqual(await texts({ since: 1 }), ['Two']);
  });

  it('TRN-15: let others have their turn while the addresses of requests are read for secrets', async () => {
    const url = `https://site.test/?${'token'.repeat(1_500)}`;
    let turns = 0;
    setImmediate(() => turns++);
    const listed = await listRequests(requestsFor(...Array.from({ length: 50 }, () => url)), {});
    assert.equal(listed.length, 50);
    assert.ok(turns > 0);
  });
});
