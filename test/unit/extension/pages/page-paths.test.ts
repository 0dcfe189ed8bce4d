import assert from 'node:assert/strict';
import { pageName, parsePath, pathOf, relativeLink, urlsOf } from '../../../../src/extension/pages/page-paths.ts';

const job = { kind: 'crawl', id: '3f2a' } as const;

describe('paths of pages', () => {
  const urls = [
    'https://docs.test/',
    'http://127.0.0.1:8080/?a=b',
    'https://docs.test/guide/setup',
    'https://docs.test/guide/',
    'http://127.0.0.1:8080/caf%C3%A9/men%C3%BC',
    'https://docs.test/a%2Fb/c%3Fd',
    'https://docs.test/list?page=2&path=/x/y',
    'https://docs.test/100%25/%E0%A4%A',
    'https://docs.test/file.metadata.json',
    'https://docs.test/#/help/start',
    'https://docs.test/app/?a=b#!/x?y=/z',
  ];

  for (const url of urls) {
    it(`round-trip for ${url}`, () => {
      assert.ok(urlsOf(pageName(url)).includes(new URL(url).href), `${urlsOf(pageName(url))}`);
      for (const view of ['markdown', 'html', 'links', 'metadata', 'json', 'screenshot'] as const) {
        const parsed = parsePath(pathOf(job, url, view));
        assert.deepEqual(parsed, { kind: 'crawl', jobId: '3f2a', page: pageName(url), view });
      }
    });
  }

  it('are readable', () => {
    assert.equal(pathOf(job, 'https://docs.test/guide/setup'), '/crawl/3f2a/docs.test/guide/setup.md');
    assert.equal(pathOf(job, 'https://docs.test/'), '/crawl/3f2a/docs.test/docs.test.md');
    assert.equal(pathOf(job, 'https://docs.test/caf%C3%A9/'), '/crawl/3f2a/docs.test/café/index.md');
  });

  it('end with the title of the page, if it has one', () => {
    const scrape = { kind: 'scrape', id: '9b' } as const;
    const url = 'https://docs.test/guide/setup';
    const path = (title?: string) => pathOf(scrape, url, 'markdown', title);
    assert.equal(path('Set up: a/b?'), '/scrape/9b/docs.test/Set up: a b.md');
    assert.equal(path(`..\u0000${'long '.repeat(50)}`).length, '/scrape/9b/docs.test/.md'.length + 59);
    for (const title of [undefined, '', '../..', ' . '])
      assert.equal(path(title), '/scrape/9b/docs.test/guide/setup.md');
    const titled = pathOf(job, url, 'markdown', 'Set up: #/b');
    assert.equal(titled, '/crawl/3f2a/docs.test/guide/setup#/Set up: b.md');
    assert.deepEqual(parsePath(titled), parsePath(pathOf(job, url)));
    for (const view of ['links', 'metadata'] as const)
      assert.equal(parsePath(pathOf(job, url, 'json', `A.${view}`))?.view, 'json');
  });

  it('have no segments that leave the folder', () => {
    for (const url of ['https://x.test/%2e%2e/%2e%2e/etc', 'https://x.test/..%2f..%2fetc', 'https://x.test/a\\..\\b']) {
      assert.doesNotMatch(pathOf(job, url), /(^|\/)\.\.?(\/|$)/);
    }
  });

  it('differ from those of folders', () => {
    assert.equal(parsePath('/crawl/3f2a/docs.test/guide'), undefined);
    assert.equal(parsePath('/elsewhere/3f2a/x.md'), undefined);
  });
});

describe('links between pages', () => {
  const from = pathOf(job, 'https://docs.test/guide/setup');

  const page = (url: string, title?: string) => ({ url, title });
  const saved = new Map([
    ['https://docs.test/guide/next', page('https://docs.test/guide/next')],
    ['https://docs.test/', page('https://docs.test/')],
    ['https://docs.test/a/b?c=d', page('https://docs.test/a/b?c=d')],
    ['https://docs.test/old', page('https://new.test/place')],
    ['https://docs.test/guide/setup', page('https://docs.test/guide/setup', 'Set up')],
    ['https://docs.test/guide/start', page('https://docs.test/guide/start?a=b/c#/d', 'Start: 1/2')],
  ]);

  it('lead to documents with titles, and from them', () => {
    const titled = pathOf(job, 'https://docs.test/guide/setup', 'markdown', 'Set up');
    assert.equal(relativeLink(titled, 'https://docs.test/guide/next#top', saved), '../next.md#top');
    assert.equal(relativeLink(titled, 'https://docs.test/guide/setup#top', saved), '#top');
    assert.equal(relativeLink(titled, 'https://docs.test/guide/setup', saved), './Set%20up.md');
    const link = relativeLink(titled, 'https://docs.test/guide/start', saved) ?? '';
    assert.equal(link, '../start%3Fa%3Db%252Fc%23%252Fd%23/Start%3A%201%202.md');
    const { page } = parsePath(decodeURIComponent(new URL(link, `file://${encodeURI(from)}/`).pathname)) ?? {};
    assert.equal(page, 'docs.test/guide/start?a=b%2Fc#%2Fd');
  });

  it('are relative if the page is saved, on any host and whatever it redirects to', () => {
    assert.equal(relativeLink(from, 'https://docs.test/guide/next#top', saved), './next.md#top');
    assert.equal(relativeLink(from, 'HTTPS://docs.test', saved), '../docs.test.md');
    assert.equal(relativeLink(from, 'https://docs.test/a/b?c=d', saved), '../a/b%3Fc%3Dd.md');
    assert.equal(relativeLink(from, 'https://docs.test/old', saved), '../../new.test/place.md');
    assert.equal(relativeLink(from, 'https://docs.test/guide/setup#top', saved), '#top');
    assert.equal(relativeLink(from, 'https://docs.test/guide/setup', saved), './setup%23/Set%20up.md');
  });

  it("are unchanged if the page isn't saved", () => {
    assert.equal(relativeLink(from, 'https://docs.test/guide/unsaved', saved), undefined);
    assert.equal(relativeLink(from, 'https://other.test/guide', saved), undefined);
    assert.equal(relativeLink(from, 'mailto:a@docs.test', saved), undefined);
    assert.equal(relativeLink('/folder', 'https://docs.test/', saved), undefined);
  });
});
