import assert from 'node:assert/strict';
import { fetchAsBrowser, Icons } from '../../../src/service/browsers/live-view/icons.ts';
import {
  type AddressPolicy,
  createAddressPolicy,
} from '../../../src/service/platform/network/address-policy/address-policy.ts';

/** The icon of a page that declares this one. */
function iconOf(declared: string): Promise<string | undefined> {
  const answers: Record<string, object> = {
    'Page.createIsolatedWorld': { executionContextId: 1 },
    'Runtime.evaluate': { result: { value: declared } },
  };
  const client = { send: async (method: string) => answers[method] ?? {} };
  return new Icons(assert.fail).of(client.send as never, 'frame', 'https://a.test/');
}

const png = Buffer.from('\x89PNG picture', 'latin1').toString('base64');

describe('the icon of a page', () => {
  it('is read from a data URL', async () => {
    for (const parameters of ['', ';charset=utf-8', ';a=b;c="d"'])
      assert.equal(await iconOf(`data:image/png${parameters};base64,${png}`), `data:image/png;base64,${png}`);
    assert.match((await iconOf('data:image/svg+xml,%3Csvg%3E%3C/svg%3E')) ?? '', /^data:image\/svg\+xml;base64,/);
  });

  it('is none if the URL is another, which takes no time to find (TRN-06)', async () => {
    for (const url of [`data:image/${'a'.repeat(99_000)}`, `data:image/${'a;'.repeat(49_000)}`, 'data:text/plain,a'])
      for (let times = 0; times < 60; times++) assert.equal(await iconOf(url), undefined);
  });

  it('is asked of no private address by a public page, nor by a page of a browser elsewhere', async () => {
    const policy = createAddressPolicy({
      denyPrivate: false,
      ownPorts: () => [],
      resolve: async (host) => [{ address: host.startsWith('intranet') ? '10.0.0.1' : '9.9.9.9', family: 4 }],
    });
    /** Whether a page of a browser gets the icon that it declares; without a page, an address is tried. */
    const mayFetch = async (
      icon: string,
      page: string | undefined,
      { local = true, under = undefined as unknown } = {},
    ) => {
      const fetcher = {
        fetch: async (url: string, request: { policy?: AddressPolicy }) => {
          const { hostname, port } = new URL(url);
          const given = request.policy ?? policy;
          given.checkUrl(new URL(url));
          await given.checkHost(hostname, Number(port || 80));
        },
      };
      const origins = new Set(['http://intranet.test', 'http://127.0.0.1:3000']);
      const access = { fetcher: fetcher as never, policy, under: under as undefined, local, origins };
      return await fetchAsBrowser(access)(icon, {} as never, page).then(
        () => true,
        () => false,
      );
    };
    const site = 'https://a.test/page';
    assert.equal(await mayFetch('http://b.test/icon', site), true);
    for (const icon of [
      'http://192.168.1.1/',
      'http://localhost/',
      'http://[::1]/',
      'http://intranet.two/',
      'http://127.0.0.1:4000/',
    ])
      assert.equal(await mayFetch(icon, site), false, icon);
    assert.equal(await mayFetch('http://192.168.1.1/', 'http://10.a.test/'), false);
    assert.equal(await mayFetch('http://intranet.test/icon', 'http://intranet.test/'), true);
    assert.equal(await mayFetch('http://127.0.0.1:4000/icon', 'http://127.0.0.1:3000/'), true);
    assert.equal(await mayFetch('http://192.168.1.1/', undefined), true);
    for (const page of ['http://intranet.test/', 'http://127.0.0.1:3000/', undefined])
      assert.equal(await mayFetch(page ?? 'http://192.168.1.1/', page, { local: false }), false);
    const under = { checkUrl: assert.fail };
    assert.equal(await mayFetch('http://127.0.0.1:3000/', 'http://127.0.0.1:3000/', { under }), false);
  });
});
