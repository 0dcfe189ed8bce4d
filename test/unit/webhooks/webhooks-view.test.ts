import assert from 'node:assert/strict';
import { byteSize } from '../../../src/extension/ui/text/text.ts';
import {
  deliveryTexts,
  forwardingTexts,
  refusedText,
  secretText,
  timeOf,
  viewMessage,
} from '../../../src/extension/webhooks/delivery-texts.ts';
import type { DeliverySummary } from '../../../src/extension/webhooks/receiver/deliveries.ts';
import { WebhookSecrets } from '../../../src/extension/webhooks/verification/webhook-secrets.ts';
import { WebhooksStore } from '../../../src/extension/webhooks/webhooks-store.ts';

const now = new Date(2026, 0, 15, 10, 2, 11).getTime();

function delivery(fields: Partial<DeliverySummary> = {}): DeliverySummary {
  return {
    num: 1,
    webhookId: 'w',
    receivedAt: now,
    type: 'crawl.page',
    jobId: '3f2a91bc-0000',
    success: true,
    error: undefined,
    verification: 'verified',
    size: 1234,
    pageUrl: 'https://shop.test/pricing?x=1',
    pages: 1,
    hasMarkdown: true,
    repeats: 0,
    conflicts: 0,
    forwardings: [],
    ...fields,
  };
}

describe('the rows of the Webhooks view', () => {
  it('show kind, page, job, time and whether the delivery is genuine', () => {
    const texts = deliveryTexts(delivery(), now);
    assert.equal(texts.label, 'crawl.page');
    assert.equal(texts.description, '/pricing?x=1 · job 3f2a · 10:02:11 · verified');
    const other = deliveryTexts(
      delivery({ success: false, verification: 'unverified', pageUrl: undefined, conflicts: 1 }),
      now,
    );
    assert.equal(other.description, 'failed · job 3f2a · 10:02:11 · unverified · received again with a different body');
  });

  it('show everything from a sender as plain text', () => {
    const texts = deliveryTexts(
      delivery({
        type: '$(zap) <b>\u202e\n[x](command:y)',
        jobId: '\u0000',
        error: '$(x)\nline',
        pageUrl: 'javascript:alert(1)',
      }),
      now,
    );
    for (const text of Object.values(texts)) assert.doesNotMatch(text.replaceAll('\0', '$('), /\$\(|\u202e/);
    assert.doesNotMatch(texts.label, /\n/);
  });

  it("show the handler's result", () => {
    const forwarding = {
      num: 1,
      at: now,
      url: 'http://localhost:3000/',
      edited: true,
      status: 202,
      error: undefined,
      ms: 12.3,
    };
    assert.match(deliveryTexts(delivery({ forwardings: [forwarding] }), now).description, / · → 202$/);
    assert.deepEqual(
      [forwardingTexts(forwarding, now).label, forwardingTexts(forwarding, now).description],
      ['202', '12 ms · edited · 10:02:11 · http://localhost:3000/'],
    );
    const failed = { ...forwarding, status: undefined, error: 'connection refused' };
    assert.equal(forwardingTexts(failed, now).label, 'connection refused');
  });

  it('give times, sizes and states as text', () => {
    assert.equal(timeOf(now, now), '10:02:11');
    assert.equal(timeOf(now, now + 24 * 3600_000), '15 Jan 2026, 10:02:11');
    assert.deepEqual(
      [byteSize(820), byteSize(1234), byteSize(10_240), byteSize(1_234_567)],
      ['820 B', '1.2 kB', '10 kB', '1.2 MB'],
    );
    assert.match(secretText('none'), /aren't verified/);
    assert.equal(
      refusedText({ count: 2, error: 'no', host: 'a.test', status: 403 }),
      '2 requests refused: no (a.test)',
    );
    assert.equal(
      viewMessage({ state: { kind: 'failed', message: 'taken' }, deliveries: [], jobId: undefined }),
      'taken',
    );
  });
});

describe('the store of the Webhooks view', () => {
  it('counts deliveries that arrived while the view was hidden', () => {
    const store = new WebhooksStore();
    const news = (arrived: number) => store.applyUpdate({ arrived, conflicts: [], failures: [], refused: undefined });
    news(2);
    news(1);
    assert.equal(store.shown.unseen, 3);
    store.setVisible(true);
    news(5);
    assert.equal(store.shown.unseen, 0);
    store.setVisible(false);
    news(1);
    assert.equal(store.shown.unseen, 1);
  });

  it('returns to the newest when another job is shown', () => {
    const store = new WebhooksStore();
    store.showMore();
    assert.equal(store.shown.limit, 200);
    store.show('job');
    assert.deepEqual([store.shown.limit, store.shown.jobId], [100, 'job']);
  });

  it('forwards nothing automatically without a handler', () => {
    const store = new WebhooksStore();
    store.setHandler(undefined, true);
    assert.equal(store.shown.forwardsNew, false);
    store.setHandler('http://localhost:1/', true);
    assert.equal(store.shown.forwardsNew, true);
  });
});

describe('webhook secrets', () => {
  function keyring(works = true) {
    const kept = new Map<string, string>();
    const fail = () => Promise.reject(new Error('no keyring, and secret-value in it'));
    return {
      kept,
      get: async (key: string) => (works ? kept.get(key) : fail()),
      store: async (key: string, value: string) => (works ? void kept.set(key, value) : fail()),
      delete: async (key: string) => void kept.delete(key),
      onDidChange: () => ({ dispose: () => undefined }),
      keys: async () => [...kept.keys()],
    };
  }

  it('keep the previous one until it is dropped', async () => {
    const secrets = new WebhookSecrets(keyring(), () => undefined);
    assert.deepEqual(await secrets.get(), { current: undefined, old: undefined, declined: false });
    await secrets.replace('one');
    await secrets.replace('two');
    assert.deepEqual(await secrets.get(), { current: 'two', old: 'one', declined: false });
    await secrets.replace('two');
    assert.equal((await secrets.get()).old, 'one');
    await secrets.removeOld();
    assert.deepEqual(await secrets.get(), { current: 'two', old: undefined, declined: false });
    await secrets.remove();
    assert.deepEqual(await secrets.get(), { current: undefined, old: undefined, declined: true });
  });

  it('last as long as the window without a keyring, and are never logged', async () => {
    const warnings: string[] = [];
    const secrets = new WebhookSecrets(keyring(false), (text) => warnings.push(text));
    await secrets.replace('secret-value');
    assert.equal((await secrets.get()).current, 'secret-value');
    assert.ok(warnings.length > 0);
    assert.doesNotMatch(warnings.join(), /secret-value/);
  });

  it('are empty if the stored value is damaged', async () => {
    const ring = keyring();
    for (const damaged of ['{', 'null', '7', '{"current":7,"old":{}}', '{"current":"  "}']) {
      ring.kept.set('webdata.webhookSecrets', damaged);
      assert.equal((await new WebhookSecrets(ring, () => undefined).get()).current, undefined, damaged);
    }
  });
});
