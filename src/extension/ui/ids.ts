/** IDs that package.json and the code share. A test compares them in both directions. */
export { type CommandId, commands } from './command-table/command-table.ts';

/** Tools for the language models of VS Code's chat. */
export const chatTools = {
  run: 'webdata_run',
  page: 'webdata_page',
  scrape: 'webdata_scrape',
  crawl: 'webdata_crawl',
  docs: 'webdata_docs',
} as const;
export type ChatToolName = (typeof chatTools)[keyof typeof chatTools];

export const views = {
  browserSessions: 'webdata.browserSessions',
  runResults: 'webdata.runResults',
  activeCrawls: 'webdata.activeCrawls',
  activity: 'webdata.activity',
  usage: 'webdata.usage',
  webhooks: 'webdata.webhooks',
  docs: 'webdata.docs',
} as const;

/** View type of live views, for `when` clauses and for restoring them after a reload. */
export const liveViewType = 'webdataLiveView';

export const contextKeys = {
  /** `embedded` or `server`. */
  target: 'webdata.target',
  /** State of the Browser Sessions view while it has no rows. */
  sessionsState: 'webdata.sessionsState',
  /** True while Browser Sessions shows ended ones. */
  endedSessions: 'webdata.endedSessions',
  /** True while runs go to a scraped page. */
  scrapeTarget: 'webdata.scrapeTarget',
  /** True once a snippet has run without an error. */
  ranSnippet: 'webdata.ranSnippet',
  /** True while a browser session is active. */
  hasSessions: 'webdata.hasSessions',
  /** True while Run Results lists a run. */
  hasRuns: 'webdata.hasRuns',
  /** True while Crawls lists a crawl. */
  hasCrawls: 'webdata.hasCrawls',
  /** True while a crawl is active. */
  crawling: 'webdata.crawling',
  crawlsCut: 'webdata.crawlsCut',
  /** True while the active preview is that of a page of which more can be scraped. */
  previewHasMore: 'webdata.previewHasMore',
  /** True while Crawls lists a watch. */
  hasWatches: 'webdata.hasWatches',
  /** True while an agent or extract job that this window started is running. */
  agentRunning: 'webdata.agentRunning',
  agentSessions: 'webdata.agentSessions',
  agentWaits: 'webdata.agentWaits',
  /** True while a webhook delivery is stored. */
  hasDeliveries: 'webdata.hasDeliveries',
  /** True while this window has an active run. */
  running: 'webdata.running',
  /** True while the active editor's file has cells. */
  hasCells: 'webdata.hasCells',
  /** True while Shift+Enter runs a cell of the active editor here, and not in another extension. */
  ownsCells: 'webdata.ownsCells',
  /** URIs of the files that were run here. */
  ranFiles: 'webdata.ranFiles',
  /** State of the Crawls view while it has no rows. */
  crawlsState: 'webdata.crawlsState',
  /** State of the Activity view while it has no rows. */
  activityState: 'webdata.activityState',
  /** True while Activity is filtered to one kind of request. */
  activityFiltered: 'webdata.activityFiltered',
  /** State of the webhook receiver. */
  webhooksState: 'webdata.webhooksState',
} as const;

/** Setting IDs without the section `webdata`. */
export const settings = {
  serverBaseUrl: 'server.baseUrl',
  chromePath: 'embedded.chromePath',
  dataDirectory: 'embedded.dataDirectory',
  startWithViews: 'embedded.startWithViews',
  pythonPath: 'embedded.pythonPath',
  maxSessions: 'embedded.maxSessions',
  spareBrowsers: 'embedded.spareBrowsers',
  runTimeout: 'run.timeout',
  runWorkingDirectory: 'run.workingDirectory',
  runEnvFile: 'run.envFile',
  sessionIdleMinutes: 'session.idleMinutes',
  sessionProfile: 'session.profile',
  languageModelBaseUrl: 'languageModel.baseUrl',
  languageModelName: 'languageModel.name',
  searchEndpoint: 'search.endpoint',
  jobNotices: 'jobs.notify',
  revealRunResults: 'runResults.reveal',
  inlineResults: 'editor.inlineResults',
  webhooksPort: 'webhooks.port',
  webhooksPublicUrl: 'webhooks.publicUrl',
} as const;
export const settingsSection = 'webdata';

/** URI scheme of read-only documents that are held in memory while they are open. */
export const documentScheme = 'webdata-document';
/** URI scheme of the read-only file system of pages. */
export const pageScheme = 'webdata';
/** URI scheme of images from results. */
export const imageScheme = 'webdata-image';
/** URI scheme of the parameters of crawls that haven't started. */
export const draftScheme = 'webdata-crawl';

/** VS Code language ID -> language of a run. */
export const runnableLanguages = {
  javascript: 'node',
  typescript: 'node',
  python: 'python',
  shellscript: 'bash',
} as const;

/** Language of a run -> VS Code language ID. */
export const languageIds = { node: 'javascript', python: 'python', bash: 'shellscript' } as const;
