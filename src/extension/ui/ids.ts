/** Every id that package.json and the code must agree on. A test compares them both ways. */

export const commands = {
  runFile: 'webdata.runFile',
  runSelectionOrCell: 'webdata.runSelectionOrCell',
  runCell: 'webdata.runCell',
  stopRun: 'webdata.stopRun',
  resetRepl: 'webdata.resetRepl',
  clearRunResults: 'webdata.clearRunResults',
  newBrowserSession: 'webdata.newBrowserSession',
  destroyBrowserSession: 'webdata.destroyBrowserSession',
  useBrowserSession: 'webdata.useBrowserSession',
  showBrowserSession: 'webdata.showBrowserSession',
  copyCdpUrl: 'webdata.copyCdpUrl',
  openLiveView: 'webdata.openLiveView',
  refreshBrowserSessions: 'webdata.refreshBrowserSessions',
  showMenu: 'webdata.showMenu',
  connectToServer: 'webdata.connectToServer',
  useEmbeddedService: 'webdata.useEmbeddedService',
  signOut: 'webdata.signOut',
  restartEmbeddedService: 'webdata.restartEmbeddedService',
  showServiceLog: 'webdata.showServiceLog',
} as const;
export type CommandId = (typeof commands)[keyof typeof commands];

export const views = {
  browserSessions: 'webdata.browserSessions',
  runResults: 'webdata.runResults',
} as const;

export const contextKeys = {
  /** `embedded` or `server`. */
  target: 'webdata.target',
  /** What the Browser Sessions view has to say while it has no rows. */
  sessionsState: 'webdata.sessionsState',
  /** True while a run of this window goes on. */
  running: 'webdata.running',
} as const;

/** Setting ids, without the section `webdata`. */
export const settings = {
  serverBaseUrl: 'server.baseUrl',
  chromePath: 'embedded.chromePath',
  dataDirectory: 'embedded.dataDirectory',
  runTimeout: 'run.timeout',
  sessionTtl: 'session.ttl',
  sessionActivityTtl: 'session.activityTtl',
  revealRunResults: 'runResults.reveal',
  cellCodeLens: 'cells.codeLens',
  inlineResults: 'editor.inlineResults',
} as const;
export const settingsSection = 'webdata';

/** Scheme of read-only documents made of what a server said. */
export const documentScheme = 'webdata';

/** VS Code language id -> language of a run. */
export const runnableLanguages = {
  javascript: 'node',
  typescript: 'node',
  python: 'python',
  shellscript: 'bash',
} as const;
