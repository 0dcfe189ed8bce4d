import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhookConfig } from '../../../src/contract/webhooks/webhooks.ts';
import { parseOptions } from '../../../src/service/options.ts';
import { webhookOptions } from '../../../src/service/platform/webhooks/webhook-options.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the webhook options of the service', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('come from the environment or a file, never from the command line itself', () => {
    assert.deepEqual(webhookOptions(undefined, {}), { secret: undefined, retryMs: [60_000, 300_000, 900_000] });
    const env = { WEBDATA_WEBHOOK_SECRET: "It's a Secret", WEBDATA_WEBHOOK_RETRY_SECONDS: '1, 0.5,0' };
    assert.deepEqual(webhookOptions(undefined, env), { secret: "It's a Secret", retryMs: [1000, 500, 0] });
    assert.deepEqual(webhookOptions(undefined, { WEBDATA_WEBHOOK_RETRY_SECONDS: 'none' }).retryMs, []);
    const file = join(folder, 'secret');
    writeFileSync(file, 'in a file\n');
    assert.equal(parseOptions(['--webhook-secret-file', file], {}).webhooks.secret, 'in a file');
    assert.throws(() => webhookOptions(file, { WEBDATA_WEBHOOK_SECRET: 'x' }), /either/);
    assert.throws(() => parseOptions(['--webhook-secret', 'x'], {}), /webhook-secret/);
  });

  it('reject an invalid secret without repeating it', () => {
    for (const secret of ['', '   ', '\n', 'abc\n', ' abc', 'x'.repeat(1001)]) {
      assert.throws(
        () => webhookOptions(undefined, { WEBDATA_WEBHOOK_SECRET: secret }),
        (error: Error) => /secret/.test(error.message) && !error.message.includes('abc'),
        JSON.stringify(secret.slice(0, 10)),
      );
    }
    const file = join(folder, 'empty');
    writeFileSync(file, '\n');
    assert.throws(() => webhookOptions(file, {}), /is empty/);
    assert.throws(() => webhookOptions(folder, {}), /isn't a file/);
    assert.throws(() => webhookOptions(join(folder, 'none'), {}), /isn't a file/);
  });

  it('reject invalid retry times', () => {
    for (const text of ['a', '1,,2', '-1', '1e3', '604801', Array(21).fill('1').join()]) {
      assert.throws(
        () => webhookOptions(undefined, { WEBDATA_WEBHOOK_RETRY_SECONDS: text }),
        /numbers of seconds/,
        text,
      );
    }
  });
});

describe('the webhook of a crawl or batch', () => {
  it('is a URL, or a URL with headers, metadata and events', () => {
    assert.deepEqual(webhookConfig.parse('http://127.0.0.1:1/x'), { url: 'http://127.0.0.1:1/x' });
    const whole = { url: 'https://a.test/', headers: { 'X-A': 'b' }, metadata: { c: 'd' }, events: ['page'] };
    assert.deepEqual(webhookConfig.parse(whole), whole);
  });

  it('is rejected with headers that HTTP forbids, or that the service sets itself', () => {
    const url = 'https://a.test/';
    const bad: Record<string, string>[] = [
      { 'x-service-signature': 'sha256=0' },
      { 'X-Service-Signature': 'x' },
      { 'bad name': 'x' },
      { '': 'x' },
      { 'x-a': 'b\r\nx-injected: c' },
      { 'x-a': '\u0000' },
      { 'x-a': '→' },
      { 'x-a': 'x'.repeat(8193) },
      Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`x-${index}`, ''])),
    ];
    for (const headers of bad) {
      assert.equal(webhookConfig.safeParse({ url, headers }).success, false, JSON.stringify(headers).slice(0, 60));
    }
    assert.equal(webhookConfig.safeParse({ url, metadata: { a: 'x'.repeat(70_000) } }).success, false);
    for (const other of ['ftp://a.test/', 'javascript:1', '', 'a.test', `https://a.test/${'x'.repeat(9000)}`]) {
      assert.equal(webhookConfig.safeParse(other).success, false, other.slice(0, 40));
    }
  });
});
