import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReadiness } from '../../../src/service/platform/http/operations.ts';
import { currentRequestId, inRequest } from '../../../src/service/platform/request-scope.ts';

describe('the readiness of a service', () => {
  it('names why it takes no requests, and never the error of the database', async () => {
    const failing = createReadiness(
      () => Promise.reject(new Error('postgres://me:secret@host')),
      () => undefined,
    );
    assert.equal(await failing(), "The database doesn't answer.");
    const stopping = createReadiness(
      () => Promise.reject(new Error('must not be asked')),
      () => 'The service is stopping.',
    );
    assert.equal(await stopping(), 'The service is stopping.');
  });
  it('asks the database once for probes that come together', async () => {
    let asked = 0;
    const notReady = createReadiness(
      async () => {
        asked++;
        await sleep(1);
      },
      () => undefined,
    );
    assert.deepEqual(await Promise.all([notReady(), notReady(), notReady()]), [undefined, undefined, undefined]);
    assert.equal(asked, 1);
  });
});

describe('the ID of a request in the log', () => {
  it('is that of the request whose work it is, until it is answered', async () => {
    const seen: (string | undefined)[] = [];
    const both = Promise.withResolvers<void>();
    const work = async () => {
      await sleep(1);
      seen.push(currentRequestId());
      await both.promise;
      seen.push(currentRequestId());
    };
    const running: Promise<void>[] = [];
    const ends = ['a', 'b'].map((id) => inRequest(id, () => void running.push(work())));
    assert.equal(currentRequestId(), undefined);
    await sleep(20);
    ends[0]?.();
    both.resolve();
    await Promise.all(running);
    assert.deepEqual(seen.slice(0, 2).sort(), ['a', 'b']);
    assert.deepEqual(seen.slice(2).sort(), ['b', undefined].sort());
  });
});
