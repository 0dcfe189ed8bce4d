import assert from 'node:assert/strict';
import { createSessionBody, profile as profileSchema } from '../../../src/contract/sessions/sessions.ts';
import {
  knownProfiles,
  optionsOfSession,
  secondsInWords,
  typedSeconds,
} from '../../../src/extension/browser-sessions/session-options.ts';
import { SessionsStore } from '../../../src/extension/browser-sessions/sessions-store.ts';
import { fake } from '../../harness/fake-vscode.ts';

const { overview, typedProfile, typedTime, unsetTimes } = await import(
  '../../../src/extension/browser-sessions/new-session/pick-items.ts'
);

const now = Date.UTC(2026, 0, 15, 12);

describe('the options of a new session', () => {
  it('come from the session that a new one replaces', () => {
    const store = new SessionsStore(() => now);
    const profile = { name: 'shop', saveChanges: false };
    store.setList([{ id: 'a', ttl: 90, activityTtl: 20, profile, streamWebView: false }, { id: 'b' }]);
    const [a, b] = ['a', 'b'].map((id) => store.find(id));
    assert.ok(a && b);
    assert.deepEqual(optionsOfSession(a), { ttl: 90, activityTtl: 20, profile, streamWebView: false });
    assert.deepEqual(optionsOfSession(b), {});
  });

  it('are known for a session that was just created', () => {
    const store = new SessionsStore(() => now);
    const options = { ttl: 90, profile: { name: 'shop', saveChanges: true } };
    assert.deepEqual(optionsOfSession(store.addCreated({ id: 'a' }, options)), options);
  });

  it('are shown with a start item at the top', () => {
    const labels = (options: Parameters<typeof overview>[0], fresh: boolean) =>
      overview(options, fresh, unsetTimes(undefined), false).map(({ label, description }) => [
        label.replace(/^\$\(\S+\) /, ''),
        description,
      ]);
    assert.deepEqual(labels({}, true), [
      ['Start with Defaults', undefined],
      ['Lifetime', 'server default, usually 10 minutes'],
      ['Idle timeout', 'server default, usually 5 minutes'],
      ['Profile', 'none'],
      ['Live view', 'on'],
    ]);
    const changed = { ttl: 90, profile: { name: '$(x)', saveChanges: false }, streamWebView: false };
    assert.deepEqual(labels(changed, false), [
      ['Start with These Options', undefined],
      ['Lifetime', '90 seconds'],
      ['Idle timeout', 'server default, usually 5 minutes'],
      ['Profile', '$\u200a(x)'],
      ['Save changes to the profile', 'no, read-only'],
      ['Live view', 'off'],
    ]);
    const shown = (headed: boolean) => overview({ headed }, false, unsetTimes(30), true).at(-1);
    assert.deepEqual([shown(true)?.description, shown(false)?.description], ['shown on this machine', 'hidden']);
    assert.equal(shown(true)?.value, 'headed');
    const noLimit = 'no limit while the window is open';
    assert.deepEqual(unsetTimes(30), { ttl: noLimit, activityTtl: '30 minutes' });
    assert.deepEqual(unsetTimes(0), { ttl: noLimit, activityTtl: noLimit });
  });

  it('are started with Enter after one was changed', async () => {
    const { askSessionOptions } = await import('../../../src/extension/browser-sessions/new-session/new-session.ts');
    const active: string[] = [];
    const picks = [/Profile/, /No profile/, undefined];
    fake.answer = (kind, shown) => {
      const list = shown as { items: { label: string }[]; activeItems?: { label: string }[] };
      if (kind !== 'list') return undefined;
      const at = list.activeItems?.[0];
      active.push(at?.label ?? '');
      const wanted = picks.shift();
      return { accept: [wanted ? list.items.find(({ label }) => wanted.test(label)) : at] };
    };
    const profiles = async () => [];
    const defaults = { profile: { name: 'shop', saveChanges: true } };
    const options = await askSessionOptions(defaults, profiles, unsetTimes(undefined));
    assert.deepEqual(active, ['$(play) Start with Defaults', '', '$(play) Start with These Options']);
    assert.deepEqual(options, {});
  });
});

describe('an entered time', () => {
  it('is accepted in common formats', () => {
    const times = {
      '90': 90,
      '90s': 90,
      '90 sec': 90,
      '5 min': 300,
      '5m': 300,
      '1 h': 3600,
      '1 hour': 3600,
      '1:30': 90,
    };
    for (const [text, seconds] of Object.entries(times)) assert.equal(typedSeconds(text), seconds, text);
    for (const text of ['', 'soon', '-5', '1.5', '5 days', '1e3', '99999999999'])
      assert.equal(typedSeconds(text), undefined, text);
  });

  it('is shown in words', () => {
    assert.deepEqual([1, 60, 90, 600, 3600, 7200].map(secondsInWords), [
      '1 second',
      '1 minute',
      '90 seconds',
      '10 minutes',
      '1 hour',
      '2 hours',
    ]);
  });

  it('is accepted within the limits of the contract, and rejected with the reason otherwise', () => {
    for (const [step, good, bad] of [
      ['ttl', ['30', '3600'], ['29', '3601', '2 h']],
      ['activityTtl', ['10', '1 h'], ['9', '3601']],
    ] as const) {
      for (const text of good) assert.ok(typedTime(text, step, createSessionBody).value, `${step} ${text}`);
      for (const text of bad) {
        const choice = typedTime(text, step, createSessionBody);
        assert.ok(!('value' in choice), `${step} ${text}`);
        assert.match(choice.description ?? '', /whole number from \d+ to 3,600/);
      }
    }
    assert.ok(!('value' in typedTime('soon', 'ttl', createSessionBody)));
  });
});

describe('an entered profile name', () => {
  it('is accepted up to 128 characters, with an emoji as one', () => {
    for (const name of ['x', '../x', 'CON', '🛒', 'x'.repeat(128), '🛒'.repeat(128)])
      assert.equal(typedProfile(name, profileSchema).value, name);
    for (const name of ['', 'x'.repeat(129), '🛒'.repeat(129)]) {
      const choice = typedProfile(name, profileSchema);
      assert.ok(!('value' in choice), name);
      assert.match(choice.description ?? '', /expected 1 to 128 characters, got/);
    }
  });
});

describe('the profiles to choose from', () => {
  const store = new SessionsStore(() => now);
  store.setList([
    { id: 'a', status: 'active', profile: { name: 'shop', saveChanges: true } },
    { id: 'b', status: 'active', profile: { name: 'read', saveChanges: false } },
    { id: 'c', status: 'destroyed', profile: { name: 'old' }, endedAt: new Date(now - 1000).toISOString() },
  ]);

  it('are the saved ones, those of sessions and the one in the settings, each once', () => {
    const saved = [
      { name: 'shop', savedAt: new Date(now - 120_000).toISOString(), inUse: true },
      { name: 'bank', savedAt: new Date(now - 7_200_000).toISOString(), inUse: false },
    ];
    assert.deepEqual(knownProfiles({ saved, sessions: store.sessions, setting: 'mine', now }), [
      { name: 'shop', description: 'saved 2 min ago · a session saves to it', saved: true },
      { name: 'bank', description: 'saved 2 h ago', saved: true },
      { name: 'read', description: 'used by a session' },
      { name: 'old', description: 'used by a session' },
      { name: 'mine', description: 'from the settings' },
    ]);
  });

  it('say for which sites they keep a login, and until when', () => {
    const noon = (month: number, day: number) => new Date(2026, month - 1, day, 12).toISOString();
    const at = (day: number) => ({ firstExpiry: noon(2, 1), lastExpiry: noon(3, day) });
    const sites = [
      { site: 'a.example', cookies: 2, ...at(2) },
      { site: 'b.example', cookies: 1 },
      { site: 'gone.example', cookies: 1, firstExpiry: noon(1, 1), lastExpiry: noon(1, 2) },
      { site: 'c.example', cookies: 1, firstExpiry: noon(3, 2), lastExpiry: noon(3, 2) },
    ];
    const logins = (all: typeof sites) => {
      const saved = [{ name: 'x', savedAt: '', inUse: false, sites: all }];
      return knownProfiles({ saved, sessions: [], setting: '', now })[0]?.logins;
    };
    const named = 'a.example until 1 Feb 2026 – 2 Mar 2026, b.example, c.example until 2 Mar 2026';
    assert.equal(logins(sites), `Logins: ${named}`);
    assert.equal(logins([...sites, { site: 'd.example', cookies: 1 }]), `Logins: ${named} and 1 more`);
    assert.equal(logins([]), undefined);
  });

  it('are only those of the sessions if the server lists none', () => {
    const names = knownProfiles({ saved: [], sessions: store.sessions, setting: '', now }).map(({ name }) => name);
    assert.deepEqual(names, ['shop', 'read', 'old']);
  });
});
