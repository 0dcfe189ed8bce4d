import assert from 'node:assert/strict';
import fc from 'fast-check';
import { webhookDelivery } from '../../src/contract/webhooks/webhooks.ts';
import { fuzz, hostileText, mutated, nearly } from '../harness/fuzzing.ts';
import { deliveryJson, startTestReceiver, type TestReceiver } from '../harness/webhook-receiver.ts';

describe('the webhook receiver', () => {
  let receiver: TestReceiver;
  before(async () => {
    receiver = await startTestReceiver();
  });
  after(() => receiver.close());

  it('stores a delivery or refuses it, whatever is posted', async () => {
    const body = fc.oneof(
      nearly(webhookDelivery, { webhookId: fc.oneof(fc.uuid(), hostileText) }).map((value) =>
        Buffer.from(JSON.stringify(value) ?? ''),
      ),
      mutated(Buffer.from(deliveryJson())),
    );
    const value = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.constantFrom(null, 'sha256=', `sha256=${'0'.repeat(64)}`, 'text/plain', 'gzip'),
    );
    const header = fc.tuple(
      fc.constantFrom('x-service-signature', 'content-type', 'content-encoding', 'host', 'x'),
      value,
    );
    const cases = fc.tuple(body, fc.option(header, { freq: 3 }));
    await fuzz(8, cases, async ([bytes, changed]) => {
      if (changed?.[1] && !/^[\x20-\x7e]*$/.test(changed[1])) return;
      const before = receiver.stored.length;
      const { status } = await receiver.post(bytes, changed ? { [changed[0]]: changed[1] } : {});
      assert.ok(
        [200, 202, 204, 400, 401, 403, 413, 415].includes(status),
        `${status} for ${bytes.toString().slice(0, 300)}`,
      );
      if (status >= 300) assert.equal(receiver.stored.length, before);
    });
    assert.equal((await receiver.post(deliveryJson())).status, 200);
  });
});
