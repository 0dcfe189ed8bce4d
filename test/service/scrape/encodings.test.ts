import assert from 'node:assert/strict';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

/** Words of each encoding, some with what it doesn't have. */
const words = {
  'windows-1251': 'Привет ☺',
  'koi8-u': 'Київ',
  'windows-1252': 'é€☺',
  shift_jis: '日本語ソ☺',
  'euc-jp': '日本語',
  'euc-kr': '한국어',
  gbk: '中文€😀',
  gb18030: '中文',
  big5: '中文繁體',
  'utf-16le': 'Привет',
  'utf-8': 'Привет',
};

describe('links of pages in other encodings', () => {
  let site: FaultySite;
  let service: TestService;
  before(async () => {
    [site, service] = await Promise.all([startFaultySite(), startTestService(chosenBrowsers)]);
  });
  after(() => Promise.all([site.close(), service.close()]));

  it('have their queries in the encoding of the page, as Chrome sends them, whether it is fetched or rendered', async () => {
    for (const [encoding, word] of Object.entries(words)) {
      const text = [...word].map((character) => `&#${character.codePointAt(0)};`).join('');
      const addresses = [
        `/s?q=${text}&z=%D0+'a' b`,
        `/${text}?q#${text}`,
        ` /s?a="${text}"\n#/r?${text} `,
        `?${text}?\\`,
      ];
      const anchors = addresses.map((each) => `<a href="${each.replaceAll('"', '&quot;')}">link</a>`).join(' ');
      const others = `<img src="?i=${text}" alt=""><div><template shadowrootmode="open"><a href="?s=${text}">link</a></template></div>`;
      const listed = `const shadow = document.querySelector('div').shadowRoot;
        const links = [...document.links, ...shadow.querySelectorAll('a')].map((each) => each.href);
        document.querySelector('script').textContent = JSON.stringify({ links, images: [document.images[0].src] })`;
      site.answer(`/${encoding}`, (_request, response) => {
        // A page names no UTF-16 by itself.
        const charset = encoding.startsWith('utf-16') ? '; charset=utf-16le' : '';
        const html = `<meta charset="${encoding}"><p>Some words</p>${anchors}${others}<script>${listed}</script>`;
        response.setHeader('content-type', `text/html${charset}`);
        response.end(Buffer.from(html, charset ? 'utf16le' : 'latin1'));
      });
      const scrape = async (options: object) => {
        const body = {
          url: `${site.baseUrl}/${encoding}`,
          formats: ['links', 'images', 'rawHtml'],
          onlyMainContent: false,
          ...options,
        };
        return (await service.call('POST', '/v2/scrape', body)).body.data;
      };
      const fetched = await scrape({ fastMode: true });
      const inBrowser = { waitFor: 1, maxAge: 600_000 };
      const [rendered, copy] = [await scrape(inBrowser), await scrape(inBrowser)];
      const [, shown = ''] = /<script>(\{.*?\})<\/script>/s.exec(rendered.rawHtml) ?? [];
      const expected: { links: string[]; images: string[] } = JSON.parse(shown);
      assert.equal(expected.links.length, addresses.length + 1);
      // Of a page as it was fetched, shadow trees are no content.
      assert.deepEqual([fetched.links, fetched.images], [expected.links.slice(0, -1), expected.images], encoding);
      assert.deepEqual([rendered.links, rendered.images], [expected.links, expected.images], encoding);
      assert.deepEqual([copy.metadata.cacheState, copy.links], ['hit', expected.links], encoding);
    }
  });
});
