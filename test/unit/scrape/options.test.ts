import assert from 'node:assert/strict';
import { startBatchBody, startCrawlBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { parseBody } from '../../../src/contract/scrape/parse.ts';
import { scrapeBody, scrapeOptions } from '../../../src/contract/scrape/scrape.ts';
import { parseKey } from '../../../src/service/browsers/page/keys.ts';
import { acceptLanguage, languagesOf } from '../../../src/service/browsers/page/languages.ts';
import { defaultMaxAge } from '../../../src/service/web/scrape/default-max-age.ts';
import { kindOfFile } from '../../../src/service/web/scrape/file-kind.ts';
import { isAdHost } from '../../../src/service/web/scrape/render/ads.ts';
import { retryAfterMs } from '../../../src/service/web/scrape/scrape-errors.ts';
import { planOf } from '../../../src/service/web/scrape/scrape-plan.ts';

const model = { configured: true } as const;
const wishes = (options: object) => planOf(scrapeOptions.parse(options), model);

describe('scrape options', () => {
  it('have the defaults that published clients expect', () => {
    const options = scrapeOptions.parse({});
    assert.deepEqual(options.formats, [{ type: 'markdown' }]);
    assert.deepEqual(
      [
        options.onlyMainContent,
        options.removeBase64Images,
        options.blockAds,
        options.storeInCache,
        options.proxy,
        options.mobile,
      ],
      [true, true, true, true, 'auto', false],
    );
  });

  it('accept every default explicitly', () => {
    const defaults = scrapeOptions.parse({});
    assert.deepEqual(scrapeOptions.parse(defaults), defaults);
    planOf(defaults, { configured: false, advice: '' });
    wishes({
      proxy: 'basic',
      parsers: ['pdf'],
      location: { country: 'us-generic' },
      formats: ['markdown'],
      fastMode: false,
    });
  });

  it('normalize formats and parsers', () => {
    const options = scrapeOptions.parse({
      formats: ['html', 'screenshot', { type: 'screenshot', quality: 80 }, { type: 'json', prompt: 'x' }],
      parsers: ['pdf'],
    });
    assert.deepEqual(options.formats, [
      { type: 'html' },
      { type: 'screenshot', fullPage: false },
      { type: 'screenshot', fullPage: false, quality: 80 },
      { type: 'json', prompt: 'x' },
    ]);
    assert.deepEqual(options.parsers, [{ type: 'pdf' }]);
  });

  it('accept attributes with their selectors, and refuse them without', () => {
    const selectors = [{ selector: 'a', attribute: 'href' }];
    assert.deepEqual(wishes({ formats: [{ type: 'attributes', selectors }] }).attributes, selectors);
    assert.throws(() => wishes({ formats: ['attributes'] }), /"attributes" needs its options: .*"selectors"/);
    assert.throws(() => scrapeOptions.parse({ formats: [{ type: 'attributes' }] }));
  });

  const refused: [string, object][] = [
    ['unknown keys', { formatz: [] }],
    ['a timeout below a second', { timeout: 999 }],
    ['a wait of more than half of the timeout', { timeout: 4000, waitFor: 2001 }],
    [
      'waits of more than a minute',
      {
        actions: [
          { type: 'wait', milliseconds: 40_000 },
          { type: 'wait', milliseconds: 20_001 },
        ],
      },
    ],
    ['a wait for nothing', { actions: [{ type: 'wait' }] }],
    ['a wait for two things', { actions: [{ type: 'wait', milliseconds: 1, selector: 'p' }] }],
    ['an action that is none', { actions: [{ type: 'dance' }] }],
    ['fields that an action lacks', { actions: [{ type: 'click', selector: 'p', twice: true }] }],
    ['more than 50 actions', { actions: Array.from({ length: 51 }, () => ({ type: 'scrape' })) }],
    ['headers with line breaks', { headers: { a: 'b\r\nc: d' } }],
    ['header names that are none', { headers: { 'a b': 'c' } }],
    ['a country that is none', { location: { country: 'Germany' } }],
    ['a negative age', { maxAge: -1 }],
    ['settings that a format lacks', { formats: [{ type: 'screenshot', zoom: 2 }] }],
  ];
  for (const [what, options] of refused) {
    it(`reject ${what}`, () =>
      assert.equal(scrapeBody.safeParse({ url: 'https://site.test', ...options }).success, false));
  }
  it('refuse to redact personal data, whatever its options, and say why', () => {
    for (const redactPII of [true, { mode: 'fast', entities: ['EMAIL'] }]) {
      const { error } = scrapeBody.safeParse({ url: 'https://site.test', redactPII });
      assert.match(error?.issues[0]?.message ?? '', /redactPII isn't supported: personal data can't be recognized/);
    }
    assert.ok(scrapeBody.safeParse({ url: 'https://site.test', redactPII: false }).success);
  });
  it('refuse what has to be stored for requests that store nothing', () => {
    const url = 'https://site.test';
    const problem = (body: object) =>
      scrapeBody.safeParse({ url, zeroDataRetention: true, ...body }).error?.issues[0]?.message;
    assert.match(problem({ formats: ['changeTracking'] }) ?? '', /can't be used with the format changeTracking/);
    assert.match(problem({ profile: { name: 'p' } }) ?? '', /set its saveChanges to false/);
    assert.equal(problem({ profile: { name: 'p', saveChanges: false } }), undefined);
    assert.equal(problem({ formats: ['markdown', 'summary'] }), undefined);
    assert.equal(problem({ formats: ['changeTracking'], zeroDataRetention: false }), undefined);
    const crawl = { url, zeroDataRetention: true, scrapeOptions: { formats: ['changeTracking'] } };
    assert.equal(startCrawlBody.safeParse(crawl).success, false);
    const batch = { urls: [url], zeroDataRetention: true, formats: ['changeTracking'] };
    assert.equal(startBatchBody.safeParse(batch).success, false);
    assert.equal(parseBody.safeParse({ zeroDataRetention: true }).success, true);
    assert.match(
      parseBody.safeParse({ formats: ['changeTracking'] }).error?.issues[0]?.message ?? '',
      /changeTracking format can't be used with an uploaded file/,
    );
  });
  it('accept origin and integration from clients', () => {
    assert.ok(scrapeBody.safeParse({ url: 'https://site.test', origin: 'js-sdk', integration: null }).success);
  });
  for (const url of [
    'file:///etc/passwd',
    'javascript:x',
    'data:,x',
    'ftp://x',
    'http:///',
    'http://x:65536/',
    'x',
    `http://x/${'a'.repeat(100_000)}`,
  ]) {
    it(`reject the URL ${url.slice(0, 40)} (SSR-06, SSR-07)`, () =>
      assert.equal(scrapeBody.safeParse({ url }).success, false));
  }
});

describe('the plan of a scrape', () => {
  it('rejects an unsupported format by name', () => {
    assert.throws(() => wishes({ formats: ['poem'] }), { status: 400, message: /"poem".*markdown, html/ });
    for (const [name, reason] of [
      ['branding', /not their design/],
      ['pii', /can't be recognized reliably/],
      ['audio', /text and images only/],
      ['video', /text and images only/],
    ] as const) {
      assert.throws(() => wishes({ formats: [{ type: name }] }), { code: 'FORMAT_NOT_OFFERED', message: reason });
      assert.throws(() => wishes({ formats: [name] }), { message: new RegExp(`"${name}" isn't supported: `) });
    }
  });
  it('has the questions of all formats that ask one, by the field for their answer', () => {
    const { questions, markdown } = wishes({
      formats: [
        { type: 'query', prompt: 'a', mode: 'directQuote' },
        { type: 'highlights', query: 'b' },
      ],
    });
    assert.deepEqual(questions, [
      { field: 'answer', question: { prompt: 'a', onlyQuotes: true } },
      { field: 'highlights', question: { prompt: 'b', onlyQuotes: true } },
    ]);
    assert.equal(markdown, true);
  });
  it('reports what json is missing', () => {
    const options = scrapeOptions.parse({ formats: [{ type: 'json', schema: {} }] });
    assert.throws(() => planOf(options, { configured: false, advice: 'set it' }), { status: 503, message: /set it/ });
  });
  it('knows which options need a browser', () => {
    assert.equal(wishes({}).needsBrowser, false);
    for (const options of [
      { waitFor: 1 },
      { mobile: true },
      { formats: ['screenshot'] },
      { actions: [{ type: 'scrape' }] },
      { profile: { name: 'p' } },
    ])
      assert.equal(wishes(options).needsBrowser, true);
  });
  it('verifies certificates if data is at risk', () => {
    assert.equal(wishes({}).skipTlsVerification, true);
    assert.equal(wishes({ headers: { cookie: 'x' } }).skipTlsVerification, false);
    assert.equal(wishes({ actions: [{ type: 'scrape' }] }).skipTlsVerification, false);
    assert.equal(wishes({ headers: { cookie: 'x' }, skipTlsVerification: true }).skipTlsVerification, true);
  });
});

describe('helpers for scraping', () => {
  it('use the cache by default only for published clients, and not for private hosts', () => {
    const age = (body: object) => defaultMaxAge(scrapeBody.parse({ url: 'https://site.test/', ...body }));
    assert.equal(age({ origin: 'js-sdk@4.25.2' }), 4 * 60 * 60 * 1000);
    assert.equal(age({ origin: 'mcp-fastmcp' }), 4 * 60 * 60 * 1000);
    assert.equal(age({ integration: 'cli' }), 4 * 60 * 60 * 1000);
    for (const other of [
      {},
      { origin: 'my-program' },
      { origin: 'js-sdk@4.25.2', url: 'http://localhost:3000/' },
      { origin: 'js-sdk@4.25.2', minAge: 1 },
      { origin: 'js-sdk@4.25.2', lockdown: true },
    ])
      assert.equal(age(other), undefined);
  });

  it('parse Retry-After as seconds or as a date, and nothing else', () => {
    const now = Date.UTC(2026, 0, 1);
    assert.equal(retryAfterMs('120', now), 120_000);
    assert.equal(retryAfterMs(new Date(now + 5000).toUTCString(), now), 5000);
    assert.equal(retryAfterMs(new Date(now - 5000).toUTCString(), now), 0);
    for (const text of [undefined, '-1', '1.5', 'soon', '99999999999'])
      assert.equal(retryAfterMs(text, now), undefined);
  });
  it('derive languages from a location', () => {
    assert.deepEqual(languagesOf({ country: 'de' }), ['de-DE', 'de']);
    assert.deepEqual(languagesOf({ country: 'AT', languages: ['en-GB', 'de'] }), ['en-GB', 'de']);
    assert.deepEqual(languagesOf({ country: 'us-generic' }), []);
    assert.deepEqual(languagesOf(undefined), []);
    assert.equal(acceptLanguage(['de-AT', 'de']), 'de-AT,de;q=0.9');
    assert.equal(acceptLanguage([]), undefined);
  });
  it('recognize files by type, or by their first bytes', () => {
    const kind = (type: string | undefined, body = '') => kindOfFile(type, Buffer.from(body, 'latin1'));
    assert.equal(kind('text/html; charset=x'), 'html');
    assert.equal(kind('application/pdf'), 'pdf');
    assert.equal(kind('application/ld+json'), 'text');
    assert.equal(kind('text/csv'), 'csv');
    assert.equal(kind('image/png'), undefined);
    assert.equal(kind(undefined, '%PDF-1.7'), 'pdf');
    assert.equal(kind('application/octet-stream', '<!DOCTYPE html>'), 'html');
    assert.equal(kind(undefined, 'words'), 'text');
    assert.equal(kind(undefined, 'MZ\x90\0\x03'), undefined);
  });
  it('map keys by their names', () => {
    assert.deepEqual(parseKey('Enter')?.stroke.text, '\r');
    assert.equal(parseKey('a')?.stroke.code, 'KeyA');
    assert.equal(parseKey('Control+A')?.modifiers, 2);
    assert.equal(parseKey('Control+A')?.stroke.text, undefined);
    assert.equal(parseKey('Shift+ArrowDown')?.modifiers, 8);
    assert.equal(parseKey('ctrl+shift+k')?.modifiers, 10);
    assert.equal(parseKey('+')?.stroke.key, '+');
    for (const name of ['', 'Nonsense', 'Foo+A', 'ab']) assert.equal(parseKey(name), undefined, name);
  });
  it('match ad networks and all their subdomains', () => {
    for (const host of ['doubleclick.net', 'stats.g.doubleclick.net', 'CONNECT.facebook.net'])
      assert.ok(isAdHost(host));
    for (const host of ['facebook.net', 'notdoubleclick.net', 'localhost', '127.0.0.1', '']) assert.ok(!isAdHost(host));
  });
});
