import assert from 'node:assert/strict';
import { createCrawlSchema } from '../../../scripts/lib/crawl-schema.ts';
import { startCrawlBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { formatNames } from '../../../src/contract/scrape/formats.ts';
import { crawlOptionNames } from '../../../src/extension/crawls/draft/parameter-names.ts';
import { optionLines } from '../../../src/extension/crawls/option-lines.ts';

describe('the options of a crawl as text', () => {
  it('are empty if all have their defaults', () => {
    assert.deepEqual(optionLines(startCrawlBody.parse({ url: 'https://a.test' }) as never), []);
    assert.deepEqual(optionLines({ limit: 10_000, sitemap: 'include', scrapeOptions: { formats: ['markdown'] } }), []);
    assert.deepEqual(optionLines(null), []);
  });

  it('list the differences', () => {
    assert.deepEqual(
      optionLines({
        limit: 1,
        includePaths: ['docs/.*', 'guide/.*'],
        allowSubdomains: true,
        sitemap: 'skip',
        delay: 1.5,
        deduplicateSimilarURLs: false,
        scrapeOptions: {
          formats: ['markdown', { type: 'links' }],
          onlyMainContent: false,
          waitFor: 2000,
          maxAge: 7_200_000,
          location: { country: 'DE', languages: ['de'] },
          actions: [
            { type: 'wait', milliseconds: 500 },
            { type: 'click', selector: '#more' },
          ],
          profile: { name: 'shop', saveChanges: true },
        },
      }),
      [
        'At most 1 page',
        'Only docs/.*, guide/.*',
        'Subdomains included',
        'Sitemap ignored',
        '1.5 s between requests',
        'Duplicates kept',
        'Formats: markdown, links',
        'Full pages, including navigation',
        '2.0 s wait after loading',
        'Cached pages up to 2 h old',
        'From DE, in de',
        'Actions: wait 500 ms, click',
        'Profile shop',
      ],
    );
  });

  it('never contain header values or a webhook URL', () => {
    const words = optionLines({
      webhook: { url: 'https://hooks.test/secret' },
      scrapeOptions: { headers: { Authorization: 'Bearer secret' } },
    });
    assert.deepEqual(words, ['With a webhook', 'With headers Authorization']);
  });

  it('show unknown and unusual ones as text on one line', () => {
    const words = optionLines({
      newThing: { deep: ['$(trash)\n'] },
      other: true,
      never: false,
      limit: 'many',
      includePaths: [null, 5, 'x'.repeat(100_000)],
      scrapeOptions: 'none',
    });
    assert.equal(words.length, 3);
    for (const text of words) {
      assert.ok([...text].length <= 160);
      assert.doesNotMatch(text, /\$\(|\n/);
    }
    assert.equal(words[1], 'other');
  });

  it('mention certificate checks only if they are changed', () => {
    const words = (scrapeOptions: object) => optionLines({ scrapeOptions });
    assert.deepEqual(words({ skipTlsVerification: true }), []);
    assert.deepEqual(words({ skipTlsVerification: false }), ['Certificates verified']);
    assert.deepEqual(words({ skipTlsVerification: false, headers: { a: 'b' } }), ['With headers a']);
    assert.deepEqual(optionLines({ zeroDataRetention: true }), ['Deleted an hour after it ends']);
    assert.deepEqual(words({ formats: ['summary', { type: 'changeTracking', modes: ['git-diff'], tag: 'daily' }] }), [
      'Formats: summary, changeTracking',
    ]);
  });
});

describe('the schema of crawl parameters', () => {
  const schema = JSON.parse(createCrawlSchema());

  it('has every parameter of the contract, and no other', () => {
    const names = new Set(Object.keys(schema.properties));
    for (const name of crawlOptionNames) assert.ok(names.has(name), name);
    assert.deepEqual(schema.required, ['url']);
    assert.equal(schema.additionalProperties, false);
    assert.equal(names.has('origin'), false);
  });

  it('has the limits and descriptions of the parameters', () => {
    assert.equal(schema.properties.limit.minimum, 1);
    assert.deepEqual(schema.properties.sitemap.enum, ['skip', 'include', 'only']);
    assert.ok(schema.properties.includePaths.description);
    assert.ok(schema.properties.scrapeOptions.properties.formats);
  });

  it('offers the names of all formats, and the options of those that have any', () => {
    const { anyOf } = schema.properties.scrapeOptions.properties.formats.items;
    const named = anyOf.find((format: { type: string }) => format.type === 'string');
    assert.deepEqual(named.examples, [...formatNames]);
    const types = anyOf.map((format: { properties?: { type: { const?: string } } }) => format.properties?.type.const);
    for (const type of ['json', 'query', 'question', 'highlights', 'changeTracking']) assert.ok(types.includes(type));
    assert.equal(schema.properties.zeroDataRetention.type, 'boolean');
  });
});
