/** Where agents reach the embedded service, in the Model Context Protocol over streamable HTTP. */
export const mcpPath = '/mcp';

/** Environment variable with the key of an agent that is connected over standard input and output. */
export const mcpKeyVariable = 'WEBDATA_MCP_KEY';
