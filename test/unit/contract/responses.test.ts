import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import {
  discoveryFile,
  embeddedEndpoints,
  fromService,
  fromWindow,
  listeningLine,
  proofMessage,
} from '../../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../../src/contract/endpoints.ts';
import { errorBody } from '../../../src/contract/errors.ts';
import { webhookDelivery } from '../../../src/contract/webhooks/webhooks.ts';

/** An answer of each endpoint with the fields that the specification or a published server gives it. */
const answers: Partial<Record<keyof typeof endpoints, object>> = {
  createBrowserSession: {
    success: true,
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    cdpUrl: 'ws://127.0.0.1:1/x',
    liveViewUrl: '',
    interactiveLiveViewUrl: '',
    expiresAt: '2026-01-01T00:00:00.000Z',
  },
  listBrowserSessions: {
    success: true,
    sessions: [{ id: 'a', status: 'active', createdAt: '2026-01-01 00:00:00', lastActivity: null }, { id: 'b' }],
  },
  executeInBrowserSession: { success: true, stdout: '', result: '', stderr: null, exitCode: 0, killed: false },
  deleteBrowserSession: {
    success: true,
    sessionDurationMs: 5,
    creditsBilled: 2.5,
    status: 'stopped',
    cleanupQueued: true,
  },
  deleteBrowserSessionByBody: { success: true },
  interactWithScrape: {
    success: false,
    sessionId: 's',
    output: 'done',
    exitCode: 137,
    killed: true,
    error: 'Execution failed',
  },
  stopInteraction: { success: true, sessionDurationMs: 5, creditsBilled: 7, cleanupQueued: true },
  previewCrawlParameters: {
    success: true,
    data: { url: 'https://a.test', includePaths: ['blog/.*'], maxDepth: 2, delay: 0.5 },
  },
  listActiveCrawls: {
    success: true,
    crawls: [
      {
        id: 'c',
        teamId: 't',
        url: 'u',
        created_at: 'x',
        options: { limit: 5, scrapeOptions: { formats: [{ type: 'markdown' }], maxAge: 1 } },
      },
      { id: 'd', options: { scrapeOptions: { formats: ['markdown'], actions: [{ type: 'wait', milliseconds: 5 }] } } },
    ],
  },
  scrape: { success: true, data: { markdown: '# A', metadata: { scrapeId: 's', statusCode: 200 } } },
  parseFile: { success: true, data: { markdown: '# A', metadata: { sourceURL: 'a.pdf', numPages: 2 } } },
  getScrape: { success: true, data: { json: { a: 1 }, metadata: { sourceURL: 'https://a.test' } } },
  startCrawl: {
    success: true,
    id: 'c',
    url: 'http://127.0.0.1:1/v2/crawl/c',
    promptGeneratedOptions: { limit: 5 },
    finalCrawlerOptions: { limit: 5, sitemap: 'include' },
  },
  getCrawl: {
    success: true,
    status: 'scraping',
    completed: 1,
    total: 2,
    creditsUsed: -1,
    expiresAt: '2026-01-02T00:00:00.000Z',
    next: 'http://127.0.0.1:1/v2/crawl/c?skip=1',
    data: [{ markdown: '# A', metadata: { sourceURL: 'https://a.test', statusCode: 200 } }],
  },
  cancelCrawl: { status: 'cancelled' },
  getCrawlErrors: {
    success: true,
    errors: [{ id: 'p', timestamp: '2026-01-01T00:00:00.000Z', url: 'https://a.test', code: 'X', error: 'why' }],
    robotsBlocked: ['https://a.test/private'],
  },
  startBatchScrape: { success: true, id: 'b', url: 'u', invalidURLs: ['nonsense'] },
  getBatchScrape: { success: true, status: 'completed', completed: 0, total: 0, data: [], next: null },
  cancelBatchScrape: { success: true, status: 'cancelled' },
  getBatchScrapeErrors: { errors: [], robotsBlocked: [] },
  mapSite: { success: true, id: 'm', links: [{ url: 'https://a.test', title: 'A', description: null }] },
  searchWeb: { success: true, data: { web: [] } },
  startExtract: { success: true, id: 'e' },
  getExtract: { success: true, status: 'processing', data: {} },
  startAgent: { success: true, id: 'g' },
  getAgent: { success: true, status: 'completed' },
  listAgents: { success: true, agents: [{ id: 'g', status: 'processing', options: { prompt: 'p' } }] },
  getAgentTrace: { success: true, id: 'g', events: [{ type: 'run.started', schemaVersion: 1 }], creditsUsed: 1 },
  getAgentSnapshot: { success: true, id: 'g', snapshotId: 'data', snapshot: '{}' },
  cancelAgent: { success: true, status: 'cancelled' },
  getCreditUsage: {
    success: true,
    data: {
      remainingCredits: 5,
      planCredits: 10,
      billingPeriodStart: '2026-01-01T00:00:00.000Z',
      billingPeriodEnd: null,
    },
  },
  getCreditHistory: { success: true, periods: [{ startDate: 'a', endDate: null, creditsUsed: 1 }, {}] },
  getTokenBalance: { success: true, data: { remainingTokens: 75 } },
  getQueueStatus: {
    success: true,
    jobsInQueue: 2,
    activeJobsInQueue: 1,
    waitingJobsInQueue: 1,
    maxConcurrency: 10,
    mostRecentSuccess: null,
  },
  checkConcurrency: { success: true, concurrency: 1, maxConcurrency: 10 },
  listActivity: {
    success: true,
    data: [{ id: 'a', endpoint: 'alexandria', api_version: 'v2', created_at: '2026-01-01 00:00:00.000', target: null }],
    cursor: null,
    has_more: false,
  },
  getTokenUsage: { success: true, periods: [{ startDate: 'a', endDate: null, tokensUsed: 15, totalTokens: 15 }, {}] },
  searchDocs: {
    requestId: 'req_1',
    answer: 'Because.',
    evidence: [{ pathOrUrl: 'a.md#L1', reason: 'r' }],
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    durationMs: 11_000,
  },
  askSupport: { answer: 'Because.', confidence: 'medium', fixParameters: null, validation: { tested: false } },
};

describe('responses', () => {
  for (const [name, answer] of Object.entries(answers)) {
    const { response } = endpoints[name as keyof typeof endpoints] as Endpoint;

    it(`${name} passes unchanged, with unknown fields`, () => {
      const withMore = { ...answer, later: { more: [1] } };
      assert.deepEqual(response.parse(withMore), withMore);
    });

    it(`${name} survives encoding as JSON`, () => {
      assert.deepEqual(z.encode(response, answer as never), answer);
    });

    it(`${name} is not a list, text or null`, () => {
      for (const wrong of [null, [], 'x', 5, undefined]) assert.equal(response.safeParse(wrong).success, false);
    });

    it(`${name} is parsed or rejected, without exceptions, for any input`, () => {
      fc.assert(
        fc.property(
          fc.dictionary(fc.constantFrom(...Object.keys(answer), '__proto__', 'x'), fc.jsonValue()),
          (value) => {
            response.safeParse(JSON.parse(JSON.stringify(value)));
          },
        ),
        { numRuns: 50 },
      );
    });
  }
});

describe('the table of endpoints', () => {
  const all: [string, Endpoint][] = [...Object.entries(endpoints), ...Object.entries(embeddedEndpoints)];
  for (const [name, entry] of all) {
    it(`${name} names each parameter of its path, and only those`, () => {
      for (const path of [entry.path, ...(entry.aliases ?? [])]) {
        const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
        assert.deepEqual(named, Object.keys(entry.params?.shape ?? {}));
      }
    });
  }

  it('has no path twice for a method, and keeps embedded endpoints separate', () => {
    const routes = all.flatMap(([, { method, path, aliases = [] }]) =>
      [path, ...aliases].map((each) => `${method} ${each.replace(/:\w+/g, ':x')}`),
    );
    assert.equal(new Set(routes).size, routes.length);
    for (const { path } of Object.values(endpoints)) assert.match(path, /^\/v2\//);
    for (const { path } of Object.values(embeddedEndpoints)) assert.match(path, /^\/embedded\//);
  });

  it('has /v2/interact for every /v2/browser path', () => {
    for (const { path, aliases = [] } of Object.values(endpoints) as Endpoint[]) {
      if (path.startsWith('/v2/browser')) assert.ok(aliases.includes(path.replace('/v2/browser', '/v2/interact')));
    }
  });
});

describe('error bodies', () => {
  it('have success: false and the reason', () => {
    assert.ok(errorBody.safeParse({ success: false, error: 'x', code: 'Y', details: [1], more: 1 }).success);
    for (const wrong of [{ success: true, error: 'x' }, { success: false }, { error: 'x' }]) {
      assert.equal(errorBody.safeParse(wrong).success, false);
    }
  });
});

describe('webhook deliveries', () => {
  const delivery = {
    success: true,
    type: 'crawl.page',
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    webhookId: '8c5d1c1e-7b7f-4b52-9d6e-1b1f0c5a2f11',
    data: [{ markdown: '# T' }],
    metadata: { my: { own: 1 } },
  };

  it('pass with unknown kinds and fields', () => {
    for (const more of [{}, { type: 'crawl.exploded' }, { later: 1 }, { success: false, error: 'x', data: [] }]) {
      const value = { ...delivery, ...more };
      assert.deepEqual(webhookDelivery.parse(value), value);
    }
  });

  it('are rejected without a required field, or with an invalid one', () => {
    for (const field of ['success', 'type', 'id', 'webhookId', 'data'] as const) {
      const { [field]: _, ...rest } = delivery;
      assert.equal(webhookDelivery.safeParse(rest).success, false, field);
    }
    for (const wrong of [{ id: 'x' }, { webhookId: 5 }, { data: {} }, { success: 'true' }, { metadata: 'x' }]) {
      assert.equal(webhookDelivery.safeParse({ ...delivery, ...wrong }).success, false);
    }
  });
});

describe('the embedded service', () => {
  it('is verified for the requested port', () => {
    assert.notEqual(proofMessage('n', 1), proofMessage('n', 2));
    assert.ok(embeddedEndpoints.prove.query.safeParse({ nonce: 'a'.repeat(64) }).success);
    for (const nonce of ['', 'a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
      assert.equal(embeddedEndpoints.prove.query.safeParse({ nonce }).success, false);
    }
  });

  it('is found only with a complete discovery file', () => {
    const file = { port: 1, pid: 2, secret: 's'.repeat(32), apiKey: null, version: '1' };
    assert.ok(discoveryFile.safeParse(file).success);
    for (const wrong of [{ port: 0 }, { port: 65_536 }, { pid: 0 }, { pid: -1 }, { pid: 1 }, { secret: 'short' }]) {
      assert.equal(discoveryFile.safeParse({ ...file, ...wrong }).success, false);
    }
    assert.ok(
      listeningLine.safeParse({ event: 'listening', baseUrl: 'http://127.0.0.1:1', apiKey: null, pid: 2 }).success,
    );
  });

  it('and its windows accept only their own messages', () => {
    assert.ok(fromWindow.safeParse({ type: 'hello', window: 'w' }).success);
    assert.equal(fromWindow.safeParse({ type: 'hello', window: 'w'.repeat(201) }).success, false);
    assert.equal(fromWindow.safeParse({ type: 'shutdown' }).success, false);
    const event = { kind: 'output', runId: 'r', sessionId: 's', stream: 'stdout', text: 'x' };
    assert.ok(fromService.safeParse({ type: 'run', event }).success);
    assert.equal(fromService.safeParse({ type: 'run', event: { ...event, stream: 'stdin' } }).success, false);
  });
});
