import { keyFileOption } from '../../../contract/mcp/mcp.ts';

/** How a file lists MCP servers: JSON with an object of that name, or TOML. */
export type ConfigurationFormat = 'mcpServers' | 'servers' | 'toml';

/** A program that can be told about MCP servers, and how it writes them. */
export interface AgentProgram {
  name: string;
  /** File that its configuration goes into: in the home folder, in the workspace folder, or elsewhere. */
  file: string;
  /** Where the file is, if it is the same on all systems. */
  place?: 'home' | 'folder';
  format: ConfigurationFormat;
  /** What it needs in an entry besides the command. */
  fields?: Readonly<Record<string, unknown>>;
}

export const agentPrograms: readonly AgentProgram[] = [
  { name: 'Claude Code', file: '.mcp.json', place: 'folder', format: 'mcpServers' },
  { name: 'Claude Desktop', file: 'claude_desktop_config.json', format: 'mcpServers' },
  {
    name: 'Copilot CLI',
    file: '~/.copilot/mcp-config.json',
    place: 'home',
    format: 'mcpServers',
    fields: { type: 'local', tools: ['*'] },
  },
  { name: 'Codex', file: '~/.codex/config.toml', place: 'home', format: 'toml' },
  { name: 'Cursor', file: '.cursor/mcp.json', place: 'folder', format: 'mcpServers' },
  { name: 'Windsurf', file: '~/.codeium/windsurf/mcp_config.json', place: 'home', format: 'mcpServers' },
  { name: 'VS Code', file: '.vscode/mcp.json', place: 'folder', format: 'servers', fields: { type: 'stdio' } },
];

/** How an agent starts the server. The key isn't in it: configurations are shared and committed. */
export interface ServerCommand {
  /** The executable that runs VS Code's own Node.js. */
  execPath: string;
  /** The program that is started. */
  launcher: string;
  dataDirectory: string;
  /** File with the agent's own key. */
  keyFile: string;
}

/** The name of the server in configurations. */
export const serverName = 'web-data';

/** Returns what a program's configuration says about the service's MCP server. */
export function serverEntry({ fields }: Pick<AgentProgram, 'fields'>, server: ServerCommand): object {
  return {
    ...fields,
    command: server.execPath,
    args: [server.launcher, 'mcp', '--data-dir', server.dataDirectory, `--${keyFileOption}`, server.keyFile],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
}
