import assert from 'node:assert/strict';
import type { Client, EmbeddedClient } from '../../../../src/client/client.ts';
import type { Access } from '../../../../src/extension/connection/connection.ts';
import { RateLimit } from '../../../../src/extension/connection/polling/rate-limit.ts';
import { extendMarkdownIt, type MarkdownIt } from '../../../../src/extension/pages/page-links.ts';
import { parsePath } from '../../../../src/extension/pages/page-paths.ts';
import { linksIn } from '../../../../src/extension/pages/page-texts.ts';
import { PagesStore } from '../../../../src/extension/pages/pages-store.ts';

const markdown = `[next](https://a.test/2#part) and [more](<https://a.test/wiki_(tea)>), [gone](https://a.test/gone)
[site](https://b.test/), <https://a.test/4> and [a][ref]

[ref]: https://a.test/5`;
const first = '/crawl/c1/a.test/1.md';

/** The service of a crawl whose pages have a document, except those whose URLs contain "gone". `down`: whether it fails once a page was read. */
function service({ down = false } = {}) {
  const asked: string[][] = [];
  let hasRead = false;
  const pageOf = (url: string) => ({ order: 1, url, id: url, state: url.includes('gone') ? 'failed' : 'ok' });
  const embedded = {
    async findPages({ body }: { body: { urls: string[] } }) {
      if (down && hasRead) throw new Error('down');
      asked.push(body.urls);
      return { found: body.urls.filter((url) => url.includes('//a.test/')).map((url) => ({ url, page: pageOf(url) })) };
    },
  } as unknown as EmbeddedClient;
  const client = {
    getScrape: async () => ({ data: { markdown, metadata: { url: 'https://a.test/1' } } }),
  } as unknown as Client;
  const store = new PagesStore({
    rateLimit: new RateLimit(),
    access: async () => ({ client, embedded }) as unknown as Access,
  });
  const open = async (documentPath: string) => {
    const path = parsePath(documentPath);
    assert.ok(path);
    const page = await store.read(path);
    hasRead = true;
    asked.length = 0;
    await store.readLinks(path, page);
  };
  return { store, asked, open };
}

describe('links of saved pages', () => {
  it('are found in every Markdown form', () => {
    assert.deepEqual(linksIn(markdown), [
      'https://a.test/2#part',
      'https://a.test/wiki_(tea)',
      'https://a.test/gone',
      'https://b.test/',
      'https://a.test/4',
      'https://a.test/5',
    ]);
  });

  it('are looked up when a page is opened; those to pages without a document lead to the site', async () => {
    const { store, asked, open } = service();
    assert.equal(store.linksOf(first).size, 0);
    await open(first);
    assert.equal(asked.length, 1);
    assert.deepEqual(
      [...store.linksOf(first).keys()],
      ['https://a.test/2', 'https://a.test/wiki_(tea)', 'https://a.test/4', 'https://a.test/5'],
    );
    assert.equal(store.linksOf('/crawl/c2/a.test/1.md').size, 0);
    store.disconnect(false);
    assert.equal(store.linksOf(first).size, 0);
  });

  it("don't prevent a page from opening", async () => {
    const { store, open } = service({ down: true });
    await open(first);
    assert.equal(store.linksOf(first).size, 0);
  });

  it('are relative in the preview of a page, and only there', async () => {
    const { store, open } = service();
    await open(first);
    const engine: MarkdownIt = extendMarkdownIt({ renderer: { rules: {} } }, (path) => store.linksOf(path));
    const rendered = (href: string, scheme: string) => {
      const attributes = new Map([['href', href]]);
      const token = {
        attrGet: (name: string) => attributes.get(name) ?? null,
        attrSet: (name: string, value: string) => void attributes.set(name, value),
      };
      const env = { currentDocument: { scheme, path: first } };
      engine.renderer.rules.link_open?.([token], 0, {}, env, { renderToken: () => '' });
      return attributes.get('href');
    };
    assert.equal(rendered('https://a.test/2#part', 'webdata'), './2.md#part');
    assert.equal(rendered('https://a.test/gone', 'webdata'), 'https://a.test/gone');
    assert.equal(rendered('https://a.test/2#part', 'file'), 'https://a.test/2#part');
  });
});
