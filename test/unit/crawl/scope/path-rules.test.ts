import assert from 'node:assert/strict';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import workers, { Worker } from 'node:worker_threads';
import { workingFor } from '../../../../src/service/platform/asker.ts';
import { createPathMatcher, type PathMatcher } from '../../../../src/service/web/crawl/scope/path-rules.ts';
import {
  type MatchResult,
  type MatchTask,
  matchPaths,
  type Verdict,
  verdicts,
} from '../../../../src/service/web/crawl/scope/path-rules-thread.ts';

/** Which URLs are admitted. */
const admittedOf = (judged: { verdicts: Verdict[] }) => judged.verdicts.map((each) => each === verdicts.admitted);

describe('path rules', () => {
  let matcher: PathMatcher;
  before(() => {
    matcher = createPathMatcher();
  });
  after(() => matcher.close());

  const urls = (...paths: string[]) => paths.map((path) => new URL(path, 'https://site.test'));

  it('keep pathnames that match an include pattern and no exclude pattern', async () => {
    const rules = matcher.rules({ includePaths: ['^/blog(/|$)', 'guide'], excludePaths: ['/drafts/'] });
    const judged = await rules.judge(
      urls('/blog', '/blog/one', '/blogger', '/my-guides/x', '/blog/drafts/x', '/x?p=/blog'),
    );
    assert.deepEqual(admittedOf(judged), [true, true, false, true, false, false]);
    assert.deepEqual(judged.slow, []);
    rules.dispose();
  });

  it('match the paths of pages at routes as if these were a part of them, and their pathnames', async () => {
    const routed = urls(
      '/#/guides/caf%C3%A9?x=/no',
      '/#!/guides',
      '/#!guides',
      '/app/#/guides/a',
      '/app#/about',
      '/#guides',
      '/',
    );
    const admitted = async (pattern: string, field = 'includePaths') => {
      const judged = await matcher.rules({ [field]: [pattern] }).judge(routed);
      return admittedOf(judged).map(Number).join('');
    };
    assert.equal(await admitted('^/guides(/|$)'), '1110000');
    assert.equal(await admitted('^/guides/café$'), '1000000');
    assert.equal(await admitted('^/app/guides/'), '0001000');
    assert.equal(await admitted('^/app(/|$)'), '0001100');
    assert.equal(await admitted('^/$'), '1110011');
    assert.equal(await admitted('/no'), '0000000');
    assert.equal(await admitted('^/guides(/|$)', 'excludePaths'), '0001111');
    const rules = matcher.rules({ includePaths: ['^/guides'], regexOnFullURL: true });
    assert.ok(admittedOf(await rules.judge(routed)).every((each) => !each));
  });

  it('match whole URLs on request', async () => {
    const rules = matcher.rules({ includePaths: ['\\?page=2$'], regexOnFullURL: true });
    assert.deepEqual(admittedOf(await rules.judge(urls('/x?page=2', '/x?page=3'))), [true, false]);
  });

  it('match paths as a person reads them, however the letters of path and pattern are escaped', async () => {
    const nfd = '/cafe\u0301/x';
    const groups: [patterns: string[], paths: string[]][] = [
      [
        ['^/caf\u00e9/', '^/cafe\u0301/', '^/caf%C3%A9/', '^/caf%c3%a9/', '^/caf\\u00e9/'],
        ['/caf\u00e9/x', nfd, '/caf%c3%a9/x'],
      ],
      [
        ['^/caf.$', '^/\\p{L}+$'],
        ['/caf\u00e9', '/cafe\u0301'],
      ],
      [
        ['^/~r/', '^/%7Er/', '^/%7er/'],
        ['/~r/x', '/%7Er/x', '/%7er/x'],
      ],
      [
        ['^/a b$', '^/a%20b$', '^/a\\sb$'],
        ['/a b', '/a%20b'],
      ],
      [['^/\u65e5\u672c/', '^/[\u4e00-\u9fa5]+/', '^/../'], ['/\u65e5\u672c/x']],
      [['^/.$', '^/\ud83d\ude00$'], ['/\ud83d\ude00']],
      [
        ['^/a\\(b\\)\\+$', '^/a%28b%29%2B$'],
        ['/a(b)+', '/a%28b%29%2B'],
      ],
      [['^/100%$', '^/100%25$'], ['/100%25']],
      [
        ['^/a%2Fb$', '^/a%2fb$'],
        ['/a%2Fb', '/a%2fb'],
      ],
      [
        ['^/caf%E9$', '^/caf%e9$', '%'],
        ['/caf%E9', '/caf%e9'],
      ],
      [['%[0-9A-F]{2}', '[%]C3'], ['/caf\u00e9']],
    ];
    for (const [patterns, paths] of groups)
      for (const pattern of patterns) {
        const admitted = admittedOf(await matcher.rules({ includePaths: [pattern] }).judge(urls(...paths)));
        assert.deepEqual(
          admitted,
          paths.map(() => true),
          pattern,
        );
        const excluded = await matcher.rules({ excludePaths: [pattern] }).judge(urls(...paths));
        assert.deepEqual(
          admittedOf(excluded),
          paths.map(() => false),
          pattern,
        );
      }
    for (const [pattern, path] of [
      ['^/a/b', '/a%2Fb'],
      ['^/caf\u00e9', '/caf%25C3%25A9'],
      ['^/(?!caf\u00e9)', '/caf%C3%A9'],
      ['^/Blog', '/blog'],
      // Decoded, it would be no valid range.
      ['^/[%7E-z]$', '/~~'],
    ] as const)
      assert.deepEqual(
        admittedOf(await matcher.rules({ includePaths: [pattern] }).judge(urls(path))),
        [false],
        pattern,
      );
  });

  it('match whole URLs as a person reads them', async () => {
    const match = async (pattern: string, url: string) =>
      admittedOf(await matcher.rules({ includePaths: [pattern], regexOnFullURL: true }).judge([new URL(url)]))[0];
    for (const pattern of ['q=\u00e9$', 'q=%C3%A9$', '//b\u00fccher\\.test/', '//xn--bcher-kva\\.test/'])
      assert.equal(await match(pattern, 'https://b\u00fccher.test/x?q=\u00e9'), true, pattern);
    assert.equal(await match('q=a&b', 'https://site.test/x?q=a%26b'), false);
    assert.equal(await match('q=a%26b', 'https://site.test/x?q=a%26b'), true);
  });

  it('allow everything if there are none', async () => {
    assert.deepEqual(admittedOf(await matcher.rules({}).judge(urls('/a', '/b'))), [true, true]);
  });

  it('are interrupted when a pattern backtracks endlessly, without blocking anything (CRW-11)', async () => {
    const hostile = `/${'a'.repeat(50)}!`;
    const rules = matcher.rules({ excludePaths: ['/(a+)+$'] });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const judged = await rules.judge(urls('/fine', hostile, '/fine-too'));
    clearInterval(timer);
    assert.deepEqual([admittedOf(judged), judged.slow], [[true, false, true], ['/(a+)+$']]);
    assert.ok(ticks > 0, 'the event loop stood still');
  });

  it('give up on a hostile pattern after a few paths, without affecting other crawls', async () => {
    const hostile = matcher.rules({ excludePaths: ['/(a+)+$'] });
    const paths = Array.from({ length: 2000 }, (_, index) => `/${'a'.repeat(50)}!${index}`);
    const [judged, other] = await Promise.all([
      hostile.judge(urls(...paths)),
      matcher.rules({ includePaths: ['^/ok'] }).judge(urls('/ok', '/no')),
    ]);
    assert.ok(admittedOf(judged).every((admitted) => !admitted));
    assert.deepEqual(admittedOf(other), [true, false]);
  });

  it('of one team leave others their turn, however costly they are (F6)', async () => {
    // More texts than one turn can match.
    const costly = matcher.rules({ excludePaths: [`^/${'a*'.repeat(5)}$`] });
    const stop = Promise.withResolvers<void>();
    let isDone = false;
    const paths = Array.from({ length: 20_000 }, (_, index) => `/${'a'.repeat(100)}!${index}`);
    const judging = workingFor({ team: 'one', work: '' }, () => costly.judge(urls(...paths)));
    void judging.then(() => {
      isDone = true;
    }, stop.resolve);
    const other = workingFor({ team: 'other', work: '' }, () =>
      matcher.rules({ includePaths: ['^/ok'] }).judge(urls('/ok', '/no')),
    );
    assert.deepEqual(admittedOf(await other), [true, false]);
    assert.equal(isDone, false);
    await matcher.close();
    await stop.promise;
  });

  it('are not blamed for the time in which a busy machine left them without the processor', async () => {
    /** Uses up turns of `runInContext` without the processor: every turn of less than `enoughMs`. */
    const busy = (enoughMs: number) => {
      const vm = process.getBuiltinModule('node:vm');
      const run = vm.Script.prototype.runInContext;
      vm.Script.prototype.runInContext = function (this: unknown, context, options) {
        if ((options?.timeout ?? 0) >= enoughMs) return run.call(this, context, options);
        throw Object.assign(new Error('Script execution timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
      };
    };
    const pattern = { source: '^/p/', pattern: '^/p/', isForEscapes: false };
    const slowPattern = { source: '/(a+)+$', pattern: '/(a+)+$', isForEscapes: false };
    const texts = ['/p/one', '/c', '/p/two', '/p/three', '/p/four'];
    for (const enoughMs of [150, 3000]) {
      const thread = new Worker(`(${busy.toString()})(${enoughMs});(${matchPaths.toString()})()`, { eval: true });
      const judge = async (task: MatchTask) => {
        const verdicts: number[] = [];
        const slow: string[] = [];
        while (verdicts.length < task.texts.length) {
          const [texts, written] = [task.texts.slice(verdicts.length), task.written.slice(verdicts.length)];
          thread.postMessage({ ...task, texts, written });
          const [result] = (await once(thread, 'message')) as [MatchResult];
          verdicts.push(...result.verdicts);
          slow.push(...result.slow);
        }
        return [verdicts, slow];
      };
      const patterns = { include: [pattern], exclude: [] };
      assert.deepEqual(await judge({ id: 1, rules: 1, patterns, texts, written: texts }), [[1, 3, 1, 1, 1], []]);
      if (enoughMs === 150) {
        const hostile = [`/${'a'.repeat(50)}!`, '/p/one'];
        const both = { include: [pattern], exclude: [slowPattern] };
        const judged = await judge({ id: 2, rules: 2, patterns: both, texts: hostile, written: hostile });
        assert.deepEqual(judged, [[2, 1], ['/(a+)+$']]);
      }
      await thread.terminate();
    }
  });

  it('continue with a new thread when theirs is lost', async () => {
    const own = createPathMatcher();
    const rules = own.rules({ includePaths: ['^/a'] });
    assert.deepEqual(admittedOf(await rules.judge(urls('/a', '/b'))), [true, false]);
    await own.close();
    assert.deepEqual(admittedOf(await rules.judge(urls('/a', '/b'))), [true, false]);
    await own.close();
  });

  it('fail while no thread can be started, and continue once one can', async () => {
    const own = createPathMatcher();
    const rules = own.rules({ includePaths: ['^/a'] });
    const { Worker } = workers;
    Object.assign(workers, {
      Worker: class {
        constructor() {
          throw new Error('no thread');
        }
      },
    });
    syncBuiltinESMExports();
    try {
      const failures: string[] = [];
      for (const path of ['/a', '/b']) rules.judge(urls(path)).catch(({ message }) => failures.push(message));
      await new Promise(setImmediate);
      assert.deepEqual(failures, ['no thread', 'no thread']);
    } finally {
      Object.assign(workers, { Worker });
      syncBuiltinESMExports();
    }
    assert.deepEqual(admittedOf(await rules.judge(urls('/a', '/b'))), [true, false]);
    await own.close();
  });
});
