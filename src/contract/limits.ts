/** Every limit and default of the service, in one place (specification, "Limits" and the field tables). Times are in seconds unless noted otherwise. */
export const limits = {
  /** Characters of a URL. */
  url: 8_192,
  code: { min: 1, max: 100_000 },
  prompt: { min: 1, max: 10_000 },
  crawlPrompt: { max: 10_000 },
  question: { min: 1, max: 4_000 },
  runTimeout: { min: 1, max: 300, default: 30 },
  /** Seconds that a window may allow its own runs, unless it allows any. */
  ownRunLimit: { min: 1, max: 7 * 24 * 60 * 60 },
  ttl: { min: 30, max: 3600, default: 600 },
  activityTtl: { min: 10, max: 3600, default: 300 },
  profileName: { min: 1, max: 128 },
  sessionId: { min: 1, max: 200 },
  activityPage: { min: 1, max: 100, default: 50 },
  activityWindow: 24 * 60 * 60,
  tokensPerCredit: 15,
  crawlPages: { min: 1, max: 1_000_000, default: 10_000 },
  /** Seconds between requests to the same host. */
  crawlDelay: { min: 0, max: 60 },
  crawlDepth: { min: 0, max: 1_000_000 },
  pathPatterns: { count: 200, length: 1_000 },
  pagesAtATime: { min: 1, max: 1_000, default: 10 },
  batchUrls: { max: 100_000 },
  mapLinks: { min: 1, max: 100_000, default: 5_000 },
  /** Pages that a map reads for their links. */
  mapReads: { min: 0, max: 1000, default: 60 },
  searchQuery: { min: 1, max: 2_000 },
  /** Results of each source of a search. */
  searchResults: { min: 1, max: 100, default: 10 },
  searchDomains: 50,
  /** Milliseconds of a search with its scrapes, by default. */
  searchTimeout: 60_000,
  /** Keys that a team has for its coding agents. */
  agentKeys: 100,
  /** Folders and crawls that a team has as docs sources. */
  docsSources: 100,
  /** URLs that an agent or extract job is given. */
  agentUrls: 1_000,
  /** Characters of JSON of the schema of an agent or extract job. */
  agentSchema: 100_000,
  agentCredits: { min: 1, max: 1_000_000, default: 2_500 },
  /** Responses of the language model in one agent or extract job. */
  agentSteps: 100,
  /** Seconds for which an agent or extract job works. */
  agentTime: 30 * 60,
  /** Characters of all pages that an agent or extract job keeps. */
  agentText: 20_000_000,
  /** Pages that an extract job reads. */
  extractPages: { default: 50, max: 1_000 },
  /** Documents in one response about a crawl or batch, and their maximum total bytes. */
  documentsPage: { min: 1, max: 1_000, default: 100, bytes: 10 * 1024 * 1024 },
  /** Seconds for which a finished job is kept. */
  jobLifetime: 24 * 60 * 60,
  /** Seconds for which a finished job with zeroDataRetention is kept, so that its pages can be read. */
  unretainedJobLifetime: 60 * 60,
  /** `count`: of a team. `urls`: of one monitor. `results`: of a query. `page`: entries in a response. */
  monitors: {
    count: 1_000,
    urls: 1_000,
    targets: 50,
    queries: 10,
    results: { min: 1, max: 50, default: 10 },
    name: { min: 1, max: 200 },
    schedule: { min: 1, max: 200 },
    retentionDays: { min: 1, max: 365, default: 30 },
    page: { min: 1, max: 100, default: 50 },
  },
  /** Lines of a comparison as data. */
  diffLines: 50_000,
  changeTag: { min: 1, max: 128 },
  webhookSecret: { max: 1_000 },
  /** Maximum number of custom headers of a webhook, characters of each, and characters of its metadata as JSON. */
  webhook: { headers: 50, headerLength: 8_192, metadataLength: 65_536 },
  /** Milliseconds that a receiver has to acknowledge a delivery. */
  webhookTimeout: 10_000,
  /** How long deliveries wait for a receiver that acknowledges none. */
  webhookAge: 24 * 60 * 60,
  concurrentSessions: { default: 5 },
  /** Connections of the service, and those that one team, its windows, and the clients of one session, use at the same time. */
  connections: { all: 2_000, team: 1_000, windows: 100, session: 200 },
  /** Milliseconds of `timeout`; the default is this service's choice, since other servers have no fixed one. */
  scrapeTimeout: { min: 1000, max: 300_000, default: 30_000 },
  /** Milliseconds of `waitFor`, and of all waits in a scrape's actions in total. */
  scrapeWait: { min: 0, max: 60_000 },
  scrapeActions: 50,
  /** Default `maxAge` for published clients, in milliseconds: the same as that of the service they were written for. */
  clientCacheAge: 4 * 60 * 60 * 1000,
  /** Bytes of a file to parse, uploaded or fetched. */
  parsedFile: 50 * 1024 * 1024,
  /** Bytes of a request body, and of one with the URLs of a batch. */
  body: 1024 * 1024,
  batchBody: 10 * 1024 * 1024,
  /** Characters of localStorage, as JSON, of a login that is saved or exported. */
  loginStorage: 32_000_000,
  /** Bytes kept of each of stdout, stderr and result of a run. */
  output: 1024 * 1024,
  /** Bytes of a result that is kept whole for the window that ran the code, and of all that are kept. */
  wholeResult: { each: 32 * 1024 * 1024, all: 256 * 1024 * 1024 },
} as const;

/**
 * Seconds of inactivity that a window may set when it renews a session of the embedded service. With the maximum, a year,
 * it doesn't close for being idle.
 */
export const renewedActivityTtl = { min: limits.activityTtl.min, max: 365 * 24 * 60 * 60 } as const;
