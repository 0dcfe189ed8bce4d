/** Every key of an agent starts with this. */
export const agentKeyPrefix = 'wda-';

/** Where agents reach the embedded service, in the Model Context Protocol over streamable HTTP. */
export const mcpPath = '/mcp';

/** Environment variable with the key of an agent that is connected over standard input and output. */
export const mcpKeyVariable = 'WEBDATA_MCP_KEY';

/** Option of `web-data-service mcp`: a file with the key of the agent, as JSON. */
export const keyFileOption = 'key-file';

/** Environment variable with the name of that key, if the service stores it when it is first used. */
export const mcpKeyNameVariable = 'WEBDATA_MCP_KEY_NAME';
