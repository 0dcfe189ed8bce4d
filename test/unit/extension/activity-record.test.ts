import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { activityEndpoints } from '../../../src/contract/team/team.ts';
import { fetchRecord, readWhole, recordName, sizeOf } from '../../../src/extension/activity/record.ts';
import { kindOf, kinds } from '../../../src/extension/activity/requests.ts';
import { safeFileName } from '../../../src/extension/ui/virtual-documents/file-names.ts';
import { startFaultyServer } from '../../harness/faulty-server.ts';

const id = '0192f3a4-6c1e-4000-8000-000000000000';
const never = new AbortController().signal;

describe('the record of a request', () => {
  it('comes from the endpoint of its kind', async () => {
    const server = await startFaultyServer((_arrival, exchange) =>
      exchange.json({ success: true, data: {}, status: 'completed' }),
    );
    try {
      const client = createClient({ baseUrl: server.baseUrl, fetch: globalThis.fetch });
      for (const endpoint of ['scrape', 'crawl', 'batch_scrape', 'agent']) {
        await fetchRecord(client, { endpoint, id }, never).catch(() => {});
      }
      assert.deepEqual(
        server.arrivals.map(({ method, target }) => `${method} ${target}`),
        [`GET /v2/scrape/${id}`, `GET /v2/crawl/${id}`, `GET /v2/batch/scrape/${id}`, `GET /v2/extract/${id}`],
      );
      assert.equal(await fetchRecord(client, { endpoint: 'map', id }, never), undefined);
      assert.equal(await fetchRecord(client, { endpoint: 'constructor', id }, never), undefined);
    } finally {
      await server.close();
    }
  });

  it('is the whole response, and for a scrape its markdown', async () => {
    const answer = { success: true, data: { markdown: '# Shop', metadata: { statusCode: 200 } }, extra: 1 };
    const server = await startFaultyServer((_arrival, exchange) => exchange.json(answer));
    try {
      const client = createClient({ baseUrl: server.baseUrl, fetch: globalThis.fetch });
      const record = await fetchRecord(client, { endpoint: 'scrape', id, target: 'https://shop.test/a' }, never);
      assert.deepEqual(JSON.parse(record?.json ?? ''), answer);
      assert.equal(record?.markdown, '# Shop');
      assert.equal(recordName({ endpoint: 'scrape', id, target: 'https://shop.test/a' }), 'scrape-shop.test-a-0192');
    } finally {
      await server.close();
    }
  });

  it('is readable for a scrape with other formats too', async () => {
    const answer = {
      success: true,
      data: { summary: 'A shop.', metadata: { title: 'Shop', url: 'https://shop.test/' } },
    };
    const server = await startFaultyServer((_arrival, exchange) => exchange.json(answer));
    try {
      const client = createClient({ baseUrl: server.baseUrl, fetch: globalThis.fetch });
      const record = await fetchRecord(client, { endpoint: 'scrape', id }, never);
      assert.match(record?.markdown ?? '', /^# Shop\n[\s\S]*## Summary\n\nA shop\./);
    } finally {
      await server.close();
    }
  });

  it('of a crawl has all its pages, or starts with a note that some are missing', async () => {
    const total = 230;
    const server = await startFaultyServer(({ target }, exchange) => {
      const { searchParams } = new URL(target, server.baseUrl);
      const skip = Number(searchParams.get('skip') ?? 0);
      const length = Math.min(Number(searchParams.get('limit') ?? 100), total - skip);
      const data = Array.from({ length }, (_, index) => ({ markdown: `Page ${skip + index + 1}` }));
      const next = skip + length < total ? `${server.baseUrl}/next` : undefined;
      const leftOut = [{ reason: 'limit', count: 3, atLeast: false, examples: [] }];
      const missing = skip === 0 && { leftOut, warning: 'Slow.\nOnly the start page.' };
      const warning = 'Slow.';
      exchange.json({ success: true, status: 'completed', completed: total, total, next, data, warning, ...missing });
    });
    try {
      const client = createClient({ baseUrl: server.baseUrl, fetch: globalThis.fetch });
      const first = (await fetchRecord(client, { endpoint: 'crawl', id }, never))?.state;
      assert.ok(first);
      assert.deepEqual([sizeOf(first)?.pages, first.data.length], [total, 100]);
      const job = { kind: 'crawl', id } as const;
      const whole = JSON.parse(await readWhole(client, job, first, never));
      assert.deepEqual([whole.data.length, whole.data.at(-1).markdown, whole.completed], [total, 'Page 230', total]);
      assert.ok(!('next' in whole) && !('note' in whole));
      // Only the first answer has all of these.
      assert.deepEqual([whole.leftOut?.[0]?.count, whole.warning], [3, 'Slow.\nOnly the start page.']);
      const part = JSON.parse(await readWhole(client, job, first, never, 5_000));
      assert.equal(Object.keys(part)[0], 'note');
      assert.ok(part.data.length >= 100 && part.data.length < total);
      assert.match(part.note, new RegExp(`^The first ${part.data.length} of 230 pages\\.`));
      assert.equal(sizeOf({ ...first, next: undefined }), undefined);
    } finally {
      await server.close();
    }
  });

  it('has a kind for each of the contract, with a name and an icon', () => {
    assert.deepEqual(
      kinds.map((kind) => kind.id),
      [...activityEndpoints],
    );
    for (const endpoint of activityEndpoints) assert.equal(kindOf(endpoint).id, endpoint);
  });
});

describe('the name of a saved record', () => {
  it('is one path segment that is valid on every system (EXT-16)', () => {
    const hostile = [
      '../../.bashrc',
      'https://shop.test/../../etc/passwd',
      'C:\\Windows\\system32',
      'a\0b\nc\u202ed',
      '$(rm -rf ~)',
      '`id`; rm -rf /',
      '....',
      '-rf',
      '~',
      'x'.repeat(100_000),
      'file:///etc/passwd',
      '\u{1f600}'.repeat(500),
      'con',
    ];
    for (const target of hostile) {
      for (const name of [recordName({ endpoint: target, id: target, target }), safeFileName(target)]) {
        assert.match(name, /^[\p{L}\p{N}_\p{So}][\p{L}\p{N}\p{So}\p{M}.,_()[\]-]*$/u, JSON.stringify(name));
        assert.ok([...name].length <= 81 && !name.includes('..'), name);
      }
    }
  });

  it('avoids reserved device names, and is never empty', () => {
    for (const name of ['CON', 'nul', 'com1', 'LPT9.txt', 'aux.']) assert.match(safeFileName(name), /^_/);
    assert.equal(safeFileName('console'), 'console');
    assert.equal(safeFileName('', undefined, '///'), 'unnamed');
  });
});
