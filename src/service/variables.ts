/** Environment variable with the URL of the database. */
export const databaseVariable = 'WEBDATA_DATABASE';

/** Environment variable with the address of a node. */
export const nodeUrlVariable = 'WEBDATA_NODE_URL';

/** Environment variable with the folder that nodes share. */
export const sharedDirVariable = 'WEBDATA_SHARED_DIR';

/** Environment variable with the URL of the search engine. */
export const searchEndpointVariable = 'WEBDATA_SEARCH_ENDPOINT';

/** Environment variable with the URL that browsers come from. */
export const browserEndpointVariable = 'WEBDATA_BROWSER_ENDPOINT';

/** Environment variable with how sessions are isolated. */
export const isolationVariable = 'WEBDATA_ISOLATION';

/** Environment variable with how long a linked service keeps running after its last window, in minutes. */
export const keepMinutesVariable = 'WEBDATA_KEEP_MINUTES';

/** Environment variable with the path of the agent-browser executable. */
export const agentBrowserVariable = 'WEBDATA_AGENT_BROWSER';
