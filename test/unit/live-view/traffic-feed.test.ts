import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { ApiError } from '../../../src/client/errors.ts';
import { TrafficFeed } from '../../../src/extension/live-view/traffic/feed.ts';

/** A feed of a server whose responses and clock the test controls. */
function startFeed() {
  const state = { visible: true, session: 'one', ended: false, failure: undefined as Error | undefined };
  const asked: string[] = [];
  const shown: string[] = [];
  const waits: { ms: number; call(): void }[] = [];
  const answer = async (name: string, request: { params: { sessionId: string }; query: { since: number } }) => {
    asked.push(`${name} ${request.params.sessionId} since ${request.query.since}`);
    if (state.failure) throw state.failure;
    return request.query.since + 1;
  };
  const client = {
    listConsole: async (request: never) => {
      const cursor = await answer('console', request);
      return { success: true, cursor, dropped: 0, entries: [{ id: `c${cursor}` }] };
    },
    listNetwork: async (request: never) => {
      const cursor = await answer('network', request);
      return { success: true, cursor, dropped: 0, requests: [{ id: `r${cursor}` }] };
    },
  };
  const feed = new TrafficFeed({
    client: async () => client as never,
    sessionId: () => state.session,
    ended: () => state.ended,
    visible: () => state.visible,
    show: ({ fresh, lines, requests }) =>
      shown.push([fresh ? 'fresh' : 'more', ...[...lines, ...requests].map(({ id }) => id)].join(' ')),
    showState: (text) => text && shown.push(text),
    after: (ms, call) => {
      const wait = { ms, call };
      waits.push(wait);
      return () => void (waits.includes(wait) && waits.splice(waits.indexOf(wait), 1));
    },
  });
  const pass = async () => {
    for (const { call } of waits.splice(0)) call();
    await turn();
  };
  return { feed, state, asked, shown, waits, pass };
}

const failure = (status: number) =>
  new ApiError({ method: 'GET', path: '/' } as never, { status, sentence: `It failed with ${status}.` } as never);

describe('the feed of the console and the network', () => {
  it('asks once a second for what is new, only while a list is shown', async () => {
    const { feed, state, asked, shown, waits, pass } = startFeed();
    feed.update();
    await turn();
    assert.deepEqual(asked, []);
    feed.watch('console');
    await turn();
    assert.deepEqual(shown, ['fresh', 'more c1']);
    assert.deepEqual(
      waits.map(({ ms }) => ms),
      [1000],
    );
    feed.update();
    await pass();
    assert.deepEqual(asked, ['console one since 0', 'console one since 1']);
    state.visible = false;
    feed.update();
    assert.equal(waits.length, 0);
    state.visible = true;
    feed.update();
    await turn();
    assert.equal(asked.at(-1), 'console one since 2');
    feed.watch('network');
    await turn();
    assert.equal(asked.at(-1), 'network one since 0');
    feed.watch(null);
    await pass();
    assert.equal(asked.length, 4);
  });

  it('starts anew with another session', async () => {
    const { feed, state, asked, shown } = startFeed();
    feed.watch('console');
    await turn();
    state.session = 'two';
    feed.update();
    await turn();
    assert.deepEqual(asked, ['console one since 0', 'console two since 0']);
    assert.deepEqual(shown.slice(2), ['fresh', 'more c1']);
  });

  it('says that a server has no such lists, and asks no more', async () => {
    const { feed, state, shown, waits } = startFeed();
    state.failure = failure(404);
    feed.watch('network');
    await turn();
    assert.equal(shown.at(-1), "This server doesn't record the console and the network of sessions.");
    assert.equal(waits.length, 0);
  });

  it('waits longer after each failure', async () => {
    const { feed, state, shown, waits, pass } = startFeed();
    state.failure = failure(500);
    feed.watch('network');
    await turn();
    assert.match(shown.at(-1) ?? '', /It failed with 500/);
    assert.equal(waits[0]?.ms, 2000);
    await pass();
    assert.equal(waits[0]?.ms, 4000);
    state.failure = undefined;
    await pass();
    assert.equal(waits[0]?.ms, 1000);
  });

  it('ends with its session, without a message', async () => {
    const { feed, state, shown, waits, pass } = startFeed();
    feed.watch('console');
    await turn();
    Object.assign(state, { ended: true, failure: failure(410) });
    await pass();
    assert.deepEqual(shown, ['fresh', 'more c1']);
    assert.equal(waits.length, 0);
  });
});
