import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { signatureOf } from '../../src/contract/webhooks/webhook-signature.ts';
import { repository } from './folders.ts';

const secret = 'load';

export interface ReceiverHost {
  port: number;
  child: ChildProcess;
  /** Number of stored deliveries. */
  count(): Promise<number>;
  /** Stops it and closes its store. */
  end(): Promise<void>;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
}

/** The built receiver in a separate process, with a store in `directory`. */
export async function startReceiverHost(directory: string): Promise<ReceiverHost> {
  const program = join(repository, 'dist', 'webhook-receiver.cjs');
  const host = join(repository, 'test', 'harness', 'webhook-receiver-host.ts');
  const child = spawn(process.execPath, [host, program, directory, secret], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => Number((await lines.next()).value);
  return {
    port: await line(),
    child,
    count() {
      child.stdin.write('\n');
      return line();
    },
    async end() {
      child.stdin.end();
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

export interface PreparedDelivery {
  webhookId: string;
  body: Buffer;
  signature: string;
}

/** Deliveries of about `bytes` bytes each, signed. */
export function prepareDeliveries(count: number, bytes: number): PreparedDelivery[] {
  const markdown = 'x'.repeat(Math.max(0, bytes - 200));
  return Array.from({ length: count }, () => {
    const webhookId = randomUUID();
    const body = Buffer.from(
      JSON.stringify({ success: true, type: 'crawl.page', id: randomUUID(), webhookId, data: [{ markdown }] }),
    );
    return { webhookId, body, signature: signatureOf(body, secret) };
  });
}

export interface LoadResult {
  /** Ids that were acknowledged. */
  acknowledged: string[];
  /** Milliseconds from request to response, for each delivery with a response. */
  times: number[];
  /** Statuses other than 200, and connection errors. */
  others: string[];
}

/** Posts deliveries at a steady rate per second, without waiting for responses; `result` grows meanwhile. */
export async function postAtRate(
  port: number,
  deliveries: readonly PreparedDelivery[],
  rate: number,
  result: LoadResult = { acknowledged: [], times: [], others: [] },
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const sending: Promise<void>[] = [];
  const start = performance.now();
  while (sending.length < deliveries.length) {
    const due = Math.min(deliveries.length, Math.ceil(((performance.now() - start) * rate) / 1000));
    for (const delivery of deliveries.slice(sending.length, due)) sending.push(post(port, agent, delivery, result));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(sending);
  agent.destroy();
  return result;
}

function post(
  port: number,
  agent: Agent,
  { webhookId, body, signature }: PreparedDelivery,
  result: LoadResult,
): Promise<void> {
  const sent = performance.now();
  return new Promise((resolve) => {
    const asked = request(
      {
        port,
        agent,
        host: '127.0.0.1',
        method: 'POST',
        path: '/webhooks',
        headers: {
          'content-type': 'application/json',
          'x-service-signature': signature,
          'content-length': body.length,
        },
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => {
          result.times.push(performance.now() - sent);
          if (answer.statusCode === 200) result.acknowledged.push(webhookId);
          else result.others.push(String(answer.statusCode));
          resolve();
        });
        answer.once('error', () => resolve());
      },
    );
    asked.once('error', (error: NodeJS.ErrnoException) => {
      result.others.push(error.code ?? error.message);
      resolve();
    });
    asked.end(body);
  });
}
