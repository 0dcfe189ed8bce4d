import assert from 'node:assert/strict';
import { createPathMatcher, type PathMatcher } from '../../../../src/service/web/crawl/scope/path-rules.ts';

describe('path rules', () => {
  let matcher: PathMatcher;
  before(() => {
    matcher = createPathMatcher();
  });
  after(() => matcher.close());

  const urls = (...paths: string[]) => paths.map((path) => new URL(path, 'https://site.test'));

  it('keep pathnames that match an include pattern and no exclude pattern', async () => {
    const rules = matcher.rules({ includePaths: ['^/blog(/|$)', 'guide'], excludePaths: ['/drafts/'] });
    const { admitted, slow } = await rules.judge(
      urls('/blog', '/blog/one', '/blogger', '/my-guides/x', '/blog/drafts/x', '/x?p=/blog'),
    );
    assert.deepEqual(admitted, [true, true, false, true, false, false]);
    assert.deepEqual(slow, []);
    rules.dispose();
  });

  it('match whole URLs on request', async () => {
    const rules = matcher.rules({ includePaths: ['\\?page=2$'], regexOnFullURL: true });
    assert.deepEqual((await rules.judge(urls('/x?page=2', '/x?page=3'))).admitted, [true, false]);
  });

  it('allow everything if there are none', async () => {
    assert.deepEqual((await matcher.rules({}).judge(urls('/a', '/b'))).admitted, [true, true]);
  });

  it('are interrupted when a pattern backtracks endlessly, without blocking anything (CRW-11)', async () => {
    const hostile = `/${'a'.repeat(50)}!`;
    const rules = matcher.rules({ excludePaths: ['/(a+)+$'] });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const judged = await rules.judge(urls('/fine', hostile, '/fine-too'));
    clearInterval(timer);
    assert.deepEqual([judged.admitted, judged.slow], [[true, false, true], ['/(a+)+$']]);
    assert.ok(ticks > 0, 'the event loop stood still');
  });

  it('give up on a hostile pattern after a few paths, without affecting other crawls', async () => {
    const hostile = matcher.rules({ excludePaths: ['/(a+)+$'] });
    const paths = Array.from({ length: 2000 }, (_, index) => `/${'a'.repeat(50)}!${index}`);
    const [judged, other] = await Promise.all([
      hostile.judge(urls(...paths)),
      matcher.rules({ includePaths: ['^/ok'] }).judge(urls('/ok', '/no')),
    ]);
    assert.ok(judged.admitted.every((admitted) => !admitted));
    assert.deepEqual(other.admitted, [true, false]);
  });

  it('continue with a new thread when theirs is lost', async () => {
    const own = createPathMatcher();
    const rules = own.rules({ includePaths: ['^/a'] });
    assert.deepEqual((await rules.judge(urls('/a', '/b'))).admitted, [true, false]);
    await own.close();
    assert.deepEqual((await rules.judge(urls('/a', '/b'))).admitted, [true, false]);
    await own.close();
  });
});
