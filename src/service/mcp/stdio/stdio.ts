// `web-data-service mcp`: the Model Context Protocol over standard input and output, for agents that start their servers.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcpKeyVariable } from '../../../contract/mcp/mcp.ts';
import { defaultDataDir } from '../../data-dir.ts';
import { bridge } from './bridge.ts';
import { holdService } from './companion.ts';

const usage = `Usage: web-data-service mcp [options]
  --data-dir DIR   folder of the service to use; it is started if it isn't running
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
    options: { 'data-dir': { type: 'string' } },
  });
  const given = values['data-dir'];
  const place = tokens.find((token) => token.kind === 'option' && token.name === 'data-dir');
  const rest =
    place === undefined
      ? args
      : args.filter(
          (_arg, index) =>
            index !== place.index &&
            (index !== place.index + 1 || (place as { inlineValue?: boolean }).inlineValue === true),
        );
  const dataDir = resolve(typeof given === 'string' ? given : defaultDataDir());
  const apiKey = process.env[mcpKeyVariable];
  delete process.env[mcpKeyVariable];
  // Standard output belongs to the protocol.
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const program = join(import.meta.dirname, 'service.cjs');
  const agent = new StdioServerTransport();
  agent.onerror = (error) => {
    log(error.message.split('\n')[0] ?? '');
    // Its ID is unknown: the line isn't a message.
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: notMessage })}\n`);
  };
  const { close } = await bridge({
    agent,
    hold: () => holdService({ program, dataDir, args: rest }),
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

main(process.argv.slice(3)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
