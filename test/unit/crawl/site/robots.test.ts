import assert from 'node:assert/strict';
import fc from 'fast-check';
import { currentAsker, workingFor } from '../../../../src/service/platform/asker.ts';
import { FetchError, type Fetched } from '../../../../src/service/platform/network/fetch.ts';
import { parseRobots } from '../../../../src/service/web/crawl/site/robots.ts';
import { createRobotsCache } from '../../../../src/service/web/crawl/site/robots-cache.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';

const allowed = async (text: string, path: string, agent = 'WebData') => (await parseRobots(text))(agent).allows(path);

describe('robots.txt', () => {
  it('allows what no rule disallows', async () => {
    for (const text of [
      '',
      '\ufeff',
      '# nothing',
      'Disallow: /',
      'User-agent: other\nDisallow: /',
      'User-agent: *\nDisallow:',
    ])
      assert.ok(await allowed(text, '/x'), text);
  });

  it('uses the longest rule, and the allowing one if two are equal', async () => {
    const text = 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d\nDisallow: /d\nDisallow: /e$\n';
    for (const [path, expected] of [
      ['/a', false],
      ['/ab', false],
      ['/a/b', true],
      ['/a/b/c', false],
      ['/d', true],
      ['/e', false],
      ['/e/f', true],
      ['/robots.txt', true],
    ] as const)
      assert.equal(await allowed(text, path), expected, path);
  });

  it('supports wildcards and end anchors', async () => {
    const rules: [string, string, boolean][] = [
      ['/*.php', '/x/y.php?a', false],
      ['/*.php$', '/x.php', false],
      ['/*.php$', '/x.php5', true],
      ['/a*b*c$', '/axbxc', false],
      ['/a*b*c$', '/abxcx', true],
      ['/a*a$', '/a', true],
      ['*', '/', false],
      ['/*?*$', '/x?y', false],
      ['/*?*$', '/x', true],
      ['/$', '/', false],
      ['/$', '/x', true],
      ['/caf\u00e9', '/caf%C3%A9', false],
      ['/%7Ex', '/~x', false],
      ['/a%2fb', '/a%2Fb', false],
      ['/a%2fb', '/a/b', true],
      ['/%24', '/$100', false],
      ['/a$b', '/a$b', false],
      ['/a$b', '/a%24b', false],
      ['/%2A', '/*', false],
      ['/%2A', '/x', true],
    ];
    for (const [rule, path, expected] of rules)
      assert.equal(await allowed(`User-agent: *\nDisallow: ${rule}`, path), expected, `${rule} ${path}`);
  });

  it('CRW-01: obeys rules without their colon, and those after a delay between agents', async () => {
    assert.ok(!(await allowed('User-agent: *\ndisallow /', '/x')));
    assert.ok(!(await allowed('user-agent *\nDisallow /x # why', '/x')));
    assert.ok(await allowed('User-agent: *\nDisallow /x and more', '/x'), 'a sentence is no rule');
    const delayed = 'User-agent: *\nCrawl-delay: 2\nUser-agent: other\nDisallow: /private';
    for (const agent of ['webdata', 'other']) assert.ok(!(await allowed(delayed, '/private', agent)));
  });

  it('obeys a delay only if it is said to the agent, which is named before it', async () => {
    for (const [lines, expected] of [
      ['agent: bingbot|delay: 5||agent: *|Disallow: /x', undefined],
      ['agent: bingbot|delay: 5||agent: WebData|Disallow: /x', undefined],
      ['agent: *|delay: 5||agent: bingbot|Disallow: /x', 5],
      ['agent: bingbot|agent: *|delay: 5|Disallow: /x', 5],
      ['agent: bingbot|delay: 5|agent: *|delay: 2|Disallow: /x', 2],
      ['agent: *|Disallow: /x|delay: 5', 5],
      ['agent: bingbot|Disallow: /x|delay: 5|agent: *|Disallow: /y', undefined],
      ['agent: *|delay: 5|Disallow: /x|agent: WebData|Disallow: /y', undefined],
      ['agent: *|delay: 5|agent: WebData|Disallow: /x', undefined],
      ['agent: *|delay: 5|Disallow: /x|agent: WebData|delay: 1|Disallow: /y', 1],
      ['agent: *|delay: 0.5|Disallow: /x', 0.5],
      ['agent: *|delay: 3|delay: 1|Disallow: /x|delay: 2', 3],
      ['agent: *|delay: soon|delay: 1|Disallow: /x', 1],
      ['agent: *|Disallow: /x||agent: *|delay: 4', 4],
      ['delay: 5|agent: *|Disallow: /x', undefined],
    ] as const) {
      const text = lines.replaceAll('agent', 'User-agent').replaceAll('delay', 'Crawl-delay').replaceAll('|', '\n');
      assert.equal((await parseRobots(text))('WebData').crawlDelay, expected, lines);
    }
  });

  it('ignores a delay that is no finite number', async () => {
    for (const delay of ['1e400', 'Infinity', '-1', 'soon'])
      assert.equal((await parseRobots(`User-agent: *\nCrawl-delay: ${delay}`))('a').crawlDelay, undefined, delay);
  });

  it('uses all groups of the given agent, otherwise those for all agents', async () => {
    const text =
      'User-agent: WEBDATA\nUser-agent: b\nDisallow: /1\n\nUser-agent: *\nDisallow: /\n\nuser-agent: webdata/2\ndisallow: /2 # why\n';
    assert.deepEqual(await Promise.all(['/1', '/2', '/3'].map((path) => allowed(text, path))), [false, false, true]);
    assert.deepEqual(await Promise.all(['/1', '/3'].map((path) => allowed(text, path, 'b (x)'))), [false, true]);
    assert.ok(!(await allowed(text, '/3', 'other')));
  });

  it('reads any line endings, and ignores unknown lines', async () => {
    const text =
      'User-agent: *\rDisallow: /a\r\nNoindex: /b\nnonsense\n: x\nCrawl-delay: 2\nCrawl-delay: 1e9\nSitemap: https://x.test/s.xml\nDisallow: /c';
    const robots = (await parseRobots(text))('x');
    assert.deepEqual(['/a', '/b', '/c'].map(robots.allows), [false, true, false]);
    assert.equal(robots.crawlDelay, 2);
    assert.deepEqual(robots.sitemaps, ['https://x.test/s.xml']);
  });

  it('can be read and matched, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, path) => {
        const robots = (await parseRobots(`User-agent: *\nDisallow: ${text}\n${text}`))(text);
        assert.equal(typeof robots.allows(`/${path}`), 'boolean');
      }),
    );
  });
});

describe('robots cache', () => {
  const { signal } = new AbortController();
  const site = { origin: 'https://a.test', skipTlsVerification: false };
  const answering = (status: number, text = ''): Fetched => ({
    url: '',
    status,
    headers: {},
    body: new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>,
    truncated: false,
    hops: [],
  });

  it('fetches robots.txt once a day, and again after some minutes if a site was down', async () => {
    const clock = createFakeClock();
    let asked = 0;
    let answer = answering(200, 'User-agent: *\nDisallow: /x');
    const fetcher = {
      fetch: async () => {
        asked++;
        return answer;
      },
    };
    const cache = createRobotsCache(fetcher, clock);
    for (let time = 0; time < 3; time++) assert.ok(!(await cache.of(site, signal)).allows('/x'));
    assert.equal(asked, 1);
    clock.advance(24 * 60 * 60 * 1000 + 1);
    answer = answering(500);
    const down = await cache.of(site, signal);
    assert.match(down.unreachable ?? '', /status 500/);
    assert.ok(!down.allows('/'));
    assert.equal(asked, 2);
    answer = answering(404);
    clock.advance(6 * 60 * 1000);
    assert.ok((await cache.of(site, signal)).allows('/x'));
    assert.equal(asked, 3);
  });

  it('parses a robots.txt once, whichever crawlers ask', async () => {
    const text = 'User-agent: a\nDisallow: /a\nUser-agent: *\nDisallow: /x';
    const cache = createRobotsCache({ fetch: async () => answering(200, text) }, createFakeClock());
    const { split } = String.prototype;
    let parsed = 0;
    String.prototype.split = function (this: string, separator: string) {
      if (String(this) === text) parsed++;
      return Reflect.apply(split, this, [separator]);
    } as typeof split;
    try {
      const rules = await Promise.all(['a', 'b', 'a/2', 'c'].map((agent) => cache.of(site, signal, agent)));
      assert.deepEqual(
        rules.map(({ allows }) => ['/a', '/x'].map(allows)),
        [
          [false, true],
          [true, false],
          [false, true],
          [true, false],
        ],
      );
    } finally {
      String.prototype.split = split;
    }
    assert.equal(parsed, 1);
  });

  it('treats too many redirects as no rules, and any other failure as disallowing everything', async () => {
    for (const [reason, expected] of [
      ['too many redirects', true],
      ['timeout', false],
      ['refused', false],
      ['dns', false],
    ] as const) {
      const fetcher = {
        fetch: () => Promise.reject(new FetchError(reason, 'https://a.test/robots.txt', reason)),
      };
      const robots = await createRobotsCache(fetcher, createFakeClock()).of(site, signal);
      assert.equal(robots.allows('/'), expected, reason);
    }
  });

  it('reads binary content as far as possible', async () => {
    const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
    for (const [what, body] of Object.entries({
      'a byte order mark': bytes('\xef\xbb\xbfUser-agent: *\nDisallow: /x'),
      'Latin-1': bytes('# caf\xe9\nUser-agent: *\nDisallow: /x\nDisallow: /caf\xe9'),
      'bytes that are 0': bytes('User-agent: *\0\nUser-agent: *\nDisallow: /x\n\0'),
    })) {
      const fetcher = { fetch: async () => ({ ...answering(200), body }) };
      const robots = await createRobotsCache(fetcher, createFakeClock()).of(site, signal);
      assert.deepEqual([robots.allows('/x'), robots.allows('/y')], [false, true], what);
    }
  });

  it('ignores the rule at which a long file is cut off', async () => {
    const cut = { ...answering(200, 'User-agent: *\nDisallow: /private/\nDisallow: /'), truncated: true };
    const robots = await createRobotsCache({ fetch: async () => cut }, createFakeClock()).of(site, signal);
    assert.deepEqual([robots.allows('/private/x'), robots.allows('/open')], [false, true]);
  });

  it('is read again for another team, which is not to blame if it could not be read (F6)', async () => {
    const failing = 'busy';
    const fetcher = {
      fetch: async () => {
        if (currentAsker()?.team === failing) throw new FetchError('timeout', '', 'in vain');
        return answering(200);
      },
    };
    const cache = createRobotsCache(fetcher, createFakeClock());
    const allows = (team: string) =>
      workingFor({ team, work: '' }, async () => (await cache.of(site, signal)).allows('/'));
    assert.deepEqual([await allows(failing), await allows('other'), await allows(failing)], [false, true, false]);
  });

  it('lets a caller cancel', async () => {
    const cache = createRobotsCache({ fetch: () => new Promise(() => undefined) }, createFakeClock());
    const gone = new AbortController();
    const asking = cache.of(site, gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(asking, /gone/);
  });
});
