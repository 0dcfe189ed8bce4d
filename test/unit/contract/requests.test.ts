import assert from 'node:assert/strict';
import fc from 'fast-check';
import type * as z from 'zod';
import { previewBody } from '../../../src/contract/crawl/crawl.ts';
import { jobStatusQuery, startCrawlBody } from '../../../src/contract/crawl/crawl-jobs.ts';
import { docsSearchBody } from '../../../src/contract/docs-search/docs-search.ts';
import { type Endpoint, endpoints, responseLimitMs } from '../../../src/contract/endpoints.ts';
import { describeIssues } from '../../../src/contract/errors.ts';
import { countCharacters } from '../../../src/contract/fields.ts';
import { limits } from '../../../src/contract/limits.ts';
import { scrapeBody } from '../../../src/contract/scrape/scrape.ts';
import { searchBody } from '../../../src/contract/search.ts';
import { executeBody, interactBody } from '../../../src/contract/sessions/execution.ts';
import {
  createSessionBody,
  deleteSessionBody,
  listSessionsQuery,
  sessionParams,
} from '../../../src/contract/sessions/sessions.ts';
import { activityEndpoints, activityQuery, usageQuery } from '../../../src/contract/team/team.ts';

/** The sentence for what is wrong with a value; undefined when nothing is. */
function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const result = schema.safeParse(value);
  return result.success ? undefined : describeIssues(result.error.issues, value);
}

describe('a format', () => {
  it('is refused with the reason, whatever its type is (NET-20)', () => {
    for (const type of [{ toString: 1, valueOf: 2 }, [], null, 'nothing', '__proto__'])
      assert.doesNotThrow(() => problemOf(scrapeBody, { url: 'https://site.test/', formats: [{ type }] }));
    const type = { toString: 1, valueOf: 2 };
    assert.match(problemOf(scrapeBody, { url: 'https://site.test/', formats: [{ type }] }) ?? '', /expected a format/);
  });
});

describe('a switch in a query', () => {
  it('is read from words, and stays what it was read as', () => {
    for (const [text, is] of [
      ['true', true],
      ['n', false],
    ] as const) {
      const read = jobStatusQuery.parse({ onlyChanges: text });
      assert.equal(read.onlyChanges, is);
      assert.deepEqual(jobStatusQuery.parse(read), read);
    }
    assert.equal(
      problemOf(jobStatusQuery, { onlyChanges: 'maybe' }),
      'onlyChanges: expected true or false, got "maybe"',
    );
  });
});

describe('a field in one of several shapes', () => {
  const url = 'https://a.test/';
  const hook = 'https://a.test/hook';
  const crawl = (webhook: unknown) => [startCrawlBody, { url, webhook }] as const;
  const scrape = (options: object) => [scrapeBody, { url, ...options }] as const;
  const search = (options: object) => [searchBody, { query: 'tea', ...options }] as const;
  const wrong: [problem: string, request: readonly [z.ZodType, unknown]][] = [
    [
      'webhook.metadata.run: Invalid input: expected string, received number',
      crawl({ url: hook, metadata: { run: 42 } }),
    ],
    [
      'webhook.headers.X-A: Invalid input: expected string, received null',
      crawl({ url: hook, headers: { 'X-A': null } }),
    ],
    [
      'webhook.events.1: Invalid option: expected one of "started"|"page"|"completed"|"failed", got "done"',
      crawl({ url: hook, events: ['page', 'done'] }),
    ],
    ['webhook.url: expected an http or https URL, got a URL with ftp:', crawl({ url: 'ftp://a.test' })],
    ['webhook.url: expected an http or https URL, got nothing', crawl({})],
    ['webhook: expected an http or https URL, got another text', crawl('a.test/hook')],
    ['webhook: expected a URL, or an object with url, headers, metadata and events, got 5', crawl(5)],
    ['webhook: unknown field "secret"', crawl({ url: hook, secret: 'x' })],
    [
      'formats.0.fullPage: Invalid input: expected boolean, received string',
      scrape({ formats: [{ type: 'screenshot', fullPage: 'yes' }] }),
    ],
    [
      'formats.0.viewport.height: expected a whole number from 1 to 4,320 (pixels), got a text',
      scrape({ formats: [{ type: 'screenshot', viewport: { width: 1, height: 'a' } }] }),
    ],
    [
      'formats.1.schema: Invalid input: expected record, received number',
      scrape({ formats: ['html', { type: 'json', schema: 5 }] }),
    ],
    [
      'formats.0.prompt: expected a text of 1 to 10,000 characters, got nothing',
      scrape({ formats: [{ type: 'query' }] }),
    ],
    [
      'actions.0.selector: expected a text of 1 to 2,000 characters, got 5',
      scrape({ actions: [{ type: 'click', selector: 5 }] }),
    ],
    ['actions.0: unknown field "al"', scrape({ actions: [{ type: 'click', selector: 'a', al: true }] })],
    [
      'parsers.0.maxPages: expected a whole number from 1 to 10,000 (pages), got a text',
      scrape({ parsers: [{ type: 'pdf', maxPages: 'x' }] }),
    ],
    [
      'parsers.0: expected the parser "pdf", by name or as an object with "type", got an object with type "doc"',
      scrape({ parsers: [{ type: 'doc' }] }),
    ],
    ['location.languages.0: Invalid input: expected string, received number', scrape({ location: { languages: [5] } })],
    ['sources.0.tbs: expected a time range, such as qdr:w, got 5', search({ sources: [{ type: 'web', tbs: 5 }] })],
    [
      'sources.0: expected a source: web, news, images, by name or as an object with "type", got "webb"',
      search({ sources: ['webb'] }),
    ],
  ];
  for (const [problem, [schema, value]] of wrong) {
    it(`is refused with its path, what was expected and what came: ${problem}`, () => {
      assert.equal(problemOf(schema, value), problem);
    });
  }

  it('is refused without texts that may be secret', () => {
    const secret = 'hunter2-hunter2';
    for (const webhook of [secret, { url: `ftp://me:${secret}@a.test/${secret}` }, { url: hook, headers: secret }])
      assert.doesNotMatch(problemOf(startCrawlBody, { url, webhook }) ?? '', /hunter2/);
  });
});

describe('the delay of a crawl', () => {
  it('is in seconds, and in milliseconds above its limit', () => {
    const delayOf = (delay: number) => startCrawlBody.parse({ url: 'https://a.test', delay }).delay;
    assert.deepEqual([0.5, 60, 61, 1000, 60_000].map(delayOf), [0.5, 60, 0.061, 1, 60]);
    assert.match(problemOf(startCrawlBody, { url: 'https://a.test', delay: 60_001 }) ?? '', /seconds from 0 to 60/);
  });
});

const grouped = (number: number) => number.toLocaleString('en-US');

describe('text lengths', () => {
  it('are counted in code points', () => {
    assert.equal(countCharacters(''), 0);
    assert.equal(countCharacters('aé😀'), 3);
    assert.equal(countCharacters('\ud800'), 1);
    assert.equal(countCharacters('\udc00\ud800'), 2);
    assert.equal(countCharacters('👨‍👩‍👧'), 5);
  });

  it('are the same as with a string iterator, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })), (text, units) => {
        for (const each of [text, String.fromCharCode(...units)])
          assert.equal(countCharacters(each), Array.from(each).length);
      }),
    );
  });
});

describe('texts in a request', () => {
  const texts: [string, z.ZodType, (text: string) => unknown, { min?: number; max: number }][] = [
    ['code of execute', executeBody, (code) => ({ code }), limits.code],
    ['code of interact', interactBody, (code) => ({ code }), limits.code],
    ['prompt of interact', interactBody, (prompt) => ({ prompt }), limits.prompt],
    ['prompt of params-preview', previewBody, (prompt) => ({ url: 'https://a.test', prompt }), limits.crawlPrompt],
    ['question', docsSearchBody, (question) => ({ question }), limits.question],
    ['profile name', createSessionBody, (name) => ({ profile: { name } }), limits.profileName],
    ['session id in a path', sessionParams, (sessionId) => ({ sessionId }), limits.sessionId],
    ['session id in a body', deleteSessionBody, (id) => ({ id }), limits.sessionId],
  ];
  for (const [name, schema, wrap, { min = 0, max }] of texts) {
    it(`${name}: ${min} to ${max} characters, and the message names the limit`, () => {
      for (const character of ['x', '😀', '\ud800', '\u0000']) {
        assert.equal(problemOf(schema, wrap(character.repeat(min))), undefined);
        assert.equal(problemOf(schema, wrap(character.repeat(max - 1))), undefined);
        assert.equal(problemOf(schema, wrap(character.repeat(max))), undefined);
        const over = problemOf(schema, wrap(character.repeat(max + 1))) ?? '';
        assert.ok(over.includes(grouped(max)) && over.includes(`got ${grouped(max + 1)}`), over);
        if (min > 0)
          assert.match(
            problemOf(schema, wrap(character.repeat(min - 1))) ?? '',
            new RegExp(`${min} to .*, got ${min - 1}`),
          );
      }
      for (const wrong of [null, 5, ['x'], {}])
        assert.match(problemOf(schema, wrap(wrong as string)) ?? '', /expected a text of/);
    });
  }
});

describe('numbers in a request', () => {
  const numbers: [string, z.ZodType, (value: unknown) => unknown, { min: number; max: number }][] = [
    ['timeout of execute', executeBody, (timeout) => ({ code: '1', timeout }), limits.runTimeout],
    ['timeout of interact', interactBody, (timeout) => ({ code: '1', timeout }), limits.runTimeout],
    ['ttl', createSessionBody, (ttl) => ({ ttl }), limits.ttl],
    ['activityTtl', createSessionBody, (activityTtl) => ({ activityTtl }), limits.activityTtl],
    ['limit of the activity', activityQuery, (limit) => ({ limit }), limits.activityPage],
  ];
  for (const [name, schema, wrap, { min, max }] of numbers) {
    it(`${name}: ${min} to ${max}, and the message names the limit`, () => {
      for (const right of [min, min + 1, max - 1, max]) assert.equal(problemOf(schema, wrap(right)), undefined);
      for (const wrong of [
        min - 1,
        max + 1,
        0,
        -1,
        min + 0.5,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        1e21,
        null,
        true,
        [],
        'x',
      ]) {
        assert.match(
          problemOf(schema, wrap(wrong)) ?? '',
          new RegExp(`from ${grouped(min)} to ${grouped(max)}`),
          String(wrong),
        );
      }
    });
  }

  it('can be text only in a query', () => {
    assert.deepEqual(activityQuery.parse({ limit: '7' }), { limit: 7 });
    assert.match(problemOf(executeBody, { code: '1', timeout: '7' }) ?? '', /1 to 300/);
    for (const wrong of ['0', '101', '1e2', '-1', ' 5', '5.0', '', '0x5']) {
      assert.match(problemOf(activityQuery, { limit: wrong }) ?? '', /from 1 to 100/, wrong);
    }
  });
});

describe('requests', () => {
  const table: [string, Endpoint][] = Object.entries(endpoints);
  const smallest: Record<string, object> = {
    createBrowserSession: {},
    executeInBrowserSession: { code: '1' },
    deleteBrowserSessionByBody: { id: 's' },
    interactWithScrape: { prompt: 'p' },
    previewCrawlParameters: { url: 'https://a.test', prompt: 'p' },
    scrape: { url: 'https://a.test' },
    parseFile: {},
    startCrawl: { url: 'https://a.test' },
    startBatchScrape: { urls: ['https://a.test'] },
    startAgent: { prompt: 'p' },
    startExtract: { urls: ['https://a.test'], prompt: 'p' },
    mapSite: { url: 'https://a.test' },
    searchWeb: { query: 'tea' },
    searchDocs: { question: 'q' },
    askSupport: { question: 'q' },
    submitFeedback: { endpoint: 'scrape', jobId: 'j', rating: 'good' },
    submitSearchFeedback: { rating: 'good' },
    createMonitor: {
      name: 'm',
      schedule: { text: 'daily' },
      targets: [{ type: 'scrape', urls: ['https://a.test'] }],
    },
    updateMonitor: {},
  };

  for (const [name, { body }] of table) {
    if (!body) continue;
    it(`${name} accepts the fields that published clients add, and rejects other unknown fields by name`, () => {
      const known = smallest[name];
      assert.ok(known, `write the smallest body of ${name} down`);
      assert.equal(problemOf(body, known), undefined);
      assert.equal(problemOf(body, { ...known, origin: 'js-sdk@4', integration: 'cli' }), undefined);
      assert.equal(problemOf(body, { ...known, integration: null }), undefined);
      assert.match(problemOf(body, { ...known, colour: 'red' }) ?? '', /unknown field "colour"/);
      for (const wrong of [null, [], 'x', 5, undefined]) assert.ok(problemOf(body, wrong));
    });
  }

  it('have the defaults of the specification', () => {
    assert.deepEqual(createSessionBody.parse({}), { ttl: 600, activityTtl: 300, streamWebView: true });
    assert.deepEqual(createSessionBody.parse({ profile: { name: 'p' } }).profile, { name: 'p', saveChanges: true });
    assert.deepEqual(executeBody.parse({ code: '1' }), { code: '1', language: 'node', timeout: 30 });
    assert.deepEqual(interactBody.parse({ prompt: 'p' }), { prompt: 'p', language: 'node', timeout: 30 });
  });

  it('accept false for what is not supported, and refuse anything else with the reason', () => {
    const fields = ['asyncScraping', 'filter'];
    for (const field of fields) {
      assert.equal(problemOf(searchBody, { query: 'tea', [field]: false }), undefined);
      for (const value of [true, null, 'x', {}])
        assert.match(
          problemOf(searchBody, { query: 'tea', [field]: value }) ?? '',
          new RegExp(`^${field}: ${field} isn't supported: `),
        );
    }
    const url = 'https://a.test';
    assert.equal(problemOf(scrapeBody, { url, redactPII: false }), undefined);
    assert.match(problemOf(scrapeBody, { url, redactPII: true }) ?? '', /^redactPII: redactPII isn't supported: /);
  });

  it('reject a profile without a name or with extra fields', () => {
    assert.match(problemOf(createSessionBody, { profile: {} }) ?? '', /profile.name: expected a text of 1 to 128/);
    assert.match(problemOf(createSessionBody, { profile: { name: 'p', colour: 1 } }) ?? '', /unknown field "colour"/);
  });

  it('accept code or a prompt, not both and not neither', () => {
    for (const body of [{}, { code: '1', prompt: 'p' }])
      assert.match(problemOf(interactBody, body) ?? '', /Either 'code' or 'prompt'/);
  });

  it('name the accepted languages, states and kinds', () => {
    for (const language of ['python', 'node', 'bash'])
      assert.equal(problemOf(executeBody, { code: '1', language }), undefined);
    for (const language of ['Node', 'perl', '', null, 1]) {
      assert.match(problemOf(executeBody, { code: '1', language }) ?? '', /expected one of python, node, bash/);
    }
    for (const status of ['active', 'destroyed', 'error'])
      assert.equal(problemOf(listSessionsQuery, { status }), undefined);
    assert.match(problemOf(listSessionsQuery, { status: 'x' }) ?? '', /expected one of active, destroyed, error/);
    for (const endpoint of activityEndpoints) assert.equal(problemOf(activityQuery, { endpoint }), undefined);
    assert.match(problemOf(activityQuery, { endpoint: 'x' }) ?? '', /Must be one of: scrape, crawl/);
  });

  it('accept http and https addresses for a crawl', () => {
    for (const url of ['http://a.test', 'https://a.test/b?c#d', 'https://bücher.test', 'a.test']) {
      assert.equal(problemOf(previewBody, { url, prompt: '' }), undefined);
    }
    for (const url of ['', 'a', 'ftp://a.test', 'javascript:alert(1)', 'file:///etc/passwd', 5, null]) {
      assert.match(problemOf(previewBody, { url, prompt: '' }) ?? '', /url: expected an http or https URL/);
    }
    assert.match(problemOf(previewBody, { url: `https://a.test/${'x'.repeat(9000)}`, prompt: '' }) ?? '', /8,192/);
  });

  it('request usage by key only with the value true', () => {
    for (const [given, taken] of [
      [true, true],
      ['true', true],
      [false, false],
      ['false', false],
      ['1', false],
      ['', false],
    ] as const) {
      assert.deepEqual(usageQuery.parse({ byApiKey: given }), { byApiKey: taken });
    }
  });

  it('describe at most three problems, and truncate long names', () => {
    const problem =
      problemOf(createSessionBody, { ttl: 1, activityTtl: 1, streamWebView: 1, ['k'.repeat(500)]: 1 }) ?? '';
    assert.equal(problem.split('; ').length, 3);
    assert.ok((problemOf(createSessionBody, { ['k'.repeat(500)]: 1 }) ?? '').length < 100);
  });
});

describe('response limits', () => {
  it("allow for the server's time and a margin (EXE-16)", () => {
    assert.equal(responseLimitMs(endpoints.listActiveCrawls), 75_000);
    assert.equal(responseLimitMs(endpoints.createBrowserSession, {}), 105_000);
    const execute = endpoints.executeInBrowserSession;
    assert.ok(responseLimitMs(execute, { timeout: 300 }) > 300_000);
    assert.ok(responseLimitMs(execute, { timeout: 1 }) > 300_000, 'another run may come first');
    assert.equal(responseLimitMs(execute, {}), responseLimitMs(execute, { timeout: 300 }));
    assert.ok(responseLimitMs(endpoints.interactWithScrape, { prompt: 'p', timeout: 30 }) > 25 * 30_000);
    assert.ok(responseLimitMs(endpoints.interactWithScrape, { prompt: 'p', timeout: 300 }) < 2 ** 31);
  });
});
