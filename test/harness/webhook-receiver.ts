import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { signatureOf } from '../../src/contract/webhooks/webhook-signature.ts';
import type { Bounds } from '../../src/extension/webhooks/receiver/deliveries.ts';
import { startDeliveryServer } from '../../src/extension/webhooks/receiver/delivery-server.ts';
import { createCommitQueue } from '../../src/extension/webhooks/receiver/delivery-store/commit-queue.ts';
import type {
  DeliveryStore,
  StoreResult,
} from '../../src/extension/webhooks/receiver/delivery-store/delivery-store.ts';
import { openDeliveryStore } from '../../src/extension/webhooks/receiver/delivery-store/open-delivery-store.ts';
import { temporaryFolder } from './folders.ts';

export const testSecret = "It's a Secret to Everybody";
export const wideBounds: Bounds = { deliveries: 20_000, ageMs: 7 * 24 * 3600_000, bytes: 1024 ** 3 };

export interface TestReceiver {
  port: number;
  /** May be changed while it listens. */
  rules: { secrets: string[]; publicHosts: string[] };
  store: DeliveryStore;
  directory: string;
  refused: { status: number; error: string; host: string }[];
  stored: StoreResult[];
  /** Posts a body, signed with the test's secret unless headers say otherwise; null leaves a header out. */
  post(body: string | Uint8Array, headers?: Record<string, string | null>): Promise<{ status: number; body: string }>;
  close(): Promise<void>;
}

export interface TestReceiverOptions {
  secrets?: string[];
  publicHosts?: string[];
  bounds?: Bounds;
  requestTimeoutMs?: number;
  queue?: { count: number; bytes: number };
  /** The folder of an existing store, which is kept. */
  directory?: string;
  /** What stores deliveries in place of the store. */
  wrapStore?: (store: DeliveryStore) => Pick<DeliveryStore, 'add'>;
}

/** A receiver in the test's process, with its own store. */
export async function startTestReceiver(options: TestReceiverOptions = {}): Promise<TestReceiver> {
  const directory = options.directory ?? temporaryFolder();
  const store = openDeliveryStore(directory, options.bounds ?? wideBounds);
  const rules = { secrets: options.secrets ?? [testSecret], publicHosts: options.publicHosts ?? [] };
  const refused: TestReceiver['refused'] = [];
  const stored: StoreResult[] = [];
  const receiver = await startDeliveryServer(0, {
    queue: createCommitQueue(options.wrapStore?.(store) ?? store, options.queue),
    rules: () => rules,
    onStored: (result) => stored.push(result),
    onRefused: (status, error, host) => refused.push({ status, error, host }),
    ...(options.requestTimeoutMs && { requestTimeoutMs: options.requestTimeoutMs }),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    port: receiver.port,
    rules,
    store,
    directory,
    refused,
    stored,
    post: (body, headers = {}) => post(receiver.port, agent, Buffer.from(body), headers),
    async close() {
      agent.destroy();
      await receiver.close();
      store.close();
      if (!options.directory) rmSync(directory, { recursive: true, force: true });
    },
  };
}

function post(port: number, agent: Agent, body: Buffer, given: Record<string, string | null>) {
  const headers: Record<string, string | null> = {
    'content-type': 'application/json',
    'x-service-signature': signatureOf(body, testSecret),
    'content-length': String(body.length),
    ...given,
  };
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request(
      {
        port,
        agent,
        host: '127.0.0.1',
        method: 'POST',
        path: '/webhooks',
        headers: Object.fromEntries(
          Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
        ),
      },
      async (answer) => {
        let text = '';
        for await (const piece of answer.setEncoding('utf8')) text += piece;
        resolve({ status: answer.statusCode ?? 0, body: text });
      },
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver may close an idle connection while this request takes it.
      const isClosedBefore = asked.reusedSocket && error.code === 'ECONNRESET';
      if (isClosedBefore) post(port, agent, body, given).then(resolve, reject);
      else reject(error);
    });
    asked.end(body);
  });
}

/** A delivery as the service sends it, as JSON. */
export function deliveryJson(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    success: true,
    type: 'crawl.page',
    id: randomUUID(),
    webhookId: randomUUID(),
    data: [{ markdown: '# Page', metadata: { sourceURL: 'https://shop.test/pricing', title: 'Pricing' } }],
    ...fields,
  });
}
