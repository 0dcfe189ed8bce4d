import assert from 'node:assert/strict';
import { leftOutReasons } from '../../../src/contract/crawl/left-out.ts';
import { widerOf } from '../../../src/extension/crawls/draft/wider.ts';
import { leftOutReason, leftOutWay } from '../../../src/extension/ui/text/page-texts.ts';

const site = 'https://site.test';
const pages = (reason: string, ...paths: string[]) => ({
  reason,
  count: paths.length,
  atLeast: false,
  examples: paths.map((path) => site + path),
});

describe('crawls that get pages that an earlier one left out', () => {
  it('exist for every reason', () => {
    for (const reason of leftOutReasons) {
      assert.ok(leftOutWay(pages(reason)), reason);
      assert.notEqual(leftOutReason(pages(reason)), reason);
      const isDone = reason === 'limit' || reason === 'failure';
      assert.ok(isDone || Object.keys(widerOf(site, { maxDepth: 1 }, pages(reason, '/a'))).length > 0, reason);
    }
  });

  it('are named in words that fit into a row of the side bar, with the reason', () => {
    for (const reason of leftOutReasons) {
      const row = `78 ${leftOutReason(pages(reason))} ${leftOutWay(pages(reason))}`;
      assert.ok(row.length <= 35, row);
    }
  });

  it('are not waited for if the patterns of a server take too long to match (EXT-27)', () => {
    const options = { includePaths: ['(a+)+$'], excludePaths: ['(a+)+$'] };
    for (const reason of ['section', 'exclude'])
      assert.throws(() => widerOf(site, options, pages(reason, `/${'a'.repeat(60)}b`)), /take too long to match/);
  });

  it('need no patterns that can be read if no page is known', () => {
    const options = { includePaths: ['('], excludePaths: ['('] };
    assert.deepEqual(widerOf(site, options, pages('section')), { crawlEntireDomain: true });
    assert.deepEqual(widerOf(site, options, pages('exclude')), { excludePaths: ['('] });
    assert.throws(() => widerOf(site, options, pages('exclude', '/a')), /^Error: Invalid regular expression/);
  });

  it('change only what left the pages out', () => {
    assert.deepEqual(widerOf(`${site}/docs`, { maxDepth: 1, limit: 5 }, pages('depth', '/docs/a/b/c')), {
      maxDepth: 3,
    });
    assert.deepEqual(widerOf(site, { maxDiscoveryDepth: 1 }, pages('depth', '/a')), { maxDiscoveryDepth: 3 });
    const include = { includePaths: ['^/product(/|$)'] };
    assert.deepEqual(widerOf(site, include, pages('include', '/blog/1', '/blog/2', '/a.b/c')), {
      includePaths: ['^/product(/|$)', '^/blog(/|$)', '^/a\\.b(/|$)'],
    });
    const english = { includePaths: ['^/en/c/Teapots(/|$)'] };
    assert.deepEqual(widerOf(`${site}/en/`, english, pages('include', '/en/product/1', '/en/about')), {
      includePaths: [...english.includePaths, '^/en/product(/|$)', '^/en(/|$)'],
    });
    const crawlEntireDomain = true;
    assert.deepEqual(widerOf(`${site}/en/c/`, english, pages('section', '/job/cook/1')), {
      crawlEntireDomain,
      includePaths: [...english.includePaths, '^/job(/|$)'],
    });
    const jobs = { includePaths: ['^/job'] };
    assert.deepEqual(widerOf(`${site}/en/`, jobs, pages('section', '/job/cook/1', '/firm/a/1', '/job/cook/2')), {
      crawlEntireDomain,
      includePaths: ['^/job', '^/firm(/|$)'],
    });
    for (const options of [{}, jobs])
      assert.deepEqual(widerOf(`${site}/en/`, options, pages('section', '/job/cook/1')), { crawlEntireDomain });
    const exclude = { excludePaths: ['^/blog', '^/docs'] };
    assert.deepEqual(widerOf(site, exclude, pages('exclude', '/blog/1')), { excludePaths: ['^/docs'] });
    assert.deepEqual(widerOf(site, { ...include, limit: 10 }, pages('include', '/a', '/b'), 10), {
      limit: 12,
      includePaths: ['^/product(/|$)', '^/a(/|$)', '^/b(/|$)'],
    });
    const routes = pages('exclude', '/#/people/1', '/app/#!help');
    const excluded = { excludePaths: ['^/people(/|$)', '^/app/help$', '^/docs'] };
    assert.deepEqual(widerOf(site, excluded, routes), { excludePaths: ['^/docs'] });
    const whole = { excludePaths: ['/people/', '#/people/', '^/people'], regexOnFullURL: true };
    assert.deepEqual(widerOf(site, whole, routes), { excludePaths: ['^/people'] });
    assert.deepEqual(widerOf(`${site}/app/`, include, pages('include', '/#/people/1', '/#/about', '/app/#/help/a')), {
      includePaths: [...include.includePaths, '^/people(/|$)', '^/about(/|$)', '^/app/help(/|$)'],
    });
    assert.deepEqual(widerOf(site, {}, pages('robots', '/private')), { ignoreRobotsTxt: true });
    const scrapeOptions = { formats: ['links'] };
    assert.deepEqual(widerOf(site, { scrapeOptions }, pages('login', '/account')), {
      scrapeOptions: { ...scrapeOptions, profile: { name: '' } },
    });
    assert.deepEqual(widerOf(site, {}, pages('trap', '/calendar?month=1')), { url: `${site}/calendar?month=1` });
  });
});
