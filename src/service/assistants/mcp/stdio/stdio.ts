// `web-data-service mcp`: the Model Context Protocol over standard input and output, for agents that start their servers.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { agentKeyEndpoints } from '../../../../contract/mcp/agent-keys.ts';
import { keyFileOption, mcpKeyNameVariable, mcpKeyVariable } from '../../../../contract/mcp/mcp.ts';
import { shorten, withoutHidden } from '../../../../contract/shorten.ts';
import { defaultDataDir } from '../../../platform/data-dir.ts';
import { bridge } from './bridge.ts';
import { type HeldService, holdService } from './companion.ts';
import { loopbackFetch } from './loopback-fetch.ts';

const usage = `Usage: web-data-service mcp [options]
  --data-dir DIR   folder of the service to use; it is started if it isn't running
  --${keyFileOption} FILE  file with the agent's own key, as "Copy MCP Configuration…" writes it
  ${mcpKeyVariable}=KEY   environment variable with the agent's own key

All other options are those of web-data-service, for the service that is started.
It speaks the Model Context Protocol on standard input and output.`;

const notMessage = { code: -32_700, message: 'Send one JSON-RPC 2.0 message of at most 10 MiB on each line.' };

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return void process.stdout.write(`${usage}\n`);
  const { values, tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: { 'data-dir': { type: 'string' }, [keyFileOption]: { type: 'string' } },
  });
  // The service itself knows only some of them.
  const own = tokens.flatMap((token) => {
    if (token.kind !== 'option' || !(token.name === 'data-dir' || token.name === keyFileOption)) return [];
    return token.inlineValue === true ? [token.index] : [token.index, token.index + 1];
  });
  const rest = args.filter((_arg, index) => !own.includes(index));
  const { 'data-dir': given, [keyFileOption]: keyFile } = values;
  const dataDir = resolve(typeof given === 'string' ? given : defaultDataDir());
  const apiKey = typeof keyFile === 'string' ? await readKey(keyFile) : process.env[mcpKeyVariable];
  const keyName = process.env[mcpKeyNameVariable];
  delete process.env[mcpKeyVariable];
  delete process.env[mcpKeyNameVariable];
  const program = join(import.meta.dirname, 'service.cjs');
  const agent = new StdioServerTransport();
  agent.onerror = (error) => {
    log(shorten(error.message.split('\n')[0] ?? ''));
    // Its ID is unknown: the line isn't a message.
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: notMessage })}\n`);
  };
  const { close } = await bridge({
    agent,
    async hold() {
      const service = await holdService({ program, dataDir, args: rest });
      if (apiKey === undefined || keyName === undefined) return service;
      try {
        await storeKey(service, keyName, apiKey);
      } catch (error) {
        service.release();
        throw error;
      }
      return service;
    },
    apiKey,
    log,
  });
  let closing = false;
  const stop = async () => {
    if (closing) return;
    closing = true;
    setTimeout(() => process.exit(0), 3_000).unref();
    await close();
    process.exit(0);
  };
  // A line was too long to be a message: what follows it can't be told apart.
  agent.onclose = stop;
  process.stdin.once('end', stop).once('close', stop);
  process.stdout.on('error', stop);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stop);
}

/** Reads the key in a file that the extension has written. Throws an Error that says what to do. */
async function readKey(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT'
        ? `There is no key in ${shorten(path)}: it was revoked. Copy the MCP configuration again.`
        : `The key in ${shorten(path)} couldn't be read (${error.code}).`,
    );
  });
  let key: unknown;
  try {
    ({ key } = JSON.parse(text) as { key?: unknown });
  } catch {
    // The error would quote the key.
  }
  if (typeof key !== 'string') throw new Error(`${shorten(path)} contains no key. Copy the MCP configuration again.`);
  return key;
}

/** Has the service store a key that was made before the service ran, unless it is stored. Throws an Error if it was revoked. */
async function storeKey({ baseUrl, apiKey }: HeldService, name: string, key: string): Promise<void> {
  const { method, path } = agentKeyEndpoints.createAgentKey;
  const response = await loopbackFetch(new URL(path, baseUrl), {
    method,
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ name, key }),
  });
  if (response.ok) return void (await response.body?.cancel());
  if (response.status === 410)
    throw new Error('The key was revoked. Next: run "Manage Agent Keys…" in VS Code, which creates another one.');
  const { error } = (await response.json().catch(() => ({}))) as { error?: unknown };
  throw new Error(`The service didn't accept the key: ${typeof error === 'string' ? shorten(error) : response.status}`);
}

/** Writes a line to standard error, which may be a terminal: standard output belongs to the protocol. */
function log(line: string): void {
  process.stderr.write(`${withoutHidden(line)}\n`);
}

main(process.argv.slice(3)).catch((error: unknown) => {
  log(shorten(error instanceof Error ? error.message : String(error), 1000));
  process.exit(1);
});
