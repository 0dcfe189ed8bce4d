import type * as z from 'zod';
import { apiKeysVariable, type listeningLine } from '../contract/embedded.ts';
import { webhookSecretVariable } from '../contract/webhooks.ts';
import { systemClock } from './clock.ts';
import { messageOf } from './errors.ts';
import { modelVariables } from './language-model/models.ts';
import { createLog } from './log.ts';
import { parseOptions, usage } from './options.ts';
import { startService } from './service.ts';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const options = parseOptions(args, process.env);
  // Nothing that is started from here needs to see the keys.
  for (const name of [apiKeysVariable, webhookSecretVariable, modelVariables.apiKey]) delete process.env[name];
  const log = createLog();

  let ending = false;
  const end = async (reason: string) => {
    if (ending) return;
    ending = true;
    await service.close(reason);
    process.exit(0);
  };
  const service = await startService(options, {
    clock: systemClock,
    log,
    onAbandoned: () => void end('the last window is gone'),
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    // A person who asks twice means it: browsers and snippets die with this process.
    process.on(signal, () => (ending ? process.exit(1) : void end(signal)));
  }
  // Whoever started the service may be gone, and its end of these pipes with it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const line: z.input<typeof listeningLine> = {
    event: 'listening',
    baseUrl: service.baseUrl,
    apiKey: options.apiKeys?.[0]?.key ?? null,
    pid: process.pid,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${oneLine(error)}\n`);
  process.exit(1);
});

function oneLine(error: unknown): string {
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} on 127.0.0.1 is taken. Give --port another one, or 0 for any.`;
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} needs rights that this user lacks. Give --port one above 1023, or 0 for any.`;
  return messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
}
