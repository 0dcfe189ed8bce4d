import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../../src/extension/ui/ids.ts';
import { eventually } from '../../harness/eventually.ts';
import { CancellationError, fake, Uri } from '../../harness/fake-vscode.ts';

const { registerSessionCommands } = await import('../../../src/extension/browser-sessions/session-commands.ts');
const { UserError } = await import('../../../src/extension/ui/commands.ts');
const { SessionsStore } = await import('../../../src/extension/browser-sessions/sessions-store.ts');

const secret = 'sid-4711';
const content = JSON.stringify({ cookies: [{ name: 'sid', value: secret }], origins: [] });

describe('the commands for logins', () => {
  let folder: string;
  let file: string;
  let isEmbedded: boolean;
  let rejected: number;
  /** Why logins can't be exported. */
  let failure: Error | undefined;
  let sites: { site: string; cookies: number; lastExpiry?: string }[];
  let calls: { name: string; call: unknown }[];
  let logged: string[];
  let registered: { dispose(): unknown };
  let offered: { items: { label: string; description?: string; picked?: boolean }[] }[];
  /** Sites that the user leaves out, and the profile that they type. */
  let leftOut: string[];
  let profile: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'logins-'));
    file = join(folder, 'state.json');
    writeFileSync(file, content);
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    fake.reset();
    failure = undefined;
    [isEmbedded, rejected, calls, logged, offered, leftOut, profile] = [true, 0, [], [], [], [], 'shop'];
    sites = [
      { site: 'a.example', cookies: 1 },
      { site: 'b.example', cookies: 2, lastExpiry: '2031-01-02T12:00:00Z' },
    ];
    const answers = (name: string, answer: () => object) => async (call: unknown) => {
      calls.push({ name, call });
      return { success: true, ...answer() };
    };
    const embedded = {
      readLogin: answers('read', () => ({ sites })),
      importLogin: answers('import', () => ({ cookies: 3, rejected })),
      exportLogin: async (call: unknown) => {
        calls.push({ name: 'export', call });
        if (failure) throw failure;
        return { success: true, state: JSON.parse(content) };
      },
      saveLogin: answers('save', () => ({ cookies: 1, rejected })),
    };
    const store = new SessionsStore(() => 1_000);
    store.addCreated({ id: 'session-1' } as never, {});
    registered = registerSessionCommands({
      sessions: {
        store,
        defaults: {},
        profiles: async () => [
          { name: 'known', description: 'saved', saved: true },
          { name: 'used', description: 'used by a session' },
        ],
        create: async (options: object) => {
          calls.push({ name: 'create', call: options });
          return { id: 'session-2' };
        },
      },
      connection: {
        get target() {
          return { kind: isEmbedded ? 'embedded' : 'server' };
        },
        embedded: async (why: string) => {
          if (!isEmbedded) throw new UserError(why);
          return { embedded };
        },
      },
      liveViews: { open: async (...all: unknown[]) => calls.push({ name: 'open', call: all }) },
      runs: { store: { runs: [] }, isBusy: () => false },
      log: { error: (text: string) => logged.push(text), info: (text: string) => logged.push(text) },
    } as never);
    fake.answer = (kind, shown) => {
      if (kind === 'open') return [Uri.file(file)];
      if (kind === 'pick') {
        const items = shown as (typeof offered)[number]['items'];
        offered.push({ items });
        return items.filter(({ label }) => !leftOut.includes(label));
      }
      if (kind !== 'list') return undefined;
      const input = shown as { items: { value?: unknown }[]; type(text: string): void };
      input.type(profile);
      return { accept: input.items.slice(0, 1) };
    };
  });
  afterEach(() => {
    registered.dispose();
    fake.reset();
  });

  it('import all that a file has into a new profile, with every site picked', async () => {
    await fake.run(commands.importLogin);
    assert.deepEqual(calls, [
      { name: 'read', call: { body: { content } } },
      { name: 'import', call: { body: { name: 'shop', content } } },
    ]);
    const [{ items } = { items: [] }] = offered;
    assert.deepEqual(
      items.map(({ label, picked }) => [label, picked]),
      [
        ['a.example', true],
        ['b.example', true],
      ],
    );
    assert.equal(items[0]?.description, '1 cookie');
    assert.match(items[1]?.description ?? '', /^2 cookies · until .*2031/);
    assert.deepEqual(fake.messages, ['$(check) Login imported into profile shop: 3 cookies.']);
  });

  it('import only the sites that are picked, and nothing if none is', async () => {
    leftOut = ['a.example'];
    await fake.run(commands.importLogin);
    assert.deepEqual(calls.at(-1), { name: 'import', call: { body: { name: 'shop', content, sites: ['b.example'] } } });
    leftOut = ['a.example', 'b.example'];
    await fake.run(commands.importLogin);
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['read', 'import', 'read'],
    );
  });

  it('import a login without cookies, which has no sites to choose', async () => {
    sites = [];
    await fake.run(commands.importLogin);
    assert.deepEqual(offered, []);
    assert.deepEqual(calls.at(-1), { name: 'import', call: { body: { name: 'shop', content } } });
  });

  it('warn of cookies that Chrome rejected, and show no secret', async () => {
    rejected = 2;
    await fake.run(commands.importLogin);
    assert.deepEqual(fake.messages, ['Login imported into profile shop: 3 cookies. Chrome rejected 2 cookies.']);
    assert.ok(!JSON.stringify([fake.messages, logged, offered]).includes(secret));
  });

  it('save the login of an open session to a profile', async () => {
    await fake.run(commands.saveLogin, { sessionId: 'session-1' });
    assert.deepEqual(calls, [{ name: 'save', call: { params: { sessionId: 'session-1' }, body: { name: 'shop' } } }]);
    assert.deepEqual(fake.messages, ['$(check) Login saved to profile shop: 1 cookie.']);
  });

  /** Presses a button of a profile in the list of a new session. Returns the buttons of each row. */
  async function press(profileName: string, tooltip: RegExp): Promise<Record<string, string[]>> {
    type Item = { label: string; value?: unknown; buttons?: { tooltip: string }[] };
    const seen: Record<string, string[]> = {};
    let lists = 0;
    fake.answer = async (kind, shown) => {
      if (kind === 'save') return Uri.file(join(folder, 'out.json'));
      if (kind !== 'list') return undefined;
      const list = shown as { items: Item[] };
      // The first list shows the options, the second one the profiles.
      if (++lists === 1) return { accept: list.items.filter(({ label }) => /Profile/.test(label)) };
      await eventually(() => assert.ok(list.items.some(({ value }) => value === 'known')));
      for (const { label, buttons = [] } of list.items) seen[label] = buttons.map((button) => button.tooltip);
      const item = list.items.find(({ value }) => value === profileName);
      const button = item?.buttons?.find((each) => tooltip.test(each.tooltip));
      return button && { button, item };
    };
    await fake.run(commands.newBrowserSessionWithOptions);
    return seen;
  }

  it('open a session in control to log in, which saves to the profile', async () => {
    const seen = await press('used', /Log In/);
    assert.deepEqual(seen, {
      '$(circle-slash) No profile': [],
      '$(account) known': ['Log In…', 'Export as storageState…'],
      '$(account) used': ['Log In…'],
    });
    await eventually(() =>
      assert.deepEqual(calls, [
        { name: 'create', call: { profile: { name: 'used', saveChanges: true } } },
        { name: 'open', call: ['session-2', true] },
      ]),
    );
  });

  it('export the login of a saved profile to a file', async () => {
    await press('known', /Export/);
    await eventually(() => assert.equal(fake.messages.length, 1));
    assert.deepEqual(calls, [{ name: 'export', call: { body: { name: 'known' } } }]);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')), JSON.parse(content));
    assert.deepEqual(fake.messages, ['$(check) Login exported. Anyone who has the file can use it.']);
  });

  it('say and log why a button of a profile failed, and nothing if it was canceled', async () => {
    for (failure of [new CancellationError(), new Error('The disk is full.')]) {
      calls = [];
      await press('known', /Export/);
      await eventually(() => assert.equal(calls.length, 1));
    }
    await eventually(() => assert.deepEqual(fake.messages, ['Web Data: The disk is full.']));
    assert.deepEqual(logged, ['Export as storageState…: The disk is full.']);
  });

  it('say that other servers have no logins, before they ask for anything', async () => {
    isEmbedded = false;
    const asked: string[] = [];
    fake.answer = (kind) => void asked.push(kind);
    await fake.run(commands.importLogin);
    await fake.run(commands.saveLogin, { sessionId: 'session-1' });
    assert.deepEqual(fake.messages, [
      "Web Data: This server can't import logins.",
      "Web Data: This server can't save the login of a session.",
    ]);
    assert.deepEqual(asked, ['message', 'message']);
  });
});
