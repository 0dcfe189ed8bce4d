import { limits } from '../../src/contract/limits.ts';

const grouped = new Intl.NumberFormat('en-US', { useGrouping: 'min2' });
const range = ({ min, max }: { min: number; max: number }) => `${grouped.format(min)} to ${grouped.format(max)}`;
const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;

/** Every limit of the contract as a table row: what is limited, its value, where it applies. A test checks that none is missing. */
export const limitRows: Record<keyof typeof limits, [limit: string, value: string, where: string]> = {
  url: [
    'length of a URL',
    `at most ${grouped.format(limits.url)} characters`,
    '`url` of scrapes, crawls and maps, `urls` of agent and extract jobs, and webhooks',
  ],
  code: ['length of code', `${range(limits.code)} characters`, 'execute and interact'],
  prompt: ['length of an interact prompt', `${range(limits.prompt)} characters`, 'POST /v2/scrape/{jobId}/interact'],
  crawlPrompt: [
    'length of a crawl prompt',
    `at most ${grouped.format(limits.crawlPrompt.max)} characters`,
    'POST /v2/crawl/params-preview and POST /v2/crawl',
  ],
  question: ['length of a question', `${range(limits.question)} characters`, 'POST /v2/support/docs-search'],
  runTimeout: [
    'run timeout',
    `${range(limits.runTimeout)} seconds, default ${limits.runTimeout.default}`,
    'execute and interact (`timeout`)',
  ],
  ownRunLimit: [
    'time limit of a run from VS Code',
    `none, or ${range(limits.ownRunLimit)} seconds`,
    'runs from VS Code on the embedded service (`webdata.run.timeout`)',
  ],
  ttl: ['session lifetime', `${range(limits.ttl)} seconds, default ${limits.ttl.default}`, 'POST /v2/browser (`ttl`)'],
  activityTtl: [
    'idle time of a session',
    `${range(limits.activityTtl)} seconds, default ${limits.activityTtl.default}`,
    'POST /v2/browser (`activityTtl`)',
  ],
  profileName: ['length of a profile name', `${range(limits.profileName)} characters`, '`profile.name`'],
  sessionId: ['length of a session id', `${range(limits.sessionId)} characters`, '`sessionId`'],
  activityPage: [
    'page size of activity',
    `${range(limits.activityPage)} items, default ${limits.activityPage.default}`,
    'GET /v2/team/activity (`limit`)',
  ],
  activityWindow: ['age of activity', `the last ${limits.activityWindow / 3600} hours`, 'GET /v2/team/activity'],
  tokensPerCredit: ['token conversion', `1 credit = ${limits.tokensPerCredit} tokens`, 'token usage'],
  crawlPages: [
    'pages of a crawl',
    `${range(limits.crawlPages)}, default ${grouped.format(limits.crawlPages.default)}`,
    'POST /v2/crawl (`limit`)',
  ],
  crawlDelay: ['pause between requests to a host', `${range(limits.crawlDelay)} seconds`, 'POST /v2/crawl (`delay`)'],
  crawlDepth: ['depth of a crawl', range(limits.crawlDepth), '`maxDepth` and `maxDiscoveryDepth`'],
  pathPatterns: [
    'path patterns of a crawl',
    `at most ${limits.pathPatterns.count}, each of at most ${grouped.format(limits.pathPatterns.length)} characters`,
    '`includePaths` and `excludePaths`',
  ],
  pagesAtATime: [
    'pages fetched at a time',
    `${range(limits.pagesAtATime)}, default ${limits.pagesAtATime.default}`,
    '`maxConcurrency` of crawls and batches',
  ],
  batchUrls: ['URLs of a batch', `1 to ${grouped.format(limits.batchUrls.max)}`, 'POST /v2/batch/scrape (`urls`)'],
  mapLinks: [
    'links of a map',
    `${range(limits.mapLinks)}, default ${grouped.format(limits.mapLinks.default)}`,
    'POST /v2/map (`limit`)',
  ],
  mapReads: [
    'pages that a map reads for their links',
    `${range(limits.mapReads)}, default ${limits.mapReads.default}`,
    'POST /v2/map (`readPages`)',
  ],
  searchQuery: ['length of a search query', `${range(limits.searchQuery)} characters`, 'POST /v2/search (`query`)'],
  searchResults: [
    'results of a search',
    `${range(limits.searchResults)} of each source, default ${limits.searchResults.default}`,
    'POST /v2/search (`limit`)',
  ],
  searchDomains: [
    'domains of a search',
    `at most ${limits.searchDomains}`,
    'POST /v2/search (`includeDomains` and `excludeDomains`)',
  ],
  searchTimeout: [
    'default timeout of a search',
    `${grouped.format(limits.searchTimeout)} milliseconds`,
    'POST /v2/search (`timeout`)',
  ],
  agentKeys: ['agent keys', `at most ${limits.agentKeys}`, 'each team on the embedded service'],
  docsSources: ['docs sources', `at most ${limits.docsSources}`, 'each team on the embedded service'],
  agentUrls: [
    'URLs of a job',
    `at most ${grouped.format(limits.agentUrls)}`,
    'POST /v2/agent and POST /v2/extract (`urls`)',
  ],
  agentSchema: [
    'length of a schema as JSON',
    `at most ${grouped.format(limits.agentSchema)} characters`,
    'POST /v2/agent and POST /v2/extract (`schema`)',
  ],
  agentCredits: [
    'credits of a job',
    `${range(limits.agentCredits)}, default ${grouped.format(limits.agentCredits.default)}`,
    'POST /v2/agent and POST /v2/extract (`maxCredits`)',
  ],
  agentSteps: ['responses of the language model', `at most ${limits.agentSteps}`, 'each agent and extract job'],
  agentTime: ['working time of a job', `${limits.agentTime / 60} minutes`, 'each agent and extract job'],
  agentText: [
    'text of all pages of a job',
    `at most ${grouped.format(limits.agentText)} characters`,
    'each agent and extract job',
  ],
  extractPages: [
    'pages of an extract job',
    `at most ${grouped.format(limits.extractPages.max)}, default ${limits.extractPages.default}`,
    'POST /v2/extract (`limit`)',
  ],
  documentsPage: [
    'documents of one status response',
    `${range(limits.documentsPage)}, default ${limits.documentsPage.default}, and at most ${mib(limits.documentsPage.bytes)} together`,
    'GET /v2/crawl/{jobId} and GET /v2/batch/scrape/{jobId} (`limit`)',
  ],
  unretainedJobLifetime: [
    'time that a finished job with `zeroDataRetention` is kept',
    `${limits.unretainedJobLifetime / 3600} hour`,
    'crawls and batches',
  ],
  monitors: [
    'monitors of a team, and their pages',
    `${grouped.format(limits.monitors.count)} monitors of ${grouped.format(limits.monitors.urls)} URLs; checks are kept for ${range(limits.monitors.retentionDays)} days, default ${limits.monitors.retentionDays.default}`,
    'POST /v2/monitor',
  ],
  diffLines: [
    'lines of a comparison as data',
    `the first ${grouped.format(limits.diffLines)}; the text has all`,
    '`changeTracking`, and the pages of a monitor (`diff.json`)',
  ],
  changeTag: ['length of a tag', `${range(limits.changeTag)} characters`, 'the format `changeTracking`'],
  jobLifetime: ['time that a finished job is kept', `${limits.jobLifetime / 3600} hours`, 'crawls and batches'],
  webhookSecret: [
    'length of a webhook secret',
    `1 to ${grouped.format(limits.webhookSecret.max)} characters`,
    'webhooks',
  ],
  webhook: [
    'headers and metadata of a webhook',
    `at most ${limits.webhook.headers} headers of ${grouped.format(limits.webhook.headerLength)} characters, and ${grouped.format(limits.webhook.metadataLength)} characters of metadata`,
    '`webhook` of crawls and batches',
  ],
  webhookTimeout: [
    'time to acknowledge a delivery',
    `${limits.webhookTimeout / 1000} seconds`,
    'webhook deliveries of the embedded service',
  ],
  webhookAge: [
    'age of a delivery that waits for a receiver',
    `at most ${limits.webhookAge / 3600} hours, if the receiver acknowledges nothing for as long`,
    'webhook deliveries of the embedded service',
  ],
  connections: [
    'connections in use at the same time',
    `${grouped.format(limits.connections.all)}, ${grouped.format(limits.connections.team)} of a team, ${limits.connections.windows} of its VS Code windows, ${limits.connections.session} of the clients of a session`,
    'the embedded service',
  ],
  concurrentSessions: [
    'concurrent browser sessions',
    `${limits.concurrentSessions.default} by default, set with --max-sessions`,
    'each team on the embedded service',
  ],
  scrapeTimeout: [
    'timeout of a scrape',
    `${range(limits.scrapeTimeout)} milliseconds, default ${grouped.format(limits.scrapeTimeout.default)}`,
    'scrape options (`timeout`)',
  ],
  scrapeWait: [
    'wait before a page is read',
    `${range(limits.scrapeWait)} milliseconds, and at most half of timeout`,
    'scrape options (`waitFor`), all waits of `actions` together',
  ],
  scrapeActions: ['actions of a scrape', `at most ${limits.scrapeActions}`, 'scrape options (`actions`)'],
  clientCacheAge: [
    'default cache age for published clients',
    `${limits.clientCacheAge / 3_600_000} hours`,
    'POST /v2/scrape of public hosts (`maxAge`)',
  ],
  parsedFile: ['file to parse', mib(limits.parsedFile), 'POST /v2/parse'],
  body: ['size of a request body', mib(limits.body), 'every call without another limit'],
  batchBody: ['size of a request body with URLs', mib(limits.batchBody), 'POST /v2/batch/scrape'],
  wholeResult: [
    'whole result of a run',
    `${mib(limits.wholeResult.each)} each, ${mib(limits.wholeResult.all)} in total, until the service stops`,
    'results of runs from VS Code on the embedded service',
  ],
  loginStorage: [
    'localStorage of a login that is saved or exported',
    `at most ${grouped.format(limits.loginStorage)} characters as JSON`,
    'logins and profiles of the embedded service',
  ],
  output: ['output of a run', `${mib(limits.output)} each of stdout, stderr and result`, 'execute and interact'],
};
