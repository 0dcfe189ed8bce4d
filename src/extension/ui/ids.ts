/** IDs that package.json and the code share. A test compares them in both directions. */

export const commands = {
  newSnippet: 'webdata.newSnippet',
  openExamples: 'webdata.openExamples',
  openWalkthrough: 'webdata.openWalkthrough',
  refresh: 'webdata.refresh',
  installProgram: 'webdata.installProgram',
  runFile: 'webdata.runFile',
  runSelectionOrCell: 'webdata.runSelectionOrCell',
  runCell: 'webdata.runCell',
  runAllCells: 'webdata.runAllCells',
  runCellsAbove: 'webdata.runCellsAbove',
  runCellAndMoveToNext: 'webdata.runCellAndMoveToNext',
  runFileWithLanguage: 'webdata.runFileWithLanguage',
  stopRun: 'webdata.stopRun',
  resetRepl: 'webdata.resetRepl',
  addPythonTypes: 'webdata.addPythonTypes',
  clearRunResults: 'webdata.clearRunResults',
  newBrowserSession: 'webdata.newBrowserSession',
  newBrowserSessionWithOptions: 'webdata.newBrowserSessionWithOptions',
  destroyBrowserSession: 'webdata.destroyBrowserSession',
  useBrowserSession: 'webdata.useBrowserSession',
  showBrowserSession: 'webdata.showBrowserSession',
  copyCdpUrl: 'webdata.copyCdpUrl',
  openLiveView: 'webdata.openLiveView',
  openLiveViewInBrowser: 'webdata.openLiveViewInBrowser',
  liveViewControl: 'webdata.liveViewControl',
  liveViewFixedSize: 'webdata.liveViewFixedSize',
  pinLiveView: 'webdata.pinLiveView',
  unpinLiveView: 'webdata.unpinLiveView',
  liveViewActualSize: 'webdata.liveViewActualSize',
  liveViewScreenshot: 'webdata.liveViewScreenshot',
  liveViewRecording: 'webdata.liveViewRecording',
  clearEndedSessions: 'webdata.clearEndedSessions',
  pauseAgent: 'webdata.pauseAgent',
  resumeAgent: 'webdata.resumeAgent',
  saveAsSnippet: 'webdata.saveAsSnippet',
  allowOnce: 'webdata.allowOnce',
  allowInSession: 'webdata.allowInSession',
  denyRequest: 'webdata.denyRequest',
  showRequest: 'webdata.showRequest',
  showMenu: 'webdata.showMenu',
  connectToServer: 'webdata.connectToServer',
  useEmbeddedService: 'webdata.useEmbeddedService',
  signOut: 'webdata.signOut',
  restartEmbeddedService: 'webdata.restartEmbeddedService',
  showServiceLog: 'webdata.showServiceLog',
  interactWithScrape: 'webdata.interactWithScrape',
  sendPrompt: 'webdata.sendPrompt',
  endInteraction: 'webdata.endInteraction',
  askAgent: 'webdata.askAgent',
  extractFromPages: 'webdata.extractFromPages',
  cancelAgentJob: 'webdata.cancelAgentJob',
  setUpLanguageModel: 'webdata.setUpLanguageModel',
  copyMcpConfiguration: 'webdata.copyMcpConfiguration',
  manageAgentKeys: 'webdata.manageAgentKeys',
  startCrawl: 'webdata.startCrawl',
  submitCrawl: 'webdata.submitCrawl',
  scrapeUrl: 'webdata.scrapeUrl',
  mapSite: 'webdata.mapSite',
  parseFiles: 'webdata.parseFiles',
  searchWeb: 'webdata.searchWeb',
  setUpSearch: 'webdata.setUpSearch',
  openCrawl: 'webdata.openCrawl',
  cancelCrawl: 'webdata.cancelCrawl',
  copyCrawlId: 'webdata.copyCrawlId',
  openCrawledSite: 'webdata.openCrawledSite',
  openPage: 'webdata.openPage',
  openPageMarkdown: 'webdata.openPageMarkdown',
  openPageHtml: 'webdata.openPageHtml',
  openPageLinks: 'webdata.openPageLinks',
  openPageMetadata: 'webdata.openPageMetadata',
  openPageScreenshot: 'webdata.openPageScreenshot',
  openPageJson: 'webdata.openPageJson',
  openPageInSession: 'webdata.openPageInSession',
  interactWithPage: 'webdata.interactWithPage',
  askAboutPage: 'webdata.askAboutPage',
  copyPageUrl: 'webdata.copyPageUrl',
  loadMorePages: 'webdata.loadMorePages',
  searchPages: 'webdata.searchPages',
  savePagesAsFiles: 'webdata.savePagesAsFiles',
  savePagesAsJsonl: 'webdata.savePagesAsJsonl',
  savePagesAsCsv: 'webdata.savePagesAsCsv',
  chooseMappedPages: 'webdata.chooseMappedPages',
  filterActivity: 'webdata.filterActivity',
  clearActivityFilter: 'webdata.clearActivityFilter',
  groupActivity: 'webdata.groupActivity',
  loadMoreActivity: 'webdata.loadMoreActivity',
  openRecord: 'webdata.openRecord',
  previewRecord: 'webdata.previewRecord',
  saveRecord: 'webdata.saveRecord',
  copyActivityId: 'webdata.copyActivityId',
  showUsageByApiKey: 'webdata.showUsageByApiKey',
  showUsageTotal: 'webdata.showUsageTotal',
  copyUsageCsv: 'webdata.copyUsageCsv',
  startWebhookReceiver: 'webdata.startWebhookReceiver',
  stopWebhookReceiver: 'webdata.stopWebhookReceiver',
  copyWebhookUrl: 'webdata.copyWebhookUrl',
  setWebhookSecret: 'webdata.setWebhookSecret',
  setWebhookHandler: 'webdata.setWebhookHandler',
  startWebhookForwarding: 'webdata.startWebhookForwarding',
  stopWebhookForwarding: 'webdata.stopWebhookForwarding',
  filterWebhooks: 'webdata.filterWebhooks',
  clearWebhookFilter: 'webdata.clearWebhookFilter',
  loadMoreWebhooks: 'webdata.loadMoreWebhooks',
  clearWebhooks: 'webdata.clearWebhooks',
  openWebhookDelivery: 'webdata.openWebhookDelivery',
  openWebhookRequest: 'webdata.openWebhookRequest',
  openWebhookMarkdown: 'webdata.openWebhookMarkdown',
  forwardWebhook: 'webdata.forwardWebhook',
  replayWebhook: 'webdata.replayWebhook',
  editWebhook: 'webdata.editWebhook',
  sendEditedWebhook: 'webdata.sendEditedWebhook',
  openWebhookResponse: 'webdata.openWebhookResponse',
  insertWebhookVerification: 'webdata.insertWebhookVerification',
  askDocs: 'webdata.askDocs',
  clearDocs: 'webdata.clearDocs',
  addDocsSource: 'webdata.addDocsSource',
  manageDocsSources: 'webdata.manageDocsSources',
} as const;
export type CommandId = (typeof commands)[keyof typeof commands];

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
  /** True while the active live view is pinned to its session. */
  liveViewPinned: 'webdata.liveViewPinned',
  /** True once a snippet has run without an error. */
  ranSnippet: 'webdata.ranSnippet',
  /** True while a browser session is active. */
  hasSessions: 'webdata.hasSessions',
  /** True while Run Results lists a run. */
  hasRuns: 'webdata.hasRuns',
  /** True while Active Crawls lists a crawl. */
  hasCrawls: 'webdata.hasCrawls',
  /** True while a crawl is active. */
  crawling: 'webdata.crawling',
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
  /** State of the Active Crawls view while it has no rows. */
  crawlsState: 'webdata.crawlsState',
  /** State of the Activity view while it has no rows. */
  activityState: 'webdata.activityState',
  /** True while Activity is filtered to one kind of request. */
  activityFiltered: 'webdata.activityFiltered',
  usageByApiKey: 'webdata.usageByApiKey',
  /** State of the webhook receiver. */
  webhooksState: 'webdata.webhooksState',
  /** True while Webhooks is filtered to one job. */
  webhooksFiltered: 'webdata.webhooksFiltered',
  /** True while new deliveries are forwarded to the handler. */
  webhooksForwarding: 'webdata.webhooksForwarding',
} as const;

/** Setting IDs without the section `webdata`. */
export const settings = {
  serverBaseUrl: 'server.baseUrl',
  chromePath: 'embedded.chromePath',
  dataDirectory: 'embedded.dataDirectory',
  startWithViews: 'embedded.startWithViews',
  pythonPath: 'embedded.pythonPath',
  agentBrowserPath: 'embedded.agentBrowserPath',
  maxSessions: 'embedded.maxSessions',
  spareBrowsers: 'embedded.spareBrowsers',
  browserEndpoint: 'embedded.browserEndpoint',
  runTimeout: 'run.timeout',
  runWorkingDirectory: 'run.workingDirectory',
  runEnvFile: 'run.envFile',
  sessionTtl: 'session.ttl',
  sessionActivityTtl: 'session.activityTtl',
  sessionIdleMinutes: 'session.idleMinutes',
  sessionProfile: 'session.profile',
  sessionSaveChanges: 'session.saveChanges',
  sessionLiveView: 'session.liveView',
  sessionExpiryWarning: 'session.expiryWarning',
  viewsAutoRefresh: 'views.autoRefresh',
  viewsShowTimeLeft: 'views.showTimeLeft',
  promptTimeout: 'prompt.timeout',
  languageModelBaseUrl: 'languageModel.baseUrl',
  languageModelName: 'languageModel.name',
  searchEndpoint: 'search.endpoint',
  revealRunResults: 'runResults.reveal',
  cellCodeLens: 'cells.codeLens',
  inlineResults: 'editor.inlineResults',
  webhooksPort: 'webhooks.port',
  webhooksPublicUrl: 'webhooks.publicUrl',
  webhooksKeepDeliveries: 'webhooks.keepDeliveries',
  webhooksKeepDays: 'webhooks.keepDays',
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
