/** The environment variables that options of the same name are taken from. */
export const variables = {
  database: 'WEBDATA_DATABASE',
  nodeUrl: 'WEBDATA_NODE_URL',
  sharedDir: 'WEBDATA_SHARED_DIR',
  searchEndpoint: 'WEBDATA_SEARCH_ENDPOINT',
  browserEndpoint: 'WEBDATA_BROWSER_ENDPOINT',
  isolation: 'WEBDATA_ISOLATION',
  keepMinutes: 'WEBDATA_KEEP_MINUTES',
  agentBrowser: 'WEBDATA_AGENT_BROWSER',
  proxy: 'WEBDATA_PROXY',
} as const;
