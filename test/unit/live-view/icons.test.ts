import assert from 'node:assert/strict';
import { type FetchAsBrowser, fetchAsBrowser, Icons } from '../../../src/service/browsers/live-view/icons.ts';
import {
  type AddressPolicy,
  createAddressPolicy,
} from '../../../src/service/platform/network/address-policy/address-policy.ts';

/** The icon of a page that declares these. */
function iconOf(declared: string | string[], fetch: FetchAsBrowser = assert.fail): Promise<string | undefined> {
  const answers: Record<string, object> = {
    'Page.createIsolatedWorld': { executionContextId: 1 },
    'Runtime.evaluate': { result: { value: [declared].flat() } },
  };
  const client = { send: async (method: string) => answers[method] ?? {} };
  return new Icons(fetch).of(client.send as never, 'frame', 'https://a.test/');
}

/** The beginning of a PNG, which has its size. */
function pngOf(width: number, height: number): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR wwwwhhhh picture'.replace(' ', ''), 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

const png = pngOf(16, 16).toString('base64');

describe('the icon of a page', () => {
  it('is read from a data URL', async () => {
    for (const parameters of ['', ';charset=utf-8', ';a=b;c="d"'])
      assert.equal(await iconOf(`data:image/png${parameters};base64,${png}`), `data:image/png;base64,${png}`);
    assert.match((await iconOf('data:image/svg+xml,%3Csvg%3E%3C/svg%3E')) ?? '', /^data:image\/svg\+xml;base64,/);
  });

  it('is the first that can be shown', async () => {
    const asked: string[] = [];
    const fetch: FetchAsBrowser = async (url) => {
      asked.push(new URL(url).pathname);
      if (url.endsWith('large.png')) throw new Error('The response is larger than 48 KB.');
      return { status: url.endsWith('none.ico') ? 404 : 200, body: Buffer.from('<svg></svg>') } as never;
    };
    const urls = ['none.ico', 'large.png', 'icon.svg'].map((name) => `https://a.test/${name}`);
    assert.match((await iconOf(urls, fetch)) ?? '', /^data:image\/svg/);
    assert.deepEqual(asked, ['/none.ico', '/large.png', '/icon.svg']);
    assert.match((await iconOf(['data:image/png,none', ...urls.slice(2)], fetch)) ?? '', /^data:image\/svg/);
    assert.equal(await iconOf(urls.slice(0, 2), fetch), undefined);
    assert.match((await iconOf([], fetch)) ?? '', /^data:image\/svg/);
    assert.equal(asked.at(-1), '/favicon.ico');
  });

  it('is at most 1,024 pixels wide and high in any format, and is none if its size is unknown (BUD-16)', async () => {
    const numbers = (bits: 16 | 24 | 32, ...values: number[]) =>
      values.flatMap((value) => Array.from({ length: bits / 8 }, (_, at) => (value >>> (8 * at)) & 0xff));
    const bytes = (...parts: (string | number[])[]) =>
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
    const frame = (side: number) => [0x2c, ...numbers(16, 0, 0, side, side), 0];
    const comment = [0x21, 0xfe, 2, 0x2c, 0x2c, 0];
    const entry = (at: number) => [16, 16, 0, 0, ...numbers(16, 1, 32), ...numbers(32, 99, at)];
    const bitmap = (side: number) => numbers(32, 40, side, side * 2);
    const ico = (...pictures: number[][]) => {
      const start = 6 + 16 * pictures.length;
      const at = (number: number) => start + pictures.slice(0, number).flat().length;
      const entries = pictures.map((_, number) => entry(at(number)));
      return bytes(numbers(16, 0, 1, pictures.length), ...entries, ...pictures);
    };
    const jpeg = (side: number, marker = 0xc2) => {
      const [low = 0, high = 0] = numbers(16, side);
      return bytes('\xff\xd8\xff\xe0\0\x06\xff\xc0\0\x10', [0xff, marker, 0, 11, 8, high, low, high, low]);
    };
    const webp = (kind: string, content: number[]) => bytes('RIFFsizeWEBP', kind, 'size', content);
    const lossless = (side: number) => numbers(32, (side - 1) | ((side - 1) << 14));
    const formats: Record<string, (side: number) => Buffer> = {
      'image/png': (side) => pngOf(16, side),
      'image/gif': (side) => bytes('GIF89a', numbers(16, side, side), [0x80, 0, 0], '6bytes', comment, frame(16)),
      'image/gif of its frame': (side) => bytes('GIF89a', numbers(16, 16, 16), [0, 0, 0], frame(side)),
      'image/jpeg': jpeg,
      'image/webp VP8X': (side) => webp('VP8X', [0, 0, 0, 0, ...numbers(24, side - 1, side - 1)]),
      'image/webp VP8L': (side) => webp('VP8L', [0x2f, ...lossless(side)]),
      'image/webp VP8': (side) => webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, ...numbers(16, side, side)]),
      'image/x-icon': (side) => ico(bitmap(16), bitmap(side)),
      'image/x-icon of a PNG': (side) => ico([...pngOf(16, 16)], [...pngOf(side, 16)]),
    };
    const shown = async (image: Buffer) => await iconOf(`data:image/x;base64,${image.toString('base64')}`);
    for (const [name, of] of Object.entries(formats)) {
      assert.equal((await shown(of(1024)))?.replace(/;.*/, ''), `data:${name.replace(/ .*/, '')}`, name);
      assert.equal(await shown(of(1025)), undefined, name);
      assert.equal(await shown(of(1024).subarray(0, 14)), undefined, name);
    }
    // A decoder may see the frame of another size in what this seems to skip.
    const hidden = bytes('\xff\xd8\xff\x01\0\x02', jpeg(16).subarray(2).toString('latin1'));
    for (const unknown of [ico(), jpeg(16, 0xc4), hidden, webp('ALPH', [])])
      assert.equal(await shown(unknown), undefined);
  });

  it('is an SVG only if that is drawn in no time', async () => {
    const svg = (content: string, attributes = '') =>
      `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${content}</svg>`;
    const isShown = async (text: string) =>
      (await iconOf(`data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`)) !== undefined;
    const quick = [
      svg('<path d="M0 0h16v16z" fill="#f00"/>', ' viewBox="0 0 16 16"'),
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- Generator: x -->\n${svg('<g id="use"><circle r="4"/></g>')}`,
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${svg('<title>Mask: a</title>')}`,
      svg('<text y=".9em" font-size="90">&#x1F3AF;</text>'),
      svg('<style>path{fill:#000}@media (prefers-color-scheme:dark){path{fill:#fff}}</style><path d="M0 0"/>'),
      svg('<g clip-path="url(#a)"><path/></g><defs><clipPath id="a"><rect width="9" height="9"/></clipPath></defs>'),
      svg('<mask id="m" maskUnits="userSpaceOnUse"><path/></mask><g mask="url(#m)"><path/></g>'),
      svg(`<linearGradient id="a"><stop stop-color="#fff"/></linearGradient>${'<path fill="url(#a)"/>'.repeat(500)}`),
      svg('<defs><path id="a"/></defs><use xlink:href="#a"/><use xlink:href="#a" y="4"/>'),
      svg('<sodipodi:namedview inkscape:zoom="1"/><metadata><rdf:RDF><dc:type/></rdf:RDF></metadata>'),
      svg('<path d="M0 0l1 1"/>'.repeat(2000)),
      svg('<path style="fill:#000;stroke-dasharray:none;color-interpolation-filters:sRGB"/>'),
      svg('<path stroke-dasharray="none" color-interpolation-filters="linearRGB"/>'),
      `<?xml version="1.0" encoding="iso-8859-1"?>${svg('<path/>')}`,
      svg('<title>&quot;A&quot; &amp; B</title><path style="fill: url(&quot;#a&quot;);stroke:url(#b) none"/>'),
      svg('<style>/* In the dark */ path{fill:var(--c)}</style><path/>'),
    ];
    for (const text of quick) assert.ok(await isShown(text), text.slice(0, 200));

    const levels = (one: (to: number) => string, around: (id: string, content: string) => string) =>
      svg(Array.from({ length: 7 }, (_, level) => around(`a${level + 1}`, one(level).repeat(10))).join(''));
    const slow = [
      levels(
        (to) => `<use href="#a${to}"/>`,
        (id, content) => `<g id="${id}">${content}</g>`,
      ),
      levels(
        (to) => `<s:use href="#a${to}"/>`,
        (id, content) => `<g id="${id}">${content}</g>`,
      ),
      levels(
        (to) => `<path clip-path="url(#a${to})"/>`,
        (id, content) => `<clipPath id="${id}">${content}</clipPath>`,
      ),
      levels(
        (to) => `<path style="mask :url(#a${to})"/>`,
        (id, content) => `<mask id="${id}">${content}</mask>`,
      ),
      levels(
        (to) => `<path style="mask/**/:url(#a${to})"/>`,
        (id, content) => `<mask id="${id}">${content}</mask>`,
      ),
      levels(
        (to) => `<path style="clip-path /* a */ :url(#a${to})"/>`,
        (id, content) => `<clipPath id="${id}">${content}</clipPath>`,
      ),
      svg('<path style="m\\61sk:url(#a)"/>'),
      svg('<path style="m&#92;61sk:url(#a)"/>'),
      svg('<path style="mask:url(#a),url(#a), /**/ url(#a)"/>'),
      svg('<g style="--a:url(#a)"><path style="mask:var(--a)"/></g>'),
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "a">${svg('<path style="mask&colon;url(#a)"/>')}`,
      svg('<style>path{clip-path:url(#a)}</style><path/>'),
      svg(`<style>${'* *,'.repeat(4000)}a{}</style><path/>`),
      svg('<filter id="f"><feTurbulence numOctaves="9999999"/></filter><rect filter="url(#f)"/>'),
      svg('<path style="f&#105;lter:blur(9px)"/>'),
      svg('<style>path{f\\69lter:blur(9px)}</style>'),
      svg('<pattern id="p"/><rect fill="url(#p)"/>'),
      svg('<path stroke-dasharray=".001"/>'),
      svg('<rect><animate attributeName="x" repeatCount="indefinite"/></rect>'),
      svg('<image href="other.svg"/>'),
      svg('<foreignObject/>'),
      svg('<style>svg{background:url(data:image/svg+xml,a)}</style>'),
      `<!DOCTYPE svg [<!ENTITY a "${'b'.repeat(10)}">]>${svg('&a;')}`,
      `<?xml version="1.0"?><?xml-stylesheet href="#a"?>${svg('')}`,
    ];
    for (const text of slow) assert.ok(!(await isShown(text)), text.slice(0, 200));
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
