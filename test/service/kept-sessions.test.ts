import assert from 'node:assert/strict';
import { ServiceLink } from '../../src/extension/connection/embedded/link.ts';
import { eventually } from '../harness/eventually.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { chosenBrowsers, startTestService, type TestService } from '../harness/service.ts';

interface Listed {
  id: string;
  activityTtl: number;
  expiresAt: string;
}

describe('sessions that outlive the last window', () => {
  const clock = createFakeClock();
  const done: string[] = [];
  let service: TestService;
  afterEach(async () => await service.close());

  const start = async (keepMinutes: number) => {
    service = await startTestService({
      ...chosenBrowsers,
      linked: true,
      keepMinutes,
      clock,
      onDone: (reason) => done.push(reason),
    });
  };
  const openWindow = () => ServiceLink.open({ port: service.port, apiKey: service.apiKey, window: 'test' });
  const active = async () =>
    (await service.call<{ sessions: Listed[] }>('GET', '/v2/browser?status=active')).body.sessions;
  const advance = (minutes: number) => {
    for (let left = minutes; left > 0; left--) clock.advance(60_000);
  };

  it('are kept for so many minutes with their service, and found by the next window', async () => {
    await start(50);
    const window = await openWindow();
    const create = async (body: object) => (await service.call<Listed>('POST', '/v2/browser', body)).body.id;
    const [kept, own] = [await create({}), await create({ ttl: 900 })];
    await service.call('POST', `/embedded/browser/${kept}/renew`, { ttl: 900, activityTtl: 900 });
    const sees = (ttl: number) =>
      eventually(async () => assert.equal((await active()).find(({ id }) => id === kept)?.activityTtl, ttl));
    await sees(900);
    window.close();
    await sees(3000);
    advance(49);
    assert.deepEqual(
      (await active()).map(({ id }) => id),
      [kept],
      `${own} had a time of its own`,
    );
    assert.deepEqual(done, []);
    const before = (await active())[0]?.expiresAt;
    const next = await openWindow();
    next.close();
    await eventually(async () => assert.notEqual((await active())[0]?.expiresAt, before));
    advance(49);
    assert.deepEqual(done, []);
    advance(2);
    assert.deepEqual(done, ['the last window closed']);
  });

  it('are not kept unless asked for', async () => {
    done.length = 0;
    await start(0);
    const window = await openWindow();
    await service.call('GET', '/v2/browser');
    window.close();
    await eventually(() => {
      clock.advance(10_000);
      assert.deepEqual(done, ['the last window closed']);
    });
  });
});
