import assert from 'node:assert/strict';
import { readingReasons } from '../../../../src/contract/scrape/scrape.ts';
import { pageRow } from '../../../../src/extension/pages/page-rows.ts';

describe('the row of a page', () => {
  const page = { order: 1, url: 'https://site.test/shop/7', title: 'Tea', statusCode: 200, state: 'ok' };

  it('says how the page was read and why', () => {
    const rendered = pageRow({ ...page, readAs: 'rendered', readBecause: 'scripts' }, 'https://site.test/shop/');
    assert.equal(rendered.description, '7 · 200 · rendered');
    assert.match(rendered.tooltip, /^Rendered in Chrome: its scripts may write content$/m);
    const fetched = pageRow({ ...page, readAs: 'fetched', readBecause: 'noScripts' }, 'https://site.test/shop/');
    assert.equal(fetched.description, '7 · 200');
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

  it('say that content is missing, and which', () => {
    const warned = pageRow({ ...page, warning: 'The page has a button "More".' }, 'https://site.test/shop/');
    assert.equal(warned.description, '7 · 200 · warning');
    assert.match(warned.tooltip, /^The page has a button "More"\.$/m);
  });
});
