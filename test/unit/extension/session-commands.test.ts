import assert from 'node:assert/strict';
import { commands } from '../../../src/extension/ui/ids.ts';
import { fake } from '../../harness/fake-vscode.ts';

const { registerSessionCommands } = await import('../../../src/extension/browser-sessions/session-commands.ts');
const { SessionsStore } = await import('../../../src/extension/browser-sessions/sessions-store.ts');

describe('the command that destroys a session', () => {
  let busy: boolean;
  let runs: { sessionId: string }[];
  let destroyed: string[];
  let stopped: string[];
  let sessions: { store: ReturnType<typeof store>; destroy(session: { id: string }): Promise<unknown> };
  let registered: { dispose(): unknown };
  const store = () => {
    const made = new SessionsStore(() => 1_000);
    const session = (id: string, saveChanges?: boolean) =>
      made.addCreated({ id } as never, saveChanges === undefined ? {} : { profile: { name: 'shop', saveChanges } });
    session('plain');
    session('saved', true);
    session('unsaved', false);
    return made;
  };
  beforeEach(() => {
    fake.reset();
    busy = false;
    runs = [];
    destroyed = [];
    stopped = [];
    sessions = { store: store(), destroy: async ({ id }) => destroyed.push(id) };
    registered = registerSessionCommands({
      sessions,
      runs: { store: { runs }, isBusy: () => busy, stopAll: (id: string) => stopped.push(id) },
      log: { error: () => undefined, info: () => undefined },
    } as never);
  });
  afterEach(() => {
    registered.dispose();
    fake.reset();
  });
  const destroy = (sessionId: string) => fake.run(commands.destroyBrowserSession, { sessionId });

  it('acts at once if nothing is lost', async () => {
    await destroy('plain');
    await destroy('saved');
    assert.deepEqual(destroyed, ['plain', 'saved']);
    assert.deepEqual(fake.messages, []);
  });

  it('ends the interaction with a scrape, which closes its session', async () => {
    fake.result = (id, sessionId) => id === commands.endInteraction && sessionId === 'plain';
    await destroy('plain');
    await destroy('saved');
    assert.deepEqual(destroyed, ['saved']);
  });

  it('leaves it before it closes, so that no code runs in it, and returns to it if that fails', async () => {
    const { store } = sessions;
    const current: (string | undefined)[] = [];
    fake.result = () => void current.push(store.currentId);
    store.use('saved');
    await destroy('plain');
    await destroy('saved');
    assert.deepEqual([...current, store.currentId], ['saved', undefined, undefined]);
    store.use('plain');
    sessions.destroy = () => Promise.reject(new Error('busy'));
    await destroy('plain');
    assert.equal(store.currentId, 'plain');
  });

  it('asks if code has run in it, unless its changes are saved to a profile', async () => {
    runs.push({ sessionId: 'plain' }, { sessionId: 'saved' });
    await destroy('plain');
    assert.deepEqual(destroyed, []);
    assert.match(fake.messages.join(), /Destroy session .*\?\nIts tabs, variables and logins will be lost/);
    await destroy('saved');
    assert.deepEqual(destroyed, ['saved']);
  });

  it('asks if a page of a site is open in it, whoever opened it, unless its changes are saved to a profile', async () => {
    const page = { url: 'https://shop.test/account', title: 'Account' };
    const shop = { profile: { name: 'shop', saveChanges: true } };
    sessions.store.addCreated({ id: 'by-hand', page } as never, {});
    sessions.store.addCreated({ id: 'kept', page } as never, shop);
    // Servers may not say whether they save, which is their default.
    sessions.store.addCreated({ id: 'unsaid', page, profile: { name: 'shop' } } as never, {});
    sessions.store.addCreated({ id: 'empty', page: { url: 'about:blank', title: '' } } as never, {});
    await destroy('by-hand');
    assert.deepEqual(destroyed, []);
    assert.match(fake.messages.join(), /Destroy session Account\?\nIts tabs and logins will be lost/);
    for (const id of ['kept', 'unsaid', 'empty']) await destroy(id);
    assert.deepEqual(destroyed, ['kept', 'unsaid', 'empty']);
  });

  it('asks if changes are not saved to the profile', async () => {
    await destroy('unsaved');
    assert.deepEqual(destroyed, []);
    assert.match(fake.messages.join(), /Destroy session .*\?\nChanges .* won't be saved to profile shop/);
    fake.answer = () => 'Destroy';
    await destroy('unsaved');
    assert.deepEqual(destroyed, ['unsaved']);
  });

  it('asks if code is running, which it then stops', async () => {
    busy = true;
    await destroy('plain');
    assert.deepEqual([destroyed, stopped], [[], []]);
    assert.match(fake.messages.join(), /Code is running in session/);
    fake.answer = () => 'Destroy';
    await destroy('plain');
    assert.deepEqual([destroyed, stopped], [['plain'], ['plain']]);
  });
});
