import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openDeliveryStore } from '../../src/extension/webhooks/receiver/delivery-store/open-delivery-store.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { type LoadResult, postAtRate, prepareDeliveries, startReceiverHost } from '../harness/webhook-load.ts';
import { wideBounds } from '../harness/webhook-receiver.ts';
import { printTarget, round } from './figures.ts';

const rate = 1000;
const seconds = 10;
const bytes = 10 * 1024;

/** The webhook receiver under a steady load, compared to a server that stores nothing, and after a SIGKILL under load. */
export async function run(): Promise<void> {
  const folder = temporaryFolder();
  try {
    const floor = await bareServer();
    const steady = await underLoad(join(folder, 'steady'));
    console.table({ 'responds at once, stores nothing': row(floor), 'webhook receiver': row(steady.load) });
    const p99 = percentile(steady.load.times, 0.99);
    const sent = rate * seconds;
    const lost = steady.load.acknowledged.length - steady.stored;
    printTarget(`99th percentile of ${sent} responses, ms`, p99, 'under 100', p99 < 100);
    printTarget('acknowledged', steady.load.acknowledged.length, `${sent}`, steady.load.acknowledged.length === sent);
    printTarget('acknowledged but not stored, or stored twice', lost, '0', lost === 0);
    const missing = await killedInTheMiddle(join(folder, 'killed'));
    printTarget(
      `missing of ${missing.acknowledged} that were acknowledged before a SIGKILL`,
      missing.missing,
      '0',
      missing.missing === 0,
    );
    printTarget('stored twice after it', missing.doubled, '0', missing.doubled === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function underLoad(directory: string): Promise<{ load: LoadResult; stored: number }> {
  const deliveries = prepareDeliveries(rate * seconds, bytes);
  const host = await startReceiverHost(directory);
  await postAtRate(host.port, prepareDeliveries(rate / 2, bytes), rate / 2);
  const before = await host.count();
  const load = await postAtRate(host.port, deliveries, rate);
  const stored = (await host.count()) - before;
  await host.end();
  return { load, stored };
}

async function killedInTheMiddle(directory: string) {
  const host = await startReceiverHost(directory);
  const sending = postAtRate(host.port, prepareDeliveries(4 * rate, bytes), rate);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await host.kill();
  const { acknowledged } = await sending;
  const store = await openDeliveryStore(directory, wideBounds);
  const stored = (await store.list({ limit: 100_000 })).map(({ webhookId }) => webhookId);
  await store.close();
  const known = new Set(stored);
  const missing = acknowledged.filter((id) => !known.has(id)).length;
  return { acknowledged: acknowledged.length, missing, doubled: stored.length - known.size };
}

/** The cost of the machine and the sender alone. */
async function bareServer(): Promise<LoadResult> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const load = await postAtRate((server.address() as AddressInfo).port, prepareDeliveries(3 * rate, bytes), rate);
  server.close();
  server.closeAllConnections();
  return load;
}

function row({ times, others }: LoadResult) {
  return {
    n: times.length,
    'median ms': round(percentile(times, 0.5)),
    'p99 ms': round(percentile(times, 0.99)),
    'max ms': round(percentile(times, 1)),
    failed: others.length,
  };
}

function percentile(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
