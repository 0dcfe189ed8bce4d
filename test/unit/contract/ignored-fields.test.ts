import assert from 'node:assert/strict';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { withoutIgnored } from '../../../src/contract/ignored-fields.ts';

const url = 'https://a.test/';
const json = { type: 'json', schema: { type: 'object', properties: { proxy: { const: 'stealth' } } } };

/** Requests that published clients send, with the fields that the warnings name. */
const published: [
  name: 'scrape' | 'startCrawl' | 'startBatchScrape' | 'searchWeb' | 'startExtract' | 'startAgent' | 'parseFile',
  body: object,
  named: string[],
][] = [
  ['scrape', { url, formats: [{ ...json, checkPromptInjection: null }] }, []],
  ['scrape', { url, formats: [{ ...json, checkPromptInjection: true }] }, ['formats.checkPromptInjection']],
  [
    'startCrawl',
    { url, scrapeOptions: { formats: [{ ...json, checkPromptInjection: true }] } },
    ['scrapeOptions.formats.checkPromptInjection'],
  ],
  ['startBatchScrape', { urls: [url], proxy: 'enhanced' }, ['proxy "enhanced"']],
  [
    'scrape',
    { url, proxy: 'stealth', __experimental_omce: true, useMock: 'a' },
    ['proxy "stealth"', '__experimental_omce', 'useMock'],
  ],
  [
    'scrape',
    { url, proxy: 'auto', auditMetadata: { user: 'a' }, threatProtection: { mode: 'off' } },
    ['auditMetadata', 'threatProtection'],
  ],
  ['parseFile', { url, parsers: [{ type: 'pdf', mode: 'auto', pageMarkdown: true }] }, ['parsers.pageMarkdown']],
  [
    'searchWeb',
    {
      query: 'a',
      sources: ['web', 'alexandria'],
      domainTools: true,
      toolDetail: 'compact',
      highlights: true,
      safe: true,
    },
    ['sources "alexandria"', 'domainTools', 'toolDetail', 'highlights', 'safe'],
  ],
  ['scrape', { url, parsers: [{ type: 'pdf', mode: 'ocr' }] }, ['parsers.mode "ocr"']],
  ['startCrawl', { url, scrapeOptions: { parsers: [{ type: 'pdf', mode: 'fast' }] } }, []],
  ['searchWeb', { query: 'a', sources: ['alexandria'] }, ['sources "alexandria"']],
  ['searchWeb', { query: 'a', sources: [{ type: 'alexandria' }] }, ['sources.type "alexandria"']],
  [
    'searchWeb',
    { query: 'a', sources: [{ type: 'web' }, { type: 'alexandria' }], domainTools: false },
    ['sources.type "alexandria"'],
  ],
  ['startExtract', { urls: [url], prompt: 'a', ignoreSitemap: true }, ['ignoreSitemap']],
  [
    'startAgent',
    { prompt: 'a', mode: 'fast', effort: 'low', threadId: 't', exchange: {} },
    ['mode', 'effort', 'threadId', 'exchange'],
  ],
];

const table = { ...endpoints };

describe('fields of the published API that change nothing here (NET-26)', () => {
  for (const [name, body, named] of published) {
    it(`are accepted: ${name} ${JSON.stringify(body).slice(0, 90)}`, () => {
      const entry = table[name];
      const { body: accepted, warnings } = withoutIgnored(entry.path, body);
      const parsed = entry.body.safeParse(accepted);
      assert.equal(parsed.error, undefined);
      assert.deepEqual(
        warnings.map((warning) => warning.replace(/ has no effect: .+\.$/, '')),
        named,
      );
    });
  }

  it('are no others: what users name themselves, other endpoints and unknown fields stay', () => {
    for (const [path, body] of [
      ['/v2/scrape', { url, formats: [json], headers: { __a: 'b', proxy: 'stealth' } }],
      ['/v2/scrape', { url, mode: 'fast', domainTools: true, ignoreSitemap: true, nonsense: 1 }],
      ['/v2/search', { query: 'alexandria', sources: ['web'], mode: 'a' }],
      ['/v2/search', { query: 'a', sources: [] }],
    ] as const)
      assert.deepEqual(withoutIgnored(path, body), { body, warnings: [] });
    for (const body of [undefined, null, 1, 'a', []]) assert.deepEqual(withoutIgnored('/v2/scrape', body).body, body);
  });
});
