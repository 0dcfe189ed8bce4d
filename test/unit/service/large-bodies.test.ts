import assert from 'node:assert/strict';
import { join } from 'node:path';
import Fastify from 'fastify';
import {
  createLargeBodies,
  type LargeBodies,
  LargeBody,
  largeBody,
} from '../../../src/service/platform/http/large-bodies.ts';
import { acceptUploads } from '../../../src/service/platform/http/uploads.ts';
import { repository } from '../../harness/folders.ts';

describe('large bodies', () => {
  let bodies: LargeBodies;
  before(() => {
    bodies = createLargeBodies();
  });
  after(() => bodies.close());
  const read = (value: unknown, endpoint?: string) =>
    bodies.read(new LargeBody(Buffer.from(JSON.stringify(value))), 'red', endpoint);

  it('without a schema have a limited number of values, and texts of any length', async () => {
    const text = { code: 'x'.repeat(500_000), list: [1, { deep: [null] }] };
    assert.deepEqual((await read(text)).value, text);
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field${index}`, index]));
    const message = 'The body has more than 10000 values. Send fewer at a time.';
    for (const many of [fields, Object.values(fields), { params: [fields] }, Array.from({ length: 6000 }, () => [{}])])
      await assert.rejects(read(many), { status: 400, message });
  });

  it('with a schema have as many values as it allows', async () => {
    const urls = Array.from({ length: 20_000 }, (_, index) => `https://site.test/${index}`);
    const { value } = await read({ urls }, 'startBatchScrape');
    assert.equal((value as { urls: unknown[] }).urls.length, urls.length);
  });
});

describe('a body that needs too much memory to be read', () => {
  it('F16: is an error for its own caller only', async () => {
    const bodies = createLargeBodies();
    const read = (json: string) => bodies.read(new LargeBody(Buffer.from(json)), 'red').then(({ value }) => value);
    const all = [read('["before"]'), read(`[${'{},'.repeat(12_000_000)}{}]`), read('["after"]')];
    const message = 'The body needs too much memory to be read. Send less at a time.';
    try {
      await assert.rejects(all[1] as Promise<unknown>, { status: 400, message });
      assert.deepEqual(await Promise.all([all[0], all[2]]), [['before'], ['after']]);
    } finally {
      await bodies.close();
    }
  });
});

describe('bodies that take long to be read', () => {
  it('F16: are an error for their own caller only, and wait behind those of other teams', async () => {
    const program = join(repository, 'test', 'fixtures', 'slow-body-thread.cjs');
    const bodies = createLargeBodies({ program, mostMs: 500 });
    const order: string[] = [];
    const read = (team: string, text: string) =>
      bodies.read(new LargeBody(Buffer.from(text)), team).then(
        ({ value }) => void order.push(`${team} ${value}`),
        ({ status, message }) => void order.push(`${team} ${status} ${message}`),
      );
    const message = 'The body needs too much time to be read. Send less at a time.';
    try {
      await Promise.all([read('red', 'endless'), read('red', '1'), read('red', '2'), read('blue', '3')]);
      assert.deepEqual(order, [`red 400 ${message}`, 'red 1', 'blue 3', 'red 2']);
    } finally {
      await bodies.close();
    }
  });
});

describe('the options of an uploaded file', () => {
  it('are read as a body of their length is', async () => {
    const app = Fastify();
    const uploads = acceptUploads(app);
    app.decorateRequest('caller');
    const found: unknown[] = [];
    app.post('/', async (request) => {
      request.caller = { team: 'red', keyLabel: 'red' };
      const { options, release } = await uploads.read(request, new AbortController().signal);
      release();
      found.push(options);
      return {};
    });
    const upload = async (options: object) => {
      const part = (head: string, content: string) =>
        `--edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
      const payload = `${part('name="options"', JSON.stringify(options))}${part('name="file"; filename="a.txt"', 'x')}--edge--\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/', headers, payload });
      assert.equal(statusCode, 200, body);
    };
    await upload({ formats: ['markdown'] });
    const many = { formats: Array.from({ length: largeBody }, () => 0) };
    await upload(many);
    await app.close();
    const [short, long] = found;
    assert.deepEqual(short, { formats: ['markdown'] });
    assert.ok(long instanceof LargeBody);
    assert.deepEqual(JSON.parse(Buffer.from(long.bytes).toString()), many);
  });
});
