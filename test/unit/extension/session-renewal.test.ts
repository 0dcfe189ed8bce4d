import assert from 'node:assert/strict';
import { renewedActivityTtl } from '../../../src/contract/limits.ts';
import {
  type ChosenLife,
  type Life,
  Renewal,
  storedSessions,
} from '../../../src/extension/browser-sessions/expiry/renewal.ts';
import { optionsOfSession } from '../../../src/extension/browser-sessions/session-options.ts';
import { sessionTexts } from '../../../src/extension/browser-sessions/session-texts.ts';
import { idleLimit, SessionsStore } from '../../../src/extension/browser-sessions/sessions-store.ts';
import { statusTexts } from '../../../src/extension/connection/status-bar/status-texts.ts';

const start = Date.UTC(2026, 0, 15, 12);

/** A window that renews sessions of a server that is played by a function, on a clock that the test sets. */
function windowOf(options: { remembered?: Map<string, ChosenLife>; fails?: boolean } = {}) {
  let now = start;
  let idle = 1800;
  const timers = new Set<{ at: number; callback: () => void }>();
  const store = new SessionsStore(() => now);
  const renewed: [id: string, life: Life][] = [];
  const failures: unknown[] = [];
  const stored: [string, ChosenLife][][] = [];
  const renewal = new Renewal({
    store,
    renew: async (id, life) => {
      renewed.push([id, life]);
      if (options.fails) throw new Error('no credits');
      return { expiresAt: new Date(now + life.ttl * 1000).toISOString(), activityTtl: life.activityTtl ?? 300 };
    },
    idleSeconds: () => idle,
    remembered: options.remembered ?? new Map(),
    remember: (created) => stored.push([...created]),
    onFailure: (_session, error) => failures.push(error),
    now: () => now,
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  return {
    store,
    renewal,
    renewed,
    failures,
    stored,
    timers,
    setIdle: (seconds: number) => {
      idle = seconds;
    },
    create(id: string, chosen: ChosenLife = {}) {
      renewal.created(id, chosen);
      store.addCreated({ id, expiresAt: new Date(now + 600_000).toISOString() }, chosen);
    },
    async pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + 60_000);
        for (const timer of [...timers].filter(({ at }) => at <= now)) {
          timers.delete(timer);
          timer.callback();
        }
        await new Promise(setImmediate);
      }
    },
    get now() {
      return now;
    },
  };
}

describe('a session of the window', () => {
  it('is renewed every minute while the window is open, and has no deadline', async () => {
    const window = windowOf();
    window.create('a');
    await window.pass(3 * 60 * 60_000);
    assert.equal(window.renewed.length, 1 + 180);
    assert.deepEqual(window.renewed.at(-1), ['a', { ttl: 1920, activityTtl: 1800 }]);
    const session = window.store.find('a');
    assert.ok(session && (session.expiresAt ?? 0) > window.now);
    const texts = sessionTexts(session, { now: window.now, current: true, busy: false, several: false });
    assert.equal(texts.description, 'closes after 30 min idle');
    assert.match(texts.tooltip, /closes after 30 min idle/);
    window.renewal.dispose();
    assert.equal(window.timers.size, 0);
  });

  it('is also renewed while this window uses it if another created it, and only then', async () => {
    const window = windowOf();
    window.store.setList([{ id: 'a' }, { id: 'b' }]);
    await window.pass(120_000);
    assert.deepEqual(window.renewed, []);
    window.store.use('a');
    // This window must not set its idle time.
    assert.deepEqual(window.renewed, [['a', { ttl: 1920 }]]);
    window.store.use(undefined);
    const { length } = window.renewed;
    await window.pass(300_000);
    assert.equal(window.renewed.length, length);
  });

  it('keeps an explicitly set end and idle time', async () => {
    const window = windowOf();
    window.create('a', { ttl: 90 });
    await window.pass(120_000);
    assert.deepEqual(window.renewed, []);
    window.create('b', { activityTtl: 20 });
    assert.deepEqual(window.renewed, [['b', { ttl: 900, activityTtl: 20 }]]);
    assert.deepEqual(window.renewal.chosen('a'), { ttl: 90 });
  });

  it('is renewed again after a reload, and immediately when the setting changes', async () => {
    const window = windowOf({ remembered: storedSessions([['a', {}], ['b', { ttl: 90 }], 'c', [1, {}], ['d', null]]) });
    window.store.setList(['a', 'b', 'c', 'd'].map((id) => ({ id })));
    assert.deepEqual(window.renewed, [['a', { ttl: 1920, activityTtl: 1800 }]]);
    window.setIdle(7200);
    window.renewal.renewAll();
    assert.deepEqual(window.renewed.at(-1), ['a', { ttl: 3600, activityTtl: 7200 }]);
    window.create('e');
    assert.deepEqual(window.stored.at(-1), [
      ['a', {}],
      ['b', { ttl: 90 }],
      ['e', {}],
    ]);
  });

  it('stays open however long it is idle when the idle time is 0', async () => {
    const window = windowOf();
    window.setIdle(0);
    window.create('a');
    await window.pass(60_000);
    assert.deepEqual(window.renewed.at(-1), ['a', { ttl: 3600, activityTtl: renewedActivityTtl.max }]);
    const session = window.store.find('a');
    assert.ok(session);
    const texts = sessionTexts(session, { now: window.now, current: true, busy: false, several: false });
    assert.equal(texts.description, 'active');
    assert.match(texts.tooltip, /^Stays open while this window uses it$/m);
    assert.equal(idleLimit(session), undefined);
  });

  it('shows its end if it can no longer be renewed', async () => {
    const window = windowOf({ fails: true });
    window.store.setList([
      { id: 'a', renewed: true, activityTtl: 1800, expiresAt: new Date(start + 660_000).toISOString() },
    ]);
    window.store.use('a');
    const words = () => {
      const session = window.store.find('a');
      assert.ok(session);
      return sessionTexts(session, { now: window.now, current: true, busy: false, several: false }).description;
    };
    assert.equal(words(), 'closes after 30 min idle');
    await window.pass(120_000);
    assert.equal(words(), '9:00');
    assert.equal(window.failures.length, 3);
  });

  it('passes its times on to the window that creates another like it', () => {
    const store = new SessionsStore(() => start);
    store.setList([{ id: 'a', ttl: 600, activityTtl: 1800, renewed: true, profile: { name: 'shop' } }]);
    const session = store.find('a');
    assert.ok(session);
    assert.deepEqual(optionsOfSession(session), { profile: { name: 'shop', saveChanges: true } });
  });

  it('counts down in the status bar only if it has a deadline', () => {
    const source = { target: { kind: 'embedded' as const }, activity: undefined, trouble: undefined };
    const session = { shortId: '3f2a', name: 'shop', busy: false };
    const open = statusTexts({ ...source, session: { ...session, expiresAt: undefined, idleSeconds: 1800 } }, start);
    assert.doesNotMatch(open.text, /\d:\d\d/);
    assert.match(open.spoken, /closes after 30 min idle$/);
    const ends = statusTexts({ ...source, session: { ...session, expiresAt: start + 521_000 } }, start);
    assert.match(ends.text, /8:41/);
  });

  it('stays known as ended when the server no longer lists it', () => {
    const store = new SessionsStore(() => start);
    store.addCreated({ id: 'a' });
    store.setList([{ id: 'b' }]);
    assert.deepEqual([store.current, store.endedCurrent?.id], [undefined, 'a']);
    store.setList([]);
    assert.equal(store.endedCurrent?.id, 'a');
  });
});
