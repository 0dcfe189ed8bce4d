import assert from 'node:assert/strict';
import { apiKeyProblem, keyRedactor } from '../../../src/client/api-key.ts';
import { connectionFailure } from '../../../src/client/connection-failures.ts';
import { ConnectionError, OutcomeUnknownError } from '../../../src/client/errors.ts';
import { safeLine, safeText } from '../../../src/client/safe-text.ts';
import { assertKeyless, canary } from './setup.ts';

const call = { endpoint: 'x', purpose: 'do it', method: 'POST', path: '/v2/x', host: 'api.test' };
const fail = (thrown: unknown, method = 'POST') => connectionFailure(thrown, { ...call, method }, keyRedactor(canary));
const withCode = (code: string, message = 'm', syscall?: string) =>
  Object.assign(new Error(message), { code }, syscall && { syscall });

describe('connection failures', () => {
  for (const code of [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENETUNREACH',
    'CERT_HAS_EXPIRED',
    'EPROTO',
    'UND_ERR_CONNECT_TIMEOUT',
  ]) {
    it(`knows that nothing was sent after ${code}`, () => {
      const error = fail(new TypeError('fetch failed', { cause: withCode(code) }));
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.code, code);
      assert.equal(error.outcomeUnknown, false);
    });
  }

  for (const thrown of [
    withCode('ECONNRESET'),
    withCode('EPIPE'),
    withCode('ETIMEDOUT', 'm', 'read'),
    new Error('what?'),
    'text',
    null,
  ]) {
    it(`doesn't claim to know after ${String(thrown)}`, () => {
      assert.ok(fail(thrown) instanceof OutcomeUnknownError);
      assert.equal(fail(thrown, 'DELETE').outcomeUnknown, true);
      assert.equal(fail(thrown, 'GET').outcomeUnknown, false);
    });
  }

  it('distinguishes a connection timeout from a read timeout', () => {
    assert.equal(fail(withCode('ETIMEDOUT', 'm', 'connect')).outcomeUnknown, false);
    const both = new AggregateError([withCode('ECONNREFUSED', 'm', 'connect'), withCode('ETIMEDOUT', 'm', 'connect')]);
    assert.equal((fail(new TypeError('fetch failed', { cause: both })) as ConnectionError).code, 'ECONNREFUSED');
  });

  it('knows that a failed handshake or proxy sent nothing, and names the proxy without its password (CLI-16)', () => {
    const handshake = withCode(
      'ECONNRESET',
      'Client network socket disconnected before secure TLS connection was established',
    );
    assert.equal(fail(handshake).outcomeUnknown, false);
    const proxy = fail(
      new Error('Failed to establish a socket connection to proxies: PROXY http://joe:secret@proxy.test:3128'),
    );
    assert.equal(proxy.outcomeUnknown, false);
    assert.match(proxy.message, /proxy\.test:3128/);
    assert.doesNotMatch(proxy.message, /joe|secret/);
  });

  it('removes the key from every message and cause (CLI-14)', () => {
    const inner = Object.assign(new Error(`header "Bearer ${canary}"`), {
      code: 'ERR_X',
      headers: { authorization: canary },
    });
    for (const method of ['POST', 'GET'])
      assertKeyless(fail(new TypeError(`failed ${canary}`, { cause: inner }), method));
  });

  it('shortens a message without a part of the key (CLI-14)', () => {
    for (let length = 100; length < 200; length++)
      assertKeyless(fail(new Error(`${'q'.repeat(length)}${canary}${'q'.repeat(70_000)}`)));
    assert.ok(fail(new Error('q'.repeat(70_000))).message.length < 600);
  });

  it("doesn't mistake any text for an error code", () => {
    assert.equal((fail(withCode(`${canary}\n`)) as OutcomeUnknownError).code, undefined);
  });

  it('stops at circular causes', () => {
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    assert.ok(fail(one) instanceof OutcomeUnknownError);
  });
});

describe('API keys', () => {
  it('can be printable ASCII up to 4,096 characters', () => {
    for (const key of ['k', 'fc-12', '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~\\', 'x'.repeat(4096)]) {
      assert.equal(apiKeyProblem(key), undefined);
    }
  });

  for (const key of [
    '',
    ' ',
    'a b',
    'a\n',
    '\ta',
    'a\r\nb',
    'a\u0000',
    'a\u007f',
    'ключ',
    '🔑',
    'a\u00a0b',
    'x'.repeat(4097),
  ]) {
    it(`rejects ${JSON.stringify(key.slice(0, 10))} without quoting it (CLI-13)`, () => {
      const problem = apiKeyProblem(key);
      assert.ok(problem);
      if (key.length > 2) assert.ok(!problem.includes(key));
    });
  }

  it('are removed from a text in every form, whatever characters they contain (CLI-14)', () => {
    const key = 'a+b/c$1.*[x](y)^&=?%';
    const forms = [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString('base64'),
      Buffer.from(key).toString('hex'),
      key.slice(0, 9),
    ];
    for (const form of forms) assert.doesNotMatch(keyRedactor(key)(`<${form}>`), /a%2B|a\+b|YSti|612b/);
    assert.equal(keyRedactor(key)('an apple'), 'an apple');
  });

  it('that are common words leave a text unchanged', () => {
    assert.equal(keyRedactor('test')('this is a test'), 'this is a test');
    assert.equal(keyRedactor(undefined)('text'), 'text');
  });
});

describe('safe text', () => {
  it('contains no control or direction characters, and only whole characters', () => {
    assert.equal(safeText('a\u0000\u001b[2Jb\u202ec\u0085\ud800d', 100), 'abcd');
    assert.equal(safeText('😀😀😀😀', 3), '😀…😀');
    assert.equal(safeText(' a\n\tb ', 10), 'a\n\tb');
    assert.equal(safeLine(' a\r\n\tb ', 10), 'a b');
    assert.equal(safeText('x'.repeat(1_000_000), 3), 'x…x');
  });
});
