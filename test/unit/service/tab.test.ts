import assert from 'node:assert/strict';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { attachTab } from '../../../src/service/browsers/page/tab.ts';
import { lookAt } from '../../../src/service/web/scrape/render/scroll-down.ts';

describe('a look at a page', () => {
  /** Attaches to a tab whose evaluations end like this, one after another. Returns it with the worlds that they were in. */
  async function tabWith(...outcomes: (string | Error)[]) {
    let worlds = 0;
    const seen: unknown[] = [];
    const sent: string[] = [];
    const network: unknown[] = [];
    const send = async (method: string, params?: { contextId?: number; expression?: string }) => {
      sent.push(method);
      if (method === 'Network.enable') network.push(params);
      if (method === 'Target.attachToTarget') return { sessionId: 'session' };
      if (method === 'Page.createIsolatedWorld') return { executionContextId: ++worlds };
      if (method !== 'Runtime.evaluate') return {};
      seen.push([params?.contextId, params?.expression]);
      const outcome = outcomes.shift();
      if (typeof outcome !== 'string') throw outcome;
      return { result: { value: outcome } };
    };
    const client = { send, on: () => () => undefined } as unknown as CdpClient;
    return { tab: await attachTab(client, 'target', { close: async () => undefined }), seen, sent, network };
  }

  it('hears of requests without long bodies that pages send, which a flood of them would repeat (F19)', async () => {
    const { network } = await tabWith();
    assert.deepEqual(network, [{ maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 10_000 }]);
  });

  const left = (problem: string) => new Error(`Runtime.evaluate: ${problem}`);

  it('is taken again in the next page when the page is left, also for one of another process', async () => {
    for (const problem of [
      'Cannot find context with specified id',
      'Execution context was destroyed.',
      'Inspected target navigated or closed',
    ]) {
      const { tab, seen } = await tabWith(left(problem), 'next');
      assert.equal(await tab.look('1'), 'next', problem);
      assert.deepEqual(seen, [
        [1, '1'],
        [2, '1'],
      ]);
    }
  });

  it('that waits begins anew in the next page, as it says at that time, and holds none', async () => {
    const gone = left('Execution context was destroyed.');
    const { tab, seen } = await tabWith(gone, 'next');
    let tries = 0;
    assert.equal(await tab.wait(() => String(++tries)), 'next');
    assert.deepEqual(seen, [
      [1, '1'],
      [2, '2'],
    ]);
    const restless = await tabWith(...Array.from({ length: 20 }, () => gone), 'never');
    await assert.rejects(
      restless.tab.wait(() => '1'),
      { message: /^The page was loaded again and again/, cause: gone },
    );
    assert.equal(restless.tab.timesHeld(), 0);
  });

  it('succeeds on a page that reloads without end, which is then not scrolled', async () => {
    const gone = left('Cannot find context with specified id');
    const looks = await tabWith(...Array.from({ length: 9 }, () => gone), 'seen');
    assert.equal(await looks.tab.look('1'), 'seen');
    assert.equal(looks.tab.timesHeld(), 0);
    assert.equal(await lookAt((await tabWith(gone)).tab, true), undefined);
  });

  it('holds a page that leaves no time for it', async () => {
    const gone = left('Inspected target navigated or closed');
    const { tab, sent } = await tabWith(...Array.from({ length: 12 }, () => gone), 'seen');
    assert.equal(await tab.look('1'), 'seen');
    assert.equal(tab.timesHeld(), 1);
    assert.deepEqual(
      sent.filter((method) => /^(Fetch|Target)\./.test(method)),
      ['Target.attachToTarget', 'Target.attachToTarget', 'Fetch.enable', 'Target.detachFromTarget'],
    );
  });

  it('fails when pages are left although they are held, and with what an expression throws', async () => {
    const gone = left('Inspected target navigated or closed');
    await assert.rejects((await tabWith(...Array.from({ length: 30 }, () => gone), 'never')).tab.look('1'), {
      message: "The page was loaded again and again, so it couldn't be read.",
      cause: gone,
    });
    const thrown = new Error('Error: Execution context was destroyed');
    await assert.rejects((await tabWith(thrown, 'never')).tab.look('1'), thrown);
  });
});
