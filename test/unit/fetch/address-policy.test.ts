import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import {
  type Address,
  createAddressPolicy,
  RefusedTarget,
} from '../../../src/service/platform/network/address-policy/address-policy.ts';
import { isDnsError } from '../../../src/service/platform/network/dispatchers.ts';

const ownPort = 43_210;

function policyFor(denyPrivate: boolean, names: Record<string, string[]> = {}) {
  const asked: string[] = [];
  const policy = createAddressPolicy({
    denyPrivate,
    ownPorts: () => [ownPort],
    resolve: async (host): Promise<Address[]> => {
      asked.push(host);
      const addresses = names[host];
      if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { syscall: 'getaddrinfo' });
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  return { policy, asked };
}

describe('address policy (SSR-01, SSR-02)', () => {
  const refusedSpellings = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    'localhost',
    'localhost.',
    'x.localhost',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '10.0.0.1',
    '192.168.1.1',
  ];
  for (const host of refusedSpellings) {
    it(`refuses http://${host}/ if private targets are denied, and otherwise allows it`, () => {
      const url = new URL(`http://${host}/`);
      assert.throws(() => policyFor(true).policy.checkUrl(url), RefusedTarget);
      policyFor(false).policy.checkUrl(url);
    });
  }

  it('refuses its own ports at the addresses of this machine, in whatever form they are written', async () => {
    const { policy } = policyFor(false);
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const [{ address } = { address: '127.0.0.1' }] = own.filter(({ family }) => family === 'IPv4').reverse();
    for (const host of [address, `::ffff:${address}`, `64:ff9b::${address}`]) {
      await assert.rejects(policy.checkHost(host, ownPort), RefusedTarget, host);
      await policy.checkHost(host, ownPort + 1);
    }
  });

  for (const host of ['a..test', `${'a'.repeat(64)}.test`, `${'a.'.repeat(127)}test`]) {
    it(`asks no name server for ${host.slice(0, 20)}…, and says that it can't be resolved`, async () => {
      const policy = createAddressPolicy({ denyPrivate: false, ownPorts: () => [] });
      await assert.rejects(policy.checkHost(host, 80), (error: Error) => {
        assert.ok(isDnsError(error));
        assert.match(error.message, /isn't a host name$/);
        return true;
      });
    });
  }

  for (const denyPrivate of [true, false]) {
    describe(denyPrivate ? 'denying private targets' : 'by default', () => {
      const { policy } = policyFor(denyPrivate);
      const refused = [
        'file:///etc/passwd',
        'data:text/html,x',
        'ftp://example.com/',
        'gopher://example.com',
        'chrome://version',
        'view-source:http://example.com',
        'blob:http://example.com/1',
        'javascript:alert(1)',
        'ws://example.com',
        'http://good@example.com/',
        'http://u:p@example.com/',
        'http://example.com:0/',
        'http://example.com:22/',
        'http://example.com:25/',
        'https://example.com:6667/',
        'http://169.254.169.254/latest',
        'http://[fd00:ec2::254]/',
        'http://metadata.google.internal/',
        'http://METADATA.google.internal./',
        `http://127.0.0.1:${ownPort}/`,
        `http://localhost:${ownPort}/`,
        `http://0.0.0.0:${ownPort}/`,
        `http://[::1]:${ownPort}/`,
        `http://[::ffff:127.0.0.1]:${ownPort}/`,
      ];
      for (const url of refused) {
        it(`refuses ${url}`, () => assert.throws(() => policy.checkUrl(new URL(url)), RefusedTarget));
      }
      for (const url of [
        'http://example.com/',
        'https://example.com:8443/',
        'http://172.32.0.1/',
        'http://example.com:8080/',
      ]) {
        it(`allows ${url}`, () => policy.checkUrl(new URL(url)));
      }
      it('parses the host as a browser does (SSR-07)', () => {
        policy.checkUrl(new URL('http://example.com\\@127.0.0.1/'));
        assert.throws(() => policy.checkUrl(new URL('http://169.254.169.254\\@example.com/')), RefusedTarget);
      });
    });
  }

  it('resolves a name once, and checks all of its addresses (SSR-04)', async () => {
    const names = {
      'good.test': ['93.184.216.34', '2606:2800::1'],
      'mixed.test': ['93.184.216.34', '10.0.0.1'],
      'mapped.test': ['::ffff:10.0.0.1'],
      'loop.test': ['127.0.0.1'],
      'meta.test': ['93.184.216.34', '169.254.169.254'],
    };
    const { policy, asked } = policyFor(true, names);
    const judged = await policy.checkHost('good.test', 443);
    assert.deepEqual(
      judged.map(({ address }) => address),
      names['good.test'],
    );
    assert.deepEqual(asked, ['good.test']);
    for (const host of ['mixed.test', 'mapped.test', 'loop.test', 'meta.test']) {
      await assert.rejects(policy.checkHost(host, 443), RefusedTarget);
    }
    await assert.rejects(policy.checkHost('nowhere.test', 443), { syscall: 'getaddrinfo' });
  });

  it('refuses names for its own ports and for metadata even if private targets are allowed', async () => {
    const { policy } = policyFor(false, { 'me.test': ['127.0.0.1'], 'meta.test': ['169.254.169.254'] });
    assert.equal((await policy.checkHost('me.test', 80)).length, 1);
    await assert.rejects(policy.checkHost('me.test', ownPort), RefusedTarget);
    await assert.rejects(policy.checkHost('meta.test', 80), RefusedTarget);
  });

  it('reports what is refused and why, without secrets', () => {
    const { policy } = policyFor(true);
    assert.throws(
      () => policy.checkUrl(new URL('http://user:secret@example.com/')),
      (error: Error) => {
        assert.match(error.message, /user name/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
    assert.throws(() => policy.checkUrl(new URL('http://10.1.2.3/')), /10\.1\.2\.3 .*--deny-private-targets/);
  });
});
