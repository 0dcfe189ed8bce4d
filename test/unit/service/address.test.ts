import assert from 'node:assert/strict';
import { parseOptions } from '../../../src/service/options.ts';
import {
  isOwnHost,
  isOwnOrigin,
  linkedUrl,
  localUrl,
  type ServiceAddress,
} from '../../../src/service/platform/http/address.ts';
import { checkOrigin } from '../../../src/service/platform/http/guards.ts';

const keys = ['--api-key', 'a-key'];
const addressOf = (...args: string[]) => {
  const { host, allowedHosts, publicUrl } = parseOptions([...keys, ...args], {});
  return { host, allowedHosts, publicUrl };
};

describe('the address that a service listens on', () => {
  it('is 127.0.0.1 unless another one is given', () => {
    assert.deepEqual(addressOf(), { host: '127.0.0.1', allowedHosts: [], publicUrl: undefined });
    assert.equal(addressOf('--host', 'localhost').host, '127.0.0.1');
    assert.equal(addressOf('--host', '[::1]').host, '::1');
    assert.equal(addressOf('--host', '0.0.0.0', '--allowed-host', 'Node1').host, '0.0.0.0');
  });
  for (const [args, pattern] of [
    [['--host', 'example.com'], /--host must be an IP address/],
    [['--host', '0.0.0.0'], /also needs --allowed-host or --public-url/],
    [['--host', '0.0.0.0', '--no-auth', '--allowed-host', 'a'], /With --no-auth, .* 127\.0\.0\.1 only/],
    [
      ['--no-auth', '--public-url', 'https://a.test'],
      /everyone who reaches https:\/\/a\.test could run code\. Use API/,
    ],
    [['--allowed-host', 'http://a'], /--allowed-host must be the name of a host/],
    [['--allowed-host', 'a:99999'], /--allowed-host must be the name of a host/],
    [['--allowed-host', '*.example.com'], /--allowed-host must be the name of a host/],
    [['--allowed-host', ''], /--allowed-host must be the name of a host/],
    [['--public-url', 'data.example.com'], /--public-url must be an http or https URL/],
    [['--public-url', 'https://data.example.com/base'], /without a path/],
    [['--public-url', 'https://me:secret@data.example.com'], /--public-url must be/],
  ] as const) {
    it(`can't be ${args.join(' ')}`, () => {
      assert.throws(
        () => parseOptions(args, {}),
        (error: Error) => pattern.test(error.message) && !error.message.includes('secret'),
      );
    });
  }
  it('has no random key beyond loopback, which nobody there could know', () => {
    assert.equal(parseOptions([], {}).apiKeys?.length, 1);
    assert.deepEqual(parseOptions(['--host', '0.0.0.0', '--allowed-host', 'a'], {}).apiKeys, []);
  });
  it('is in links, unless the service has a public URL', () => {
    const base = { port: 4000, allowedHosts: [], publicUrl: undefined };
    assert.equal(linkedUrl({ ...base, host: '127.0.0.1' }), 'http://127.0.0.1:4000');
    assert.equal(linkedUrl({ ...base, host: '0.0.0.0' }), 'http://127.0.0.1:4000');
    assert.equal(localUrl({ host: '::1', port: 4000 }), 'http://[::1]:4000');
    const { publicUrl } = addressOf('--public-url', 'https://Data.example.com:443/');
    assert.equal(linkedUrl({ ...base, host: '::', publicUrl }), 'https://data.example.com');
    assert.equal(localUrl({ ...base, host: '::' }), 'http://127.0.0.1:4000');
  });
});

describe('the names of a service for a team (NET-02, NET-05)', () => {
  const service: ServiceAddress = {
    host: '0.0.0.0',
    port: 4000,
    allowedHosts: ['node1', 'node2:4000'],
    publicUrl: 'https://data.example.com',
  };
  const status = (host: string, ...headers: [string, string][]) =>
    checkOrigin(
      { url: '/v2/browser', method: 'GET', httpVersion: '1.1', rawHeaders: [['Host', host], ...headers].flat() },
      service,
    )?.status;

  for (const host of ['127.0.0.1:4000', 'localhost:4000', 'data.example.com', 'DATA.example.com', 'node1', 'node1:80'])
    it(`include ${host}`, () => assert.equal(isOwnHost(host, service) ? undefined : host, undefined));
  it('include a name with one port only, if it is allowed with a port', () => {
    assert.equal(status('node2:4000'), undefined);
    assert.equal(status('node2'), 403);
    assert.equal(status('node2:4001'), 403);
  });
  for (const host of [
    ...['evil.test', 'data.example.com:8080', 'data.example.com.evil.test', 'node1.evil.test', 'evil.test:4000'],
    ...['node1@evil.test', 'node1:4000:1', '0.0.0.0:4000', '[::]:4000', '', ':4000', 'xnode1'],
  ])
    it(`don't include ${host || 'an empty name'}`, () => assert.equal(status(host), 403));

  it('allow pages of the public URL and of the name in the request itself', () => {
    assert.equal(status('node1:4000', ['Origin', 'https://data.example.com']), undefined);
    assert.equal(status('node1:4000', ['Origin', 'http://node1:4000']), undefined);
    assert.equal(status('node1:4000', ['Origin', 'https://node1:4000']), undefined);
  });
  for (const origin of [
    ...['http://data.example.com', 'https://evil.test', 'http://node1', 'http://node2:4000', 'null', ''],
    ...['https://data.example.com:8443', 'https://data.example.com.evil.test', 'https://127.0.0.1:4000'],
  ])
    it(`refuse pages of ${origin || 'an empty origin'}`, () =>
      assert.equal(status('node1:4000', ['Origin', origin]), 403));
  it('refuse requests of other sites, whatever the Host header says', () => {
    assert.equal(status('data.example.com', ['Sec-Fetch-Site', 'cross-site']), 403);
    assert.equal(status('data.example.com', ['Sec-Fetch-Site', 'same-site']), 403);
    assert.equal(isOwnOrigin('https://localhost:4000', 'localhost:4000', service), false);
  });
});
