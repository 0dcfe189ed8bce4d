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
const monitorSummary = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 };
const monitor = {
  id: job,
  name: 'Prices of teas',
  status: 'active',
  schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
  nextRunAt: '2026-03-03T08:00:00.000Z',
  lastRunAt: '2026-03-02T08:00:00.000Z',
  currentCheckId: null,
  targets: [{ id: 't1', type: 'scrape', urls: ['https://shop.example.com/'] }],
  webhook: null,
  retentionDays: 30,
  lastCheckSummary: monitorSummary,
  judgeEnabled: false,
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-01T12:00:00.000Z',
};
const monitorCheck = {
  id: session,
  monitorId: job,
  status: 'completed',
  trigger: 'scheduled',
  scheduledFor: '2026-03-02T08:00:00.000Z',
  startedAt: '2026-03-02T08:00:00.000Z',
  finishedAt: '2026-03-02T08:00:02.000Z',
  actualCredits: 1,
  billingStatus: 'confirmed',
  summary: monitorSummary,
  error: null,
  createdAt: '2026-03-02T08:00:00.000Z',
  updatedAt: '2026-03-02T08:00:02.000Z',
};
const request = {
  id: 'r12',
  method: 'GET',
  url: 'https://shop.example.com/api/teas',
  type: 'fetch',
  page: 'https://shop.example.com/',
  state: 'finished',
  startedAt: '2026-03-02T09:00:01.250Z',
  durationMs: 84.2,
  status: 200,
  mimeType: 'application/json',
  bytes: 27,
  transferredBytes: 214,
};
const month = { billingPeriodStart: '2026-03-01T00:00:00.000Z', billingPeriodEnd: '2026-04-01T00:00:00.000Z' };

/** An example of every call whose fields are in the contract. */
const agentJob = '0192f3a4-6c1e-7d2b-9a55-0e8f3b7c1d24';

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
  listConsole: {
    params: { sessionId: session },
    query: { level: 'error' },
    answer: {
      success: true,
      entries: [
        {
          id: 'c3',
          level: 'error',
          source: 'exception',
          at: '2026-03-02T09:00:01.400Z',
          text: 'Uncaught TypeError: teas is undefined',
          url: 'https://shop.example.com/shop.js',
          line: 12,
          column: 5,
        },
      ],
      recordedSince: '2026-03-02T09:00:00.500Z',
      cursor: 3,
      dropped: 0,
    },
  },
  listNetwork: {
    params: { sessionId: session },
    query: { type: 'fetch' },
    answer: { success: true, requests: [request], recordedSince: '2026-03-02T09:00:00.500Z', cursor: 31, dropped: 0 },
  },
  readNetworkRequest: {
    params: { sessionId: session, requestId: 'r12' },
    answer: {
      success: true,
      ...request,
      protocol: 'h2',
      requestHeaders: [{ name: 'cookie', value: '•••' }],
      responseHeaders: [{ name: 'content-type', value: 'application/json' }],
      responseBody: { text: '{"teas":["Assam","Sencha"]}', base64: false },
      timing: { dns: -1, connect: -1, tls: -1, send: 0.2, wait: 81.5, receive: 2.5 },
    },
  },
  exportNetwork: {
    params: { sessionId: session },
    answer: { log: { version: '1.2', creator: { name: 'Web Data', version: '1.0.0' }, pages: [], entries: [] } },
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
  submitFeedback: {
    body: { endpoint: 'scrape', jobId: '01890a5d-ac96-774b-bcce-b302099a8057', rating: 'partial', note: 'No prices' },
    answer: { success: true, feedbackId: '0199f3a4-6c1f-4b0e-9f6d-2f6f6f0f7c11', creditsRefunded: 0 },
  },
  submitSearchFeedback: {
    params: { jobId: '01890a5d-ac96-774b-bcce-b302099a8057' },
    body: { rating: 'good', valuableSources: [{ url: 'https://example.com/tea' }] },
    answer: { success: true, feedbackId: '0199f3a4-6c1f-4b0e-9f6d-2f6f6f0f7c12', creditsRefunded: 0 },
  },
  askSupport: {
    body: { question: 'How long may a session live?' },
    answer: {
      requestId: 'req_0192f3a46c1f',
      answer: '`ttl` (POST /v2/browser): Total lifetime in seconds (type: integer; default: `600`; limit: 30 to 3600)',
      evidence: [
        { pathOrUrl: 'api-reference.md#post-v2browser', reason: 'Table row `ttl` under "POST /v2/browser", line 46' },
      ],
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      durationMs: 4,
      confidence: 'medium',
      fixParameters: null,
      validation: { tested: false },
    },
  },
  listAgents: {
    query: { before: '1772441940000' },
    answer: {
      success: true,
      agents: [
        {
          id: agentJob,
          createdAt: '2026-03-02T08:58:00.000Z',
          targetHint: 'Who founded the company?',
          origin: 'api',
          settings: { hidden: false, starred: false },
          status: 'completed',
          options: { urls: ['https://example.com'], prompt: 'Who founded the company?', model: 'llama3.2' },
        },
      ],
    },
  },
  getAgentTrace: {
    params: { jobId: agentJob },
    answer: {
      success: true,
      id: agentJob,
      events: [
        { type: 'run.started', eventId: `${agentJob}-started`, occurredAt: '2026-03-02T08:58:00.000Z' },
        {
          type: 'run.finished',
          eventId: `${agentJob}-finished`,
          occurredAt: '2026-03-02T08:58:09.000Z',
          outcome: 'succeeded',
        },
      ],
      creditsUsed: 2,
    },
  },
  getAgentSnapshot: {
    params: { jobId: agentJob, snapshotId: 'data' },
    answer: { success: true, id: agentJob, snapshotId: 'data', snapshot: '{"founder":"Ada"}' },
  },
  createMonitor: {
    body: {
      name: 'Prices of teas',
      schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
      targets: [{ type: 'scrape', urls: ['https://shop.example.com/'], scrapeOptions: { includeTags: ['.price'] } }],
    },
    answer: { success: true, data: monitor },
  },
  listMonitors: { query: { limit: '10' }, answer: { success: true, data: [monitor] } },
  getMonitor: { params: { monitorId: job }, answer: { success: true, data: monitor } },
  updateMonitor: {
    params: { monitorId: job },
    body: { status: 'paused' },
    answer: { success: true, data: { ...monitor, status: 'paused', nextRunAt: null } },
  },
  deleteMonitor: { params: { monitorId: job }, answer: { success: true } },
  runMonitor: {
    params: { monitorId: job },
    answer: {
      success: true,
      data: {
        ...monitorCheck,
        status: 'queued',
        trigger: 'manual',
        summary: { ...monitorSummary, totalPages: 0, changed: 0 },
      },
    },
  },
  listMonitorChecks: { params: { monitorId: job }, answer: { success: true, data: [monitorCheck] } },
  getMonitorCheck: {
    params: { monitorId: job, checkId: session },
    answer: {
      success: true,
      data: {
        ...monitorCheck,
        pages: [
          {
            id: '1',
            targetId: 't1',
            url: 'https://shop.example.com/',
            status: 'changed',
            currentScrapeId: job,
            statusCode: 200,
            diff: { text: '-Green tea: 10 euros\n+Green tea: 12 euros' },
            createdAt: '2026-03-02T08:00:01.000Z',
          },
        ],
        next: null,
      },
      next: null,
    },
  },
};
