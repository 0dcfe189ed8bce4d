import type { McpHttpServerDefinition, McpStdioServerDefinition } from 'vscode';

/** What an agent of VS Code's Agent Host starts or connects to. */
export type ForwardedServer =
  | { command: string; args: string[]; env: Record<string, string> }
  | { url: string; headers: Record<string, string> };

/**
 * Forwards a server as VS Code's Agent Host did in July 2026: as it was provided, never resolved. It forwards the command, the
 * arguments and the environment of a program, and the URL and the headers of a server. A program with `cwd` or `envFile`, or
 * with a `${…}` in it, isn't supported in full.
 */
export function forwardToAgentHost(definition: McpStdioServerDefinition | McpHttpServerDefinition): ForwardedServer {
  if ('uri' in definition) return { url: definition.uri.toString(), headers: { ...definition.headers } };
  const { command, args, env, cwd } = definition;
  if (cwd !== undefined) throw new Error('"cwd" is not supported in full.');
  const forwarded = {
    command,
    args: [...args],
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
  };
  if (JSON.stringify(forwarded).includes('${')) throw new Error('Variables are not resolved.');
  return forwarded;
}
