import assert from 'node:assert/strict';
import { sessionTexts, stateMessage } from '../../../src/extension/browser-sessions/session-texts.ts';
import { SessionsStore } from '../../../src/extension/browser-sessions/sessions-store.ts';

const now = Date.UTC(2026, 0, 15, 12);
const iso = (offset: number) => new Date(now + offset).toISOString();

function store(): SessionsStore {
  return new SessionsStore(() => now);
}

describe('the sessions of the target', () => {
  it('are listed active ones first, newest first', () => {
    const sessions = store();
    sessions.setList([
      { id: 'old', status: 'active', createdAt: iso(-5000) },
      { id: 'gone', status: 'destroyed', createdAt: iso(-1000), endedAt: iso(-500) },
      { id: 'new', status: 'active', createdAt: iso(-2000) },
    ]);
    assert.deepEqual(
      sessions.sessions.map(({ id }) => id),
      ['new', 'old', 'gone'],
    );
  });

  it("aren't listed if they ended long ago", () => {
    const sessions = store();
    sessions.setList([{ id: 'gone', status: 'destroyed', createdAt: iso(-9e6), endedAt: iso(-8e6) }]);
    assert.deepEqual(sessions.sessions, []);
  });

  it('use the created one as the current one until it ends', () => {
    const sessions = store();
    sessions.addCreated({ id: 'abc1', cdpUrl: 'ws://x', liveViewUrl: '', expiresAt: iso(600_000) });
    assert.equal(sessions.current?.id, 'abc1');
    assert.equal(sessions.current?.liveViewUrl, undefined);
    sessions.markEnded('abc1', 'ended');
    assert.equal(sessions.current, undefined);
  });

  it('stay ended in a list from before their end, and then show what the list says about it', () => {
    const sessions = store();
    sessions.setList([{ id: 'a' }, { id: 'b', status: 'paused' }]);
    sessions.markEnded('a', 'ended');
    sessions.setList([{ id: 'a' }, { id: 'b' }]);
    assert.deepEqual(
      sessions.active.map(({ id }) => id),
      ['b'],
    );
    sessions.setList([{ id: 'a', status: 'destroyed', endedAt: iso(-1000), endReason: 'expired' }]);
    assert.deepEqual([sessions.find('a')?.endReason, sessions.find('a')?.endedAt], ['expired', now - 1000]);
  });

  it('keep one that was created after a list was asked for, which may lack it', () => {
    const sessions = store();
    sessions.setList([{ id: 'a' }]);
    const { ids } = sessions;
    sessions.addCreated({ id: 'abc1' });
    sessions.setList([{ id: 'a' }], ids);
    assert.deepEqual([sessions.current?.id, sessions.active.length], ['abc1', 2]);
    sessions.setList([{ id: 'a' }]);
    assert.deepEqual([sessions.current, sessions.endedCurrent?.id], [undefined, 'abc1']);
  });

  it('are put in order once for all rows, and again when any of them changes', () => {
    const sessions = store();
    const order = () => sessions.active.map(({ id }) => id);
    sessions.setList([
      { id: 'old', createdAt: iso(-2000), lastActivity: iso(-1000), activityTtl: 60 },
      { id: 'new', createdAt: iso(-1000) },
    ]);
    assert.equal(sessions.active, sessions.active);
    assert.deepEqual(order(), ['new', 'old']);
    sessions.addCreated({ id: 'own' });
    assert.deepEqual(order(), ['own', 'new', 'old']);
    sessions.touch('old');
    assert.equal(sessions.active[2]?.idleAt, now + 60_000);
    sessions.setExpiry('new', iso(5000));
    assert.equal(sessions.active[1]?.expiresAt, now + 5000);
    sessions.setLife('own', { expiresAt: iso(9000), activityTtl: 60 });
    assert.equal(sessions.active[0]?.renewed, true);
    sessions.markEnded('new', 'ended');
    assert.deepEqual(order(), ['own', 'old']);
    sessions.setList([{ id: 'other' }]);
    assert.deepEqual(order(), ['other']);
  });

  it('drop the current one when the server no longer lists it', () => {
    const sessions = store();
    sessions.addCreated({ id: 'abc1' });
    sessions.setList([]);
    assert.equal(sessions.current, undefined);
  });

  it('keep the name of their page when they end', () => {
    const sessions = store();
    sessions.setList([{ id: 'a', page: { url: 'https://shop.test/', title: 'The Shop' } }]);
    sessions.setList([{ id: 'a', status: 'destroyed', endedAt: iso(0) }]);
    assert.equal(sessions.find('a')?.name, 'The Shop');
  });

  it('can be cleared once they ended, and later ended ones are shown', () => {
    const list = [
      { id: 'one', status: 'destroyed', endedAt: iso(-500) },
      { id: 'two', status: 'active', createdAt: iso(-500) },
    ];
    const sessions = store();
    sessions.setList(list);
    const cleared = sessions.clearEnded();
    assert.deepEqual([cleared, sessions.ended, sessions.active.length], [['one'], [], 1]);
    const reloaded = new SessionsStore(() => now, cleared);
    reloaded.setList(list);
    reloaded.markEnded('two', 'ended');
    assert.deepEqual(
      reloaded.ended.map(({ id }) => id),
      ['two'],
    );
  });

  it('keep fields that only the response to their creation had', () => {
    const sessions = store();
    sessions.addCreated({ id: 'abc1', cdpUrl: 'ws://x', expiresAt: iso(60_000) });
    sessions.setList([{ id: 'abc1' }]);
    assert.deepEqual([sessions.current?.cdpUrl, sessions.current?.expiresAt], ['ws://x', now + 60_000]);
  });

  it('treat a session without a status as active, and show an unknown one unchanged', () => {
    const sessions = store();
    sessions.setList([{ id: 'a' }, { id: 'b', status: 'paused', createdAt: iso(0) }]);
    assert.deepEqual(
      sessions.sessions.map(({ status }) => status),
      ['active', 'paused'],
    );
  });

  it('treat invalid dates as unknown', () => {
    const sessions = store();
    sessions.setList([{ id: 'a', createdAt: 'yesterday', expiresAt: '0000' }]);
    assert.equal(sessions.active[0]?.createdAt, undefined);
  });

  it("stay, as stale, when the list can't be loaded", () => {
    const sessions = store();
    sessions.setList([{ id: 'a' }]);
    sessions.setState({ kind: 'unreachable', message: 'no answer' });
    assert.equal(sessions.sessions.length, 1);
    const message = stateMessage(sessions.state, { rows: 1, updatedAt: now - 120_000, now });
    assert.equal(message, 'no answer Updated 2 min ago.');
  });
});

describe('a session as text', () => {
  const look = { now, current: true, busy: false, several: true };

  it('is its name and the time left, with its id only in the hover', () => {
    const sessions = store();
    sessions.setList([{ id: '3f2a-91bc', expiresAt: iso(521_000), page: { url: 'https://shop.test/cart' } }]);
    const [session] = sessions.sessions;
    assert.ok(session);
    const texts = sessionTexts(session, look);
    assert.deepEqual([texts.label, texts.description], ['shop.test', '8:41 · current']);
    assert.equal(texts.spoken, 'Session shop.test, 8:41 · current');
    assert.match(texts.tooltip, /3f2a-91bc/);
  });

  it('is named by the title of its page, otherwise by its host, its profile or its time', () => {
    const nameOf = (entry: object) => {
      const sessions = store();
      sessions.setList([{ id: 'a', ...entry }]);
      return sessions.find('a')?.name ?? '';
    };
    const profile = { name: 'ada' };
    assert.equal(nameOf({ profile, page: { url: 'https://shop.test/', title: 'The Shop' } }), 'The Shop');
    for (const title of ['', 'shop.test/cart', null])
      assert.equal(nameOf({ profile, page: { url: 'https://shop.test/cart', title } }), 'shop.test');
    assert.equal(nameOf({ profile, page: { url: 'about:blank', title: 'about:blank' } }), 'ada');
    assert.match(nameOf({ page: { url: 'about:blank', title: '' }, createdAt: iso(0) }), /^Untitled \d\d:\d\d$/);
    assert.equal(nameOf({}), 'Untitled');
  });

  it('gives the reason of its end', () => {
    const description = (ended: object) => {
      const sessions = store();
      sessions.setList([{ id: '91bc', status: 'destroyed', endedAt: iso(-120_000), ...ended }]);
      const [session] = sessions.sessions;
      assert.ok(session);
      return sessionTexts(session, look).description;
    };
    assert.equal(description({ endReason: 'expired' }), '2 min ago · expired');
    const idle = 'closed after 5 min idle';
    assert.equal(description({ endReason: idle }), `2 min ago · ${idle}`);
    assert.equal(description({ endReason: 'destroyed by request' }), '2 min ago · ended (destroyed by request)');
    assert.equal(
      description({ status: 'error', endReason: 'the browser crashed' }),
      '2 min ago · error (the browser crashed)',
    );
    assert.equal(description({}), '2 min ago · ended');
  });

  it("can't imitate other UI, whatever the server sends (EXT-11)", () => {
    const sessions = store();
    sessions.setList([
      { id: '$(x)\n\u202eevil', profile: { name: `$(trash)\n${'x'.repeat(5000)}` }, page: { title: 'a\nb' } },
    ]);
    const [session] = sessions.sessions;
    assert.ok(session);
    const { label, description } = sessionTexts(session, look);
    assert.doesNotMatch(label + description, /\$\(|\n|\u202e/);
    assert.ok(label.length < 60);
  });

  it('shows until when the server limits requests', () => {
    const limited = (until: number) =>
      stateMessage({ kind: 'limited', message: 'Slow down.', until }, { rows: 1, updatedAt: undefined, now });
    const text = 'The server is rate limiting requests.';
    assert.match(limited(now + 60_000) ?? '', new RegExp(`^${text} Retrying at \\d\\d:\\d\\d:\\d\\d\\.$`));
    assert.equal(limited(0), text);
  });

  it('lists in rows where Chrome was searched for, and says in one line that there is none', () => {
    const message = "Couldn't create a session: none was found at /opt/chrome.";
    const line = (searched: string[]) =>
      stateMessage({ kind: 'no-browser', message, searched }, { rows: 0, updatedAt: undefined, now });
    assert.equal(line(['/usr/bin/chromium', '/opt/a b/chrome']), 'No Chrome, Chromium, Edge or Brave was found.');
    assert.equal(line([]), message);
  });
});
