import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { WebSocket } from 'ws';
import { linkPath } from '../../../src/contract/embedded.ts';
import { signedWith } from '../../../src/contract/webhooks/webhook-signature.ts';
import { eventually } from '../../harness/eventually.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { call, type ServiceProcess, spawnService, startTestService, type TestService } from '../../harness/service.ts';
import { type SmallSite, startSmallSite } from '../../harness/small-site.ts';

const names = Array.from({ length: 12 }, (_, index) => `page-${index}`);
interface Sent {
  type: string;
  id: string;
  webhookId: string;
  success: boolean;
  data: { markdown?: string; metadata?: { sourceURL?: string } }[];
}

describe('webhooks of jobs', () => {
  let site: SmallSite;
  let receiver: FaultyServer;
  let onDelivery: (exchange: Exchange) => void;
  const sent = () => receiver.arrivals.map(({ body }) => JSON.parse(body) as Sent);
  const types = () => sent().map(({ type }) => type);

  before(async () => {
    site = await startSmallSite(names);
  });
  after(() => site.close());
  beforeEach(async () => {
    onDelivery = (exchange) => exchange.answer(200, '');
    receiver = await startFaultyServer((_arrival, exchange) => onDelivery(exchange));
  });
  afterEach(() => receiver.close());

  describe('on a service', () => {
    let service: TestService;
    before(async () => {
      service = await startTestService({ webhooks: { secret: 'configured', retryMs: [100] } });
    });
    after(() => service.close());

    it('are sent for a crawl: started, each page, completed', async () => {
      const { status, body } = await service.call('POST', '/v2/crawl', { url: site.url, webhook: receiver.baseUrl });
      assert.equal(status, 200, JSON.stringify(body));
      await eventually(() => assert.equal(types().at(-1), 'crawl.completed'));
      assert.equal(types()[0], 'crawl.started');
      const pages = sent().slice(1, -1);
      assert.deepEqual(new Set(pages.map(({ type }) => type)), new Set(['crawl.page']));
      assert.equal(pages.length, names.length + 1);
      assert.deepEqual(new Set(sent().map(({ id }) => id)), new Set([body.id]));
      assert.equal(new Set(sent().map(({ webhookId }) => webhookId)).size, names.length + 3);
      const state = await service.call('GET', `/v2/crawl/${body.id}`);
      const byUrl = (data: Sent['data']) => data.map(({ metadata }) => metadata?.sourceURL).sort();
      assert.deepEqual(byUrl(pages.flatMap(({ data }) => data)), byUrl(state.body.data));
      for (const { body: bytes, headers } of receiver.arrivals) {
        assert.equal(signedWith(Buffer.from(bytes), String(headers['x-service-signature']), ['configured']), 0);
      }
    });

    it('are sent for a batch, with failed pages among the others', async () => {
      const webhook = { url: receiver.baseUrl, metadata: { run: '7' } };
      const urls = [`${site.url}page-1`, 'http://127.0.0.1:9/'];
      const { status, body } = await service.call('POST', '/v2/batch/scrape', { urls, webhook });
      assert.equal(status, 200, JSON.stringify(body));
      await eventually(() => assert.equal(types().at(-1), 'batch_scrape.completed'));
      const [started, ...rest] = receiver.arrivals.map((arrival) => JSON.parse(arrival.body));
      assert.deepEqual(started, {
        success: true,
        type: 'batch_scrape.started',
        id: body.id,
        webhookId: started.webhookId,
        data: [],
        metadata: { run: '7' },
      });
      const failed = rest.find(({ success }) => !success);
      assert.equal(failed.type, 'batch_scrape.page');
      assert.ok(failed.error.length > 0);
      assert.ok(failed.data[0].metadata);
    });

    it("aren't delayed by a receiver that never responds", async () => {
      onDelivery = () => undefined;
      const { body } = await service.call('POST', '/v2/crawl', { url: site.url, webhook: receiver.baseUrl });
      await eventually(async () => {
        const state = await service.call('GET', `/v2/crawl/${body.id}`);
        assert.equal(state.body.status, 'completed');
      });
      assert.equal(receiver.arrivals.length, 1);
    });

    it('never go to blocked addresses', async () => {
      const targets: [string, number][] = [
        [`${service.baseUrl}/v2/scrape`, 403],
        ['http://169.254.169.254/latest/meta-data/', 403],
        ['http://user:secret@example.test/', 403],
        ['ftp://example.test/', 400],
      ];
      for (const [webhook, expected] of targets) {
        const crawl = await service.call('POST', '/v2/crawl', { url: site.url, webhook });
        assert.equal(crawl.status, expected, webhook);
        assert.doesNotMatch(JSON.stringify(crawl.body), /secret@/);
        const batch = await service.call('POST', '/v2/batch/scrape', { urls: [site.url], webhook: { url: webhook } });
        assert.equal(batch.status, expected, webhook);
      }
    });
  });

  it('are signed with the secret that a window sends over its link, and wait for it', async () => {
    const service = await startTestService({ linked: true });
    try {
      await service.call('POST', '/v2/crawl', { url: site.url, limit: 1, webhook: receiver.baseUrl });
      const link = new WebSocket(`ws://127.0.0.1:${service.port}${linkPath}`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      });
      await new Promise((resolve) => link.once('open', resolve));
      link.send(JSON.stringify({ type: 'hello', window: 'test' }));
      link.send(JSON.stringify({ type: 'webhook-secret', secret: '' }));
      link.send(JSON.stringify({ type: 'webhook-secret', secret: 'given by the window' }));
      await eventually(() => assert.equal(types().at(-1), 'crawl.completed'));
      for (const { body, headers } of receiver.arrivals) {
        const signature = String(headers['x-service-signature']);
        assert.equal(signedWith(Buffer.from(body), signature, ['given by the window']), 0);
      }
      link.close();
    } finally {
      await service.close();
    }
  });

  it('are all delivered even if the service is killed repeatedly', async () => {
    const dataDir = temporaryFolder();
    const args = ['--data-dir', dataDir, '--api-key', 'a-key-for-the-crash-test', '--spare-browsers', '0'];
    const env = { WEBDATA_WEBHOOK_SECRET: 'in the environment', WEBDATA_WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2' };
    let service: ServiceProcess | undefined;
    const kill = async () => {
      service?.child.kill('SIGKILL');
      await service?.exited;
    };
    try {
      service = await spawnService(args, env);
      const { baseUrl, apiKey } = service.line;
      const { body } = await call(baseUrl, apiKey ?? '', 'POST', '/v2/crawl', {
        url: site.url,
        webhook: receiver.baseUrl,
      });
      for (const arrivals of [2, 5, 9]) {
        await eventually(() => assert.ok(receiver.arrivals.length >= arrivals));
        await kill();
        service = await spawnService(args, env);
      }
      await eventually(() => assert.equal(types().at(-1), 'crawl.completed'));
      const once = [...new Map(sent().map((delivery) => [delivery.webhookId, delivery])).values()];
      const pages = once.filter(({ type }) => type === 'crawl.page');
      const urls = pages.map(({ data }) => data[0]?.metadata?.sourceURL).sort();
      assert.deepEqual(urls, [site.url, ...names.map((name) => site.url + name)].sort());
      assert.deepEqual([once[0]?.type, once.at(-1)?.type], ['crawl.started', 'crawl.completed']);
      assert.deepEqual(new Set(once.map(({ id }) => id)), new Set([body.id]));
      const bytesById = new Map<string, Set<string>>();
      for (const { body: bytes } of receiver.arrivals) {
        const { webhookId } = JSON.parse(bytes) as Sent;
        bytesById.set(webhookId, (bytesById.get(webhookId) ?? new Set()).add(bytes));
      }
      assert.ok(
        [...bytesById.values()].every(({ size }) => size === 1),
        'the same id has the same bytes',
      );
    } finally {
      await kill();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
