import assert from 'node:assert/strict';
import { addScheme, enteredAddress, httpAddress, isLoopback, isPrivateHost } from '../../../src/contract/addresses.ts';
import { scrapeBody } from '../../../src/contract/scrape/scrape.ts';

describe('an address without a scheme', () => {
  const https = [
    'example.com',
    'example.com:8443/a?b#c',
    'bücher.test',
    '8.8.8.8',
    '[2606:4700::1]',
    'a.test.',
    'a_b.test',
  ];
  for (const address of https) {
    it(`${address} is https`, () => assert.equal(addScheme(address), `https://${address}`));
  }
  const http = [
    'localhost',
    'localhost:3000/x',
    'app.localhost:3000',
    '127.0.0.1:8200',
    '10.0.0.7',
    '172.16.0.1',
    '192.168.1.1/admin',
    '100.64.0.1',
    '169.254.1.1',
    '[::1]:8080',
    '[fd00::1]',
    '[fe80::1]',
    'printer.local',
    'wiki.internal',
    'nas.home.arpa',
    'build:8080',
  ];
  for (const address of http) {
    it(`${address} is http`, () => assert.equal(addScheme(address), `http://${address}`));
  }

  it("isn't guessed for public hosts", () => {
    for (const host of ['172.32.0.1', '100.128.0.1', '11.0.0.1', 'localhost.example.com', 'internal.example.com'])
      assert.equal(isPrivateHost(host), false, host);
  });
});

describe("a text with a scheme, or that isn't an address", () => {
  const others = [
    'https://a.test/A?b',
    'HTTP://A.test',
    'ftp://a.test',
    'javascript:alert(1)',
    'javascript:1',
    'tel:911',
  ];
  for (const text of [
    ...others,
    'docs',
    'two words',
    'a@b.test',
    'mailto:a.test',
    'data:text/html,x',
    '',
    '//a.test',
    'a:99999',
  ]) {
    it(`"${text}" is unchanged`, () => assert.equal(addScheme(text), text));
  }

  it('is a web address only with http or https', () => {
    assert.equal(enteredAddress(' HTTP://A.test ')?.href, 'http://a.test/');
    for (const text of ['ftp://a.test', 'https://', 'docs', 'file:///etc/passwd', 'https://a b'])
      assert.equal(enteredAddress(text), undefined, text);
  });

  it('is parsed fast, however long it is', () => {
    for (const text of ['a.'.repeat(50_000), `${'-'.repeat(100_000)} `, `[${':'.repeat(100_000)}`]) addScheme(text);
  });
});

describe('the http address for an https address', () => {
  it('has the same port, or the default one', () => {
    assert.equal(httpAddress(new URL('https://a.test/x?y')).href, 'http://a.test/x?y');
    assert.equal(httpAddress(new URL('https://a.test:8200')).href, 'http://a.test:8200/');
  });
});

describe('the URL in a request', () => {
  const urlOf = (url: string) => scrapeBody.parse({ url }).url;

  it('needs no scheme', () => {
    assert.equal(urlOf('example.com/docs'), 'https://example.com/docs');
    assert.equal(urlOf('127.0.0.1:8200'), 'http://127.0.0.1:8200');
    assert.equal(urlOf('https://example.com/A'), 'https://example.com/A');
  });

  it('is rejected if it is invalid', () => {
    for (const url of ['', 'docs', 'ftp://a.test', 'file:///etc/passwd'])
      assert.equal(scrapeBody.safeParse({ url }).error?.issues[0]?.message, 'expected an http or https URL', url);
  });
});

it('a host is this machine only if no name server is asked for it: others need a valid certificate', () => {
  for (const host of ['localhost', '[::1]', '127.0.0.1', '127.9.8.7', '127.1', '2130706433'])
    assert.ok(isLoopback(new URL(`https://${host}`).hostname), host);
  for (const host of [
    '127.0.0.1.example.com',
    'localhost.example.com',
    'app.localhost',
    '128.0.0.1',
    '[::2]',
    '0.0.0.0',
  ])
    assert.ok(!isLoopback(new URL(`https://${host}`).hostname), host);
});
