import assert from 'node:assert/strict';
import { warnBeforeExpiry } from '../../../src/extension/browser-sessions/expiry/expiry-timer.ts';
import { sessionDocument } from '../../../src/extension/browser-sessions/session-document.ts';
import { endedSentence, sessionTexts } from '../../../src/extension/browser-sessions/session-texts.ts';
import { SessionsStore } from '../../../src/extension/browser-sessions/sessions-store.ts';

const start = Date.UTC(2026, 0, 15, 12);

/** A store and a warning on a clock that the test sets. */
function watched() {
  let now = start;
  const timers = new Set<{ at: number; callback: () => void }>();
  const store = new SessionsStore(() => now);
  const warned: string[] = [];
  const warning = warnBeforeExpiry({
    store,
    now: () => now,
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    warn: ({ id }) => warned.push(id),
  });
  return {
    store,
    warned,
    warning,
    timers,
    iso: (ms: number) => new Date(start + ms).toISOString(),
    to(ms: number) {
      now = start + ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

describe('the warning before a session ends', () => {
  it('appears once, one minute before the end of the current session', () => {
    const { store, warned, iso, to } = watched();
    store.addCreated({ id: 'a', expiresAt: iso(600_000) });
    to(539_999);
    assert.deepEqual(warned, []);
    to(540_000);
    store.setList([{ id: 'a', expiresAt: iso(600_000) }]);
    to(560_000);
    assert.deepEqual(warned, ['a']);
  });

  it("doesn't appear for other sessions", () => {
    const { store, warned, iso, to } = watched();
    store.addCreated({ id: 'a', expiresAt: iso(600_000) });
    store.addCreated({ id: 'b', expiresAt: iso(900_000) });
    to(600_000);
    assert.deepEqual(warned, []);
    to(840_000);
    assert.deepEqual(warned, ['b']);
  });

  it("doesn't appear for an ended session, or for one that lives at most a minute", () => {
    const { store, warned, iso, to, timers } = watched();
    store.addCreated({ id: 'a', expiresAt: iso(600_000) });
    store.markEnded('a', 'destroyed');
    assert.equal(timers.size, 0);
    store.addCreated({ id: 'b', expiresAt: iso(60_000) });
    to(59_000);
    assert.deepEqual(warned, []);
  });

  it('appears immediately for a session that becomes current in its last minute', () => {
    const { store, warned, iso, to } = watched();
    store.setList([{ id: 'a', createdAt: iso(0), expiresAt: iso(600_000) }]);
    to(570_000);
    store.use('a');
    to(570_000);
    assert.deepEqual(warned, ['a']);
  });

  it("doesn't appear if the machine slept past the end", () => {
    const { store, warned, iso, to } = watched();
    store.addCreated({ id: 'a', expiresAt: iso(600_000) });
    to(700_000);
    assert.deepEqual(warned, []);
  });

  it("doesn't appear without a known end, or after it was disposed", () => {
    const { store, warned, iso, to, timers, warning } = watched();
    store.addCreated({ id: 'a' });
    assert.equal(timers.size, 0);
    store.addCreated({ id: 'b', expiresAt: iso(600_000) });
    warning.dispose();
    to(550_000);
    assert.deepEqual(warned, []);
  });
});

describe("the text of a session's remaining time", () => {
  const look = { now: start, current: true, busy: false, several: false };
  const iso = (ms: number) => new Date(start + ms).toISOString();
  const description = (entry: object, change: Partial<typeof look> = {}) => {
    const store = new SessionsStore(() => start);
    store.setList([{ id: 'a', expiresAt: iso(521_000), ...entry }]);
    const session = store.find('a');
    assert.ok(session);
    return sessionTexts(session, { ...look, ...change }).description;
  };

  it('counts down the idle time if the server reports it', () => {
    const used = { lastActivity: iso(-48_000), activityTtl: 300 };
    assert.equal(description(used), '8:41 · 4:12 if idle');
    assert.equal(description(used, { now: start + 1000 }), '8:40 · 4:11 if idle');
    assert.equal(description(used, { busy: true }), '8:41 · running');
  });

  it("omits the idle time if the server doesn't report it, or if the end comes first", () => {
    assert.equal(description({}), '8:41');
    assert.equal(description({ activityTtl: 300 }), '8:41');
    assert.equal(description({ lastActivity: iso(0) }), '8:41');
    assert.equal(description({ lastActivity: iso(0), activityTtl: 3600 }), '8:41');
    assert.equal(description({ lastActivity: iso(-400_000), activityTtl: 300 }), '8:41');
  });

  it('starts over when code runs in it', () => {
    const store = new SessionsStore(() => start);
    store.setList([{ id: 'a', lastActivity: iso(-200_000), activityTtl: 300 }, { id: 'b' }]);
    store.touch('a');
    store.touch('b');
    assert.deepEqual([store.find('a')?.idleAt, store.find('b')?.idleAt], [start + 300_000, undefined]);
  });

  it('names the profile', () => {
    assert.equal(description({ profile: { name: 'shop', saveChanges: true } }), '8:41 · profile shop');
    assert.equal(description({ profile: { name: 'shop', saveChanges: false } }), '8:41 · profile shop, read-only');
  });
});

describe('the end of a session', () => {
  it('is remembered for the current one until another is used', () => {
    const store = new SessionsStore(() => start);
    const ended = () => store.endedCurrent?.id;
    store.addCreated({ id: 'a' });
    assert.equal(ended(), undefined);
    store.markEnded('a', 'expired');
    assert.deepEqual([store.current, ended()], [undefined, 'a']);
    store.use(undefined);
    assert.equal(ended(), undefined);
  });

  it('gives its duration and cost, as far as the server reports them', () => {
    assert.equal(
      endedSentence('3f2a', { sessionDurationMs: 125_000, creditsBilled: 5 }),
      'Session 3f2a ended after 2:05 min: 5 credits.',
    );
    assert.equal(
      endedSentence('3f2a', { sessionDurationMs: 125_000, creditsBilled: 5 }, true),
      'Session 3f2a ended after 2:05 min: 5 credits, which cost nothing here.',
    );
    assert.equal(endedSentence('3f2a', { creditsBilled: 1 }), 'Session 3f2a ended: 1 credit.');
    assert.equal(endedSentence('3f2a', { sessionDurationMs: null, creditsBilled: null }), 'Session 3f2a ended.');
  });
});

describe('a session as a document', () => {
  const secrets = {
    cdpUrl: 'ws://127.0.0.1:4/cdp/a/canary',
    liveViewUrl: 'http://127.0.0.1:4/live/a/canary',
    interactiveLiveViewUrl: '/live/canary',
  };

  it('has every listed field, unknown ones included, and no secret', () => {
    const store = new SessionsStore(() => start);
    store.setList([
      {
        id: 'a',
        status: 'active',
        ...secrets,
        ttl: 600,
        activityTtl: 300,
        streamWebView: true,
        profile: { name: 'shop', saveChanges: true },
        downloads: '/data/downloads/a',
        page: { url: 'https://shop.test/?q=1', title: 'Shop' },
        region: 'eu',
        debugger: ['wss://host.test/canary'],
        nested: { accessToken: 'canary' },
      },
    ]);
    const session = store.find('a');
    assert.ok(session);
    const text = sessionDocument(session);
    assert.doesNotMatch(text, /canary/);
    const { cdpUrl, interactiveLiveViewUrl, ...rest } = JSON.parse(text);
    assert.match(cdpUrl, /^ws:\/\/127\.0\.0\.1:4\/… \(hidden/);
    assert.match(interactiveLiveViewUrl, /^\(hidden/);
    assert.deepEqual(
      [rest.id, rest.status, rest.ttl, rest.activityTtl, rest.downloads, rest.region, rest.page, rest.profile],
      [
        'a',
        'active',
        600,
        300,
        '/data/downloads/a',
        'eu',
        { url: 'https://shop.test/?q=1', title: 'Shop' },
        { name: 'shop', saveChanges: true },
      ],
    );
  });

  it('is available for a session that was just created or has ended', () => {
    const store = new SessionsStore(() => start);
    store.addCreated({ id: 'a', ...secrets, success: true }, { profile: { name: 'shop', saveChanges: false } });
    store.markEnded('a', 'expired');
    const session = store.find('a');
    assert.ok(session);
    const text = sessionDocument(session);
    assert.doesNotMatch(text, /canary|success/);
    const { status, endReason, profile } = JSON.parse(text);
    assert.deepEqual([status, endReason, profile], ['destroyed', 'expired', { name: 'shop', saveChanges: false }]);
  });
});
