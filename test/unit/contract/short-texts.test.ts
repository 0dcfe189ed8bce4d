import assert from 'node:assert/strict';
import { addScheme, enteredAddress, isQuickUrl, parseUrl, sectionOf } from '../../../src/contract/addresses.ts';
import { isOtherLanguage } from '../../../src/contract/english.ts';
import { scrapeBody } from '../../../src/contract/scrape/scrape.ts';
import { webhookConfig } from '../../../src/contract/webhooks/webhooks.ts';
import { scriptValue } from '../../../src/service/browsers/page/script.ts';
import { redirectTarget } from '../../../src/service/platform/network/redirects.ts';
import { parametersByRules } from '../../../src/service/web/crawl/parameters/by-rules.ts';
import { lemmaOf, tokensOf } from '../../../src/service/web/crawl/parameters/tokens.ts';
import { createTraps } from '../../../src/service/web/crawl/run/site-knowledge/traps.ts';
import { shapeOf } from '../../../src/service/web/crawl/scope/shapes.ts';
import { identityOf, parseLink } from '../../../src/service/web/crawl/scope/urls.ts';

/** Different characters, of which V8 takes the longest to convert a host name. */
const name = String.fromCodePoint(...Array.from({ length: 4_900 }, (_, index) => 0x4e00 + ((index * 7_919) % 20_900)));
/** So often, each would take more than the time that a test has if its cost were the square of its length. */
const times = (count: number, work: () => unknown) => {
  for (let index = 0; index < count; index++) work();
};

describe('short texts', () => {
  it('TRN-06: are read in short time as host names', () => {
    const written = [`http://${name}.test/`, ` HT\nTP:\\\\${name}`, `//a:b@${name}:80`, `https:${name}`];
    for (const text of [...written, `http://${encodeURIComponent(name)}/`]) {
      assert.equal(isQuickUrl(text), false);
      times(500, () => parseUrl(text, 'http://a.test/'));
      times(500, () => redirectTarget(302, text, new URL('http://a.test/')));
      times(500, () => parseLink(text));
    }
    times(500, () => addScheme(`${name}.test`));
    times(500, () => enteredAddress(`${name}.test/page`));
    const url = `http://${name}.test/`;
    times(50, () => assert.equal(scrapeBody.safeParse({ url }).success, false));
    times(50, () => assert.equal(webhookConfig.safeParse({ url }).success, false));
  });

  it('are URLs whatever else is long', () => {
    for (const text of [
      `https://bücher.test/${name}?q=${name}#${name}`,
      `/${name}`,
      name,
      `../${name}:80`,
      `http://${'a'.repeat(5_000)}.test/`,
      `http://${Array.from({ length: 20 }, () => 'ä'.repeat(12)).join('.')}/`,
    ]) {
      assert.ok(isQuickUrl(text));
      assert.equal(parseUrl(text, 'http://a.test/')?.href, new URL(text, 'http://a.test/').href);
    }
  });

  it('TRN-06: are read in short time as paths, words and scripts', () => {
    const url = new URL(`http://a.test/b${'/'.repeat(4_000)}c`);
    const page = { url: url.href, origin: url.origin, identity: url.href, depth: 1 };
    const letters = { ...page, url: `http://a.test/${'a'.repeat(4_000)}` };
    const traps = createTraps();
    times(2_000, () => {
      identityOf(url, { ignoreQueryParameters: false, deduplicateSimilarURLs: true });
      sectionOf(url.pathname);
      shapeOf(url);
      traps.caught(page);
      traps.caught(letters);
    });
    times(20, () => lemmaOf('a'.repeat(10_000)));
    for (const text of ['-', '-_', 'a-']) times(2, () => tokensOf(text.repeat(400_000 / text.length), 'a.test'));
    for (const text of ['a', './', '. ']) times(20, () => isOtherLanguage(`${text.repeat(20_000)}.`));
    times(1, () => scriptValue(`await 1${';'.repeat(99_000)}1`));
    times(1, () => scriptValue(`await 1${' '.repeat(99_000)}1`));
  });

  it('TRN-06: are read in short time as prompts about large sites', () => {
    const urls = Array.from({ length: 1_000 }, (_, index) => `http://a.test/section${index}/part${index}/page${index}`);
    for (const prompt of ['1,', 'blog, ', 'only blog ', 'zebra crossing, '])
      times(5, () => parametersByRules(prompt.repeat(700), new URL('http://a.test/'), urls));
  });

  it('TRN-06: are read in short time as prompts that name thousands of sections of one name again and again', () => {
    const start = new URL('http://a.test/');
    const urls = Array.from({ length: 5_000 }, (_, index) => `http://a.test/part${index}/section${index}/blog`);
    for (const prompt of ['blog, ', 'doc blog. ']) times(8, () => parametersByRules(prompt.repeat(300), start, urls));
    const { parameters, notUnderstood } = parametersByRules('skip the blog. '.repeat(100), start, urls);
    assert.equal(parameters.excludePaths, undefined);
    assert.deepEqual(notUnderstood, ['skip the blog']);
    const others = Array.from({ length: 20 }, (_, index) => `skip the blog in section${index}`);
    assert.ok(parametersByRules(others.join('. '), start, urls).notUnderstood.includes('skip the blog in section19'));
    const { includePaths } = parametersByRules('only the blog in section4321', start, urls).parameters;
    assert.deepEqual(includePaths, ['^/part4321/section4321/blog(/|$)']);
  });

  it('keep what they mean', () => {
    const similar = { ignoreQueryParameters: false, deduplicateSimilarURLs: true };
    assert.equal(identityOf(new URL('http://a.test/b//'), similar), identityOf(new URL('http://a.test/b'), similar));
    assert.equal(sectionOf('/docs//'), '/docs/');
    assert.equal(shapeOf(new URL('http://a.test/b/c//')), 'http://a.test/b/*');
    assert.match(scriptValue('await 1 ;; ;'), /return \(\\nawait 1\\n\)/);
  });
});
