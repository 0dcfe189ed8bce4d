import assert from 'node:assert/strict';
import { readingReasons } from '../../../../src/contract/scrape/scrape.ts';
import { pageRow, sharedEnding } from '../../../../src/extension/pages/page-rows.ts';
import { pageText } from '../../../../src/extension/pages/page-texts.ts';
import type { ReadPage } from '../../../../src/extension/pages/pages-store.ts';
import { documentOfFailure } from '../../../../src/extension/pages/sources/page-source.ts';

describe('the row of a page', () => {
  const page = { order: 1, url: 'https://site.test/shop/7', title: 'Tea', statusCode: 200, state: 'ok' };

  it('says how the page was read and why', () => {
    const rendered = pageRow({ ...page, readAs: 'rendered', readBecause: 'scripts' }, 'https://site.test/shop/');
    assert.equal(rendered.description, '7 · rendered');
    assert.match(rendered.tooltip, /^Rendered in Chrome: its scripts may write content$/m);
    const fetched = pageRow({ ...page, readAs: 'fetched', readBecause: 'noScripts' }, 'https://site.test/shop/');
    assert.equal(fetched.description, '7');
    assert.match(fetched.tooltip, /^Fetched: the page has no scripts$/m);
  });

  it('has a text for every reason, and for those of other servers', () => {
    for (const [readBecause, meaning] of Object.entries(readingReasons)) {
      const readAs = meaning.split(':')[0];
      const { tooltip } = pageRow({ ...page, readAs, readBecause }, '');
      assert.match(tooltip.toLowerCase(), new RegExp(`^${readAs}.+$`, 'm'), readBecause);
    }
    assert.match(pageRow({ ...page, readAs: 'rendered', readBecause: 'other' }, '').tooltip, /^Rendered in Chrome$/m);
    assert.doesNotMatch(pageRow(page, '').tooltip, /Rendered|Fetched/);
  });

  it('shows the route of a page whose script has it in the fragment', () => {
    const labelOf = (url: string) => pageRow({ ...page, title: null, url }, '').label;
    assert.deepEqual(
      ['/#/cups', '/?a=1#!/cups', '/tea#more'].map((path) => labelOf(`https://site.test${path}`)),
      ['/#/cups', '/?a=1#!/cups', '/tea'],
    );
  });

  it('shows an HTTP status only if it is unusual', () => {
    assert.match(pageRow(page, '').tooltip, /^HTTP status 200$/m);
    const broken = { ...page, state: 'failed', statusCode: 500 };
    assert.doesNotMatch(pageRow({ ...broken, code: 'HTTP_500' }, '').tooltip, /Error code/);
    assert.match(pageRow({ ...broken, code: 'TIMEOUT' }, '').tooltip, /^Error code TIMEOUT$/m);
    assert.equal(pageRow({ ...page, statusCode: 203 }, 'https://site.test/shop/').description, '7 · 203');
    const failed = { ...page, state: 'failed', statusCode: 503 };
    for (const reason of [undefined, 'The page returned status 503.'])
      assert.equal(pageRow({ ...failed, reason }, '').description, '/shop/7 · failed: 503');
    assert.equal(
      pageRow({ ...failed, statusCode: null, reason: 'No host.' }, '').description,
      '/shop/7 · failed: No host.',
    );
  });

  it('says where a page that failed was found', () => {
    const failed = { ...page, state: 'failed', statusCode: 404 };
    const linked = pageRow({ ...failed, linkedFrom: 'https://site.test/list' }, '');
    assert.match(linked.tooltip, /^Linked from https:\/\/site\.test\/list$/m);
    for (const [foundIn, text] of [
      ['start', 'The start page of the crawl'],
      ['sitemap', 'Listed in the sitemap'],
      ['llmsTxt', 'Listed in llms.txt'],
      ['feed', 'Listed in a feed of the start page'],
      ['earlier', 'Known from an earlier scrape or crawl'],
    ] as const)
      assert.ok(
        pageRow({ ...failed, foundIn }, '')
          .tooltip.split('\n')
          .includes(text),
      );
    const textOf = (linkedFrom: string) => {
      const document = documentOfFailure({ ...failed, linkedFrom, reason: 'Gone.' });
      return pageText({ document, found: true } as ReadPage, 'markdown')?.split('**This page failed:** Gone.')[1];
    };
    const hostile = 'https://site.test/a?![x](https://evil.test/p.png)';
    for (const url of ['https://site.test/list', hostile, `https://site.test/${'long'.repeat(200)}$(x)`])
      assert.equal(textOf(url), `\n\nLinked from <${url}>\n`);
    assert.equal(textOf('[click](command:x)'), '\n');
    const document = documentOfFailure({ ...failed, title: null, url: 'https://site.test/a_b[1]', reason: 'Gone.' });
    const text = pageText({ document, found: true } as ReadPage, 'markdown');
    assert.match(text ?? '', /^# site\.test\/a\\_b\\\[1\]\n/);
    assert.doesNotMatch(pageRow({ ...page, linkedFrom: 'https://site.test/list' }, '').tooltip, /Linked from/);
  });

  it("doesn't repeat what the titles of most pages end with", () => {
    const titled = (...titles: (string | null)[]) => titles.map((title, order) => ({ ...page, order, title }));
    const pages = titled('Tea · Shop', 'Green - black · Shop', 'Shop', 'Cups · Shop');
    const ending = sharedEnding(pages);
    const labels = pages.map((each) => pageRow(each, '', ending).label);
    assert.deepEqual(labels, ['Tea', 'Green - black', 'Shop', 'Cups']);
    assert.match(pageRow(page, '', ending).tooltip, /^Tea$/m);
    assert.match(pageRow({ ...page, title: 'Tea · Shop' }, '', ending).tooltip, /^Tea · Shop$/m);
    for (const titles of [
      ['Tea · Shop'],
      ['Tea · Shop', 'Cups · Shop', 'A', 'B'],
      ['A-Z', 'B-Z'],
      [null, '· Z', '· Z'],
      // Here, it alone tells them apart, or says what they are.
      ['404 - Page not found', '404 - Page not found'],
      ['Acme - Products', 'Acme - Products', 'Acme - Products', 'Acme - About'],
    ])
      assert.equal(sharedEnding(titled(...titles)), '', titles.join());
  });

  it('say that content is missing, and which', () => {
    const warned = pageRow({ ...page, warning: 'The page has a button "More".' }, 'https://site.test/shop/');
    assert.equal(warned.description, '7 · warning');
    assert.match(warned.tooltip, /^The page has a button "More"\.$/m);
  });
});
