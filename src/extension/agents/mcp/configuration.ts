import { mcpKeyVariable } from '../../../contract/mcp/mcp.ts';

/** A program that can be told about MCP servers, and how it writes them. */
export interface AgentProgram {
  name: string;
  /** File that its configuration goes into. */
  file: string;
  format: 'mcpServers' | 'servers' | 'toml';
}

export const agentPrograms: readonly AgentProgram[] = [
  { name: 'Claude Code', file: '.mcp.json', format: 'mcpServers' },
  { name: 'Claude Desktop', file: 'claude_desktop_config.json', format: 'mcpServers' },
  { name: 'Cursor', file: '.cursor/mcp.json', format: 'mcpServers' },
  { name: 'Windsurf', file: 'mcp_config.json', format: 'mcpServers' },
  { name: 'Codex', file: '~/.codex/config.toml', format: 'toml' },
  { name: 'VS Code', file: '.vscode/mcp.json', format: 'servers' },
];

/** How an agent starts the server. */
export interface ServerCommand {
  /** The executable that runs VS Code's own Node.js. */
  execPath: string;
  /** The program that is started. */
  launcher: string;
  dataDirectory: string;
  key: string;
}

/** Writes the configuration of the service's MCP server for a program. */
export function mcpConfiguration({ format }: Pick<AgentProgram, 'format'>, server: ServerCommand): string {
  const command = server.execPath;
  const args = [server.launcher, 'mcp', '--data-dir', server.dataDirectory];
  const env = { ELECTRON_RUN_AS_NODE: '1', [mcpKeyVariable]: server.key };
  if (format === 'toml') {
    // JSON strings and arrays of strings are TOML, too.
    const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const lines = [`command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
    return ['[mcp_servers.web-data]', ...lines, '', '[mcp_servers.web-data.env]', ...variables, ''].join('\n');
  }
  const entry = format === 'servers' ? { type: 'stdio', command, args, env } : { command, args, env };
  return `${JSON.stringify({ [format]: { 'web-data': entry } }, null, 2)}\n`;
}
