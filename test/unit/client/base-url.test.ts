import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkBaseUrl } from '../../../src/client/base-url.ts';

describe('checkBaseUrl (CLI-11)', () => {
  const accepted: [string, string, boolean][] = [
    ['https://api.example.com', 'https://api.example.com', false],
    ['  https://api.example.com/  ', 'https://api.example.com', false],
    ['HTTPS://API.Example.COM:443/Prefix//', 'https://api.example.com/Prefix', false],
    ['https://api.example.com:8443/a/b/', 'https://api.example.com:8443/a/b', false],
    ['http://127.0.0.1:3002', 'http://127.0.0.1:3002', false],
    ['http://127.9.8.7/x', 'http://127.9.8.7/x', false],
    ['http://127.1', 'http://127.0.0.1', false],
    ['http://[::1]:3002/', 'http://[::1]:3002', false],
    ['http://localhost:3002', 'http://localhost:3002', false],
    ['http://LOCALHOST', 'http://localhost', false],
    ['http://api.example.com', 'http://api.example.com', true],
    ['http://10.0.0.2', 'http://10.0.0.2', true],
    ['http://0.0.0.0:1', 'http://0.0.0.0:1', true],
    ['http://localhost.', 'http://localhost.', true],
    ['http://localhost.evil.test', 'http://localhost.evil.test', true],
    ['http://127.0.0.1.evil.test', 'http://127.0.0.1.evil.test', true],
    ['http://[::ffff:127.0.0.1]', 'http://[::ffff:7f00:1]', true],
    ['https://bücher.example', 'https://xn--bcher-kva.example', false],
    ['api.example.com/v', 'https://api.example.com/v', false],
    [' localhost:3002 ', 'http://localhost:3002', false],
    ['10.0.0.2:80', 'http://10.0.0.2', true],
  ];
  for (const [given, baseUrl, clearText] of accepted) {
    it(`accepts ${given} as ${baseUrl}${clearText ? ', unencrypted' : ''}`, () => {
      const check = checkBaseUrl(given);
      assert.ok(check.ok);
      assert.equal(check.baseUrl, baseUrl);
      assert.equal(check.clearText, clearText);
      assert.ok(baseUrl.startsWith(check.origin));
      assert.ok(check.origin.endsWith(check.host));
    });
  }

  const refused: [string, RegExp][] = [
    ['', /empty/],
    ['   ', /empty/],
    ['api', /must be a host/],
    ['javascript:alert(1)', /start with https/],
    ['java\nscript:alert(1)', /control character/],
    ['ftp://example.com', /start with https/],
    ['file:///etc/passwd', /start with https/],
    ['ws://example.com', /start with https/],
    ['https:example.com', /start with https/],
    ['https://user:pass@example.com', /user name or password/],
    ['https://user@example.com', /user name or password/],
    ['https://@example.com', /user name or password/],
    ['https://api.good.test@evil.test/', /user name or password/],
    ['http://evil.test\\@127.0.0.1/', /backslash/],
    ['https://example.com?key=1', /query/],
    ['https://example.com/?', /query/],
    ['https://example.com/#x', /fragment/],
    ['https://exa mple.com', /space/],
    ['https://', /valid URL/],
    ['https://example.com:99999', /valid URL/],
    ['https://[::1', /valid URL/],
    [`https://example.com/${'a'.repeat(3000)}`, /too long/],
  ];
  for (const [given, message] of refused) {
    it(`refuses ${JSON.stringify(given.slice(0, 50))}`, () => {
      const check = checkBaseUrl(given);
      assert.ok(!check.ok);
      assert.match(check.message, message);
      assert.doesNotMatch(check.message, /user:|pass@|good\.test/);
    });
  }

  it('is idempotent, and its results have no user, query or fragment', () => {
    const texts = fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string(), fc.webUrl());
    fc.assert(
      fc.property(texts, (text) => {
        const check = checkBaseUrl(text);
        if (!check.ok) return;
        const again = checkBaseUrl(check.baseUrl);
        assert.deepEqual(again, check);
        const url = new URL(check.baseUrl);
        assert.deepEqual([url.username, url.password, url.search, url.hash], ['', '', '', '']);
      }),
    );
  });
});
