import type { EndpointName } from '../../src/contract/endpoints.ts';

/** An example of a call in the reference. A test validates every part against the contract. */
export interface Example {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  answer: object;
}

const session = '0192f3a4-6c1e-7d05-9b7a-3f2a61c0d94e';
const job = '6b0e6f0a-52c4-4d5e-8a53-0d6c2f1b7e21';
const server = 'wss://api.example.com';
const page = {
  markdown: '# Shop\n\nFresh tea and coffee.',
  metadata: {
    title: 'Shop',
    url: 'https://shop.example.com/',
    sourceURL: 'https://shop.example.com',
    statusCode: 200,
    scrapeId: job,
    creditsUsed: 1,
  },
};
const jobState = {
  success: true,
  status: 'completed',
  completed: 1,
  total: 1,
  creditsUsed: 1,
  createdAt: '2026-03-02T09:00:00.000Z',
  completedAt: '2026-03-02T09:00:04.000Z',
  expiresAt: '2026-03-03T09:00:00.000Z',
  data: [page],
};
const month = { billingPeriodStart: '2026-03-01T00:00:00.000Z', billingPeriodEnd: '2026-04-01T00:00:00.000Z' };

/** An example of every call whose fields are in the contract. */
export const examples: Partial<Record<EndpointName, Example>> = {
  createBrowserSession: {
    body: { ttl: 900, activityTtl: 120, profile: { name: 'shop', saveChanges: true } },
    answer: {
      success: true,
      id: session,
      cdpUrl: `${server}/cdp/SECRET`,
      liveViewUrl: 'https://api.example.com/live/SECRET',
      interactiveLiveViewUrl: 'https://api.example.com/live/ANOTHER-SECRET',
      expiresAt: '2026-03-02T09:15:00.000Z',
    },
  },
  listBrowserSessions: {
    query: { status: 'active' },
    answer: {
      success: true,
      sessions: [
        {
          id: session,
          status: 'active',
          cdpUrl: `${server}/cdp/SECRET`,
          streamWebView: true,
          createdAt: '2026-03-02T09:00:00.000Z',
          lastActivity: '2026-03-02T09:01:30.000Z',
        },
      ],
    },
  },
  executeInBrowserSession: {
    params: { sessionId: session },
    body: { code: "await page.goto('https://example.com'); await page.title()", language: 'node', timeout: 30 },
    answer: { success: true, stdout: '', result: 'Example Domain', stderr: '', exitCode: 0, killed: false },
  },
  deleteBrowserSession: {
    params: { sessionId: session },
    answer: { success: true, sessionDurationMs: 93_412, creditsBilled: 4 },
  },
  deleteBrowserSessionByBody: {
    body: { id: session },
    answer: { success: true, sessionDurationMs: 93_412, creditsBilled: 4 },
  },
  scrape: {
    body: { url: 'https://shop.example.com', formats: ['markdown'], onlyMainContent: true },
    answer: { success: true, data: page },
  },
  getScrape: { params: { jobId: job }, answer: { success: true, data: page } },
  interactWithScrape: {
    params: { jobId: job },
    body: { code: "await page.click('text=Tea'); await page.title()", timeout: 30 },
    answer: {
      success: true,
      sessionId: session,
      liveViewUrl: 'https://api.example.com/live/SECRET',
      interactiveLiveViewUrl: 'https://api.example.com/live/ANOTHER-SECRET',
      stdout: '',
      result: 'Tea',
      stderr: '',
      exitCode: 0,
      killed: false,
    },
  },
  stopInteraction: {
    params: { jobId: job },
    answer: { success: true, sessionDurationMs: 41_200, creditsBilled: 2 },
  },
  startCrawl: {
    body: { url: 'https://shop.example.com', includePaths: ['^/guides(/|$)'], limit: 100 },
    answer: { success: true, id: job, url: `https://api.example.com/v2/crawl/${job}` },
  },
  getCrawl: { params: { jobId: job }, query: { limit: '1' }, answer: jobState },
  cancelCrawl: { params: { jobId: job }, answer: { success: true, status: 'cancelled' } },
  getCrawlErrors: {
    params: { jobId: job },
    answer: {
      errors: [
        {
          id: session,
          timestamp: '2026-03-02T09:00:03.000Z',
          url: 'https://shop.example.com/old',
          error: 'The page returned 404.',
        },
      ],
      robotsBlocked: ['https://shop.example.com/cart'],
    },
  },
  previewCrawlParameters: {
    body: { url: 'https://shop.example.com', prompt: 'only the guides, at most 50 pages' },
    answer: { success: true, data: { url: 'https://shop.example.com', includePaths: ['^/guides(/|$)'], limit: 50 } },
  },
  listActiveCrawls: {
    answer: {
      success: true,
      crawls: [
        {
          id: job,
          teamId: 'team-1',
          url: 'https://shop.example.com',
          created_at: '2026-03-02T09:00:00.000Z',
          options: { scrapeOptions: { formats: ['markdown'], onlyMainContent: true } },
        },
      ],
    },
  },
  startBatchScrape: {
    body: { urls: ['https://shop.example.com/tea', 'https://shop.example.com/coffee'], formats: ['markdown'] },
    answer: { success: true, id: job, url: `https://api.example.com/v2/batch/scrape/${job}` },
  },
  getBatchScrape: { params: { jobId: job }, query: { skip: '0' }, answer: jobState },
  cancelBatchScrape: { params: { jobId: job }, answer: { success: true, status: 'cancelled' } },
  getBatchScrapeErrors: { params: { jobId: job }, answer: { errors: [], robotsBlocked: [] } },
  mapSite: {
    body: { url: 'https://shop.example.com', search: 'tea', limit: 100 },
    answer: { success: true, id: job, links: [{ url: 'https://shop.example.com/tea', title: 'Tea' }] },
  },
  searchWeb: {
    body: { query: 'loose leaf tea', limit: 5, tbs: 'qdr:m', scrapeOptions: { formats: ['markdown'] } },
    answer: {
      success: true,
      id: session,
      data: {
        web: [
          {
            url: 'https://shop.example.com/',
            title: 'Shop',
            description: 'Fresh tea and coffee.',
            position: 1,
            ...page,
          },
        ],
      },
      creditsUsed: 3,
    },
  },
  startAgent: {
    body: {
      prompt: 'What does the green tea cost?',
      urls: ['https://shop.example.com'],
      schema: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
      maxCredits: 100,
    },
    answer: { success: true, id: job },
  },
  getAgent: {
    params: { jobId: job },
    answer: {
      success: true,
      id: job,
      status: 'completed',
      data: { price: 4.5 },
      sources: { price: ['https://shop.example.com/tea'] },
      model: 'llama3.1',
      creditsUsed: 4,
      tokensUsed: 60,
      createdAt: '2026-03-02T10:15:00.000Z',
      expiresAt: '2026-03-03T10:15:20.000Z',
      steps: [{ action: 'read', text: 'https://shop.example.com/tea', at: '2026-03-02T10:15:08.000Z', creditsUsed: 1 }],
    },
  },
  cancelAgent: { params: { jobId: job }, answer: { success: true, status: 'cancelled' } },
  startExtract: {
    body: { urls: ['https://shop.example.com/*'], prompt: 'Name and price of every product' },
    answer: { success: true, id: job },
  },
  getExtract: {
    params: { jobId: job },
    answer: { success: true, id: job, status: 'processing', creditsUsed: 3, tokensUsed: 45 },
  },
  listActivity: {
    query: { endpoint: 'scrape', limit: '50' },
    answer: {
      success: true,
      data: [
        {
          id: job,
          endpoint: 'scrape',
          api_version: 'v2',
          created_at: '2026-03-02T09:00:00.000Z',
          target: 'https://shop.example.com',
        },
      ],
      cursor: null,
      has_more: false,
    },
  },
  getTokenUsage: {
    query: { byApiKey: 'true' },
    answer: {
      success: true,
      periods: [
        {
          startDate: '2026-03-01T00:00:00.000Z',
          endDate: '2026-04-01T00:00:00.000Z',
          apiKey: 'build machine',
          totalTokens: 1500,
          tokensUsed: 1500,
        },
      ],
    },
  },
  getCreditHistory: {
    query: { byApiKey: 'true' },
    answer: {
      success: true,
      periods: [
        {
          startDate: month.billingPeriodStart,
          endDate: month.billingPeriodEnd,
          apiKey: 'build machine',
          creditsUsed: 100,
        },
      ],
    },
  },
  getCreditUsage: { answer: { success: true, data: { remainingCredits: 900, planCredits: 1000, ...month } } },
  getTokenBalance: { answer: { success: true, data: { remainingTokens: 13_500, planTokens: 15_000, ...month } } },
  getQueueStatus: {
    answer: {
      success: true,
      jobsInQueue: 2,
      activeJobsInQueue: 1,
      waitingJobsInQueue: 1,
      maxConcurrency: 10,
      mostRecentSuccess: '2026-03-02T08:59:00.000Z',
    },
  },
  checkConcurrency: { answer: { success: true, concurrency: 3, maxConcurrency: 10 } },
  searchDocs: {
    body: { question: 'How long may a session live?' },
    answer: {
      requestId: 'req_0192f3a46c1e',
      answer: '`ttl` (POST /v2/browser): Total lifetime in seconds (type: integer; default: `600`; limit: 30 to 3600)',
      evidence: [
        { pathOrUrl: 'api-reference.md#post-v2browser', reason: 'Table row `ttl` under "POST /v2/browser", line 46' },
      ],
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      durationMs: 4,
    },
  },
};
