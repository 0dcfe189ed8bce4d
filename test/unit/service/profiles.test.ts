import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { restoreSessionCookies, saveSessionCookies } from '../../../src/service/browsers/profiles/portable-state.ts';
import { createProfiles, type Profiles } from '../../../src/service/browsers/profiles/profiles.ts';
import { writerTable } from '../../../src/service/browsers/profiles/writer-table.ts';
import { ServiceError } from '../../../src/service/platform/errors.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('profiles', () => {
  let root: string;
  let database: Database;
  let profiles: Profiles;
  let browsers = 0;
  const directory = () => join(root, 'profiles');
  beforeEach(async () => {
    root = temporaryFolder();
    database = await openDatabase(root, silentLog, 0);
    const writers = writerTable(database);
    profiles = createProfiles({ directory: directory(), writers, clock: createFakeClock(1234), log: silentLog });
  });
  afterEach(async () => {
    await database.destroy();
    rmSync(root, { recursive: true });
  });

  /** A folder as a browser would leave it. */
  function browserFolder(content?: string): string {
    const folder = join(root, `browser-${browsers++}`);
    mkdirSync(join(folder, 'Default', 'Cache'), { recursive: true });
    if (content !== undefined) {
      writeFileSync(join(folder, 'Default', 'Cookies'), content);
      writeFileSync(join(folder, 'Default', 'Cache', 'data'), 'x'.repeat(1000));
      symlinkSync('host-1', join(folder, 'SingletonLock'));
    }
    return folder;
  }
  async function save(name: string, content: string): Promise<void> {
    const profile = await profiles.open('red', { name, saveChanges: true });
    await profile.save(browserFolder(content));
    await profile.release();
  }
  async function load(name: string, team = 'red'): Promise<string | undefined> {
    const folder = browserFolder();
    await (await profiles.open(team, { name, saveChanges: false })).load(folder);
    const file = join(folder, 'Default', 'Cookies');
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  it('are set aside when they cannot be read, and start empty (PRO-09)', async () => {
    await save('shop', 'logged in');
    await save('other', 'other');
    const record = readdirSync(directory())
      .map((folder) => join(directory(), folder, 'profile.json'))
      .find((path) => readFileSync(path, 'utf8').includes('shop'));
    writeFileSync(record ?? '', '{"team":"red","na');
    assert.equal(await load('shop'), undefined);
    assert.equal(await load('other'), 'other');
    assert.ok(readdirSync(directory()).some((name) => name.includes('.unreadable-')));
    await save('shop', 'again');
    assert.equal(await load('shop'), 'again');
    assert.deepEqual((await profiles.list('red')).map(({ name }) => name).sort(), ['other', 'shop']);
  });

  it('are saved and restored without following links that a browser has made', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = browserFolder();
    const [file, outside] = [join(folder, 'session-cookies.json'), join(root, 'outside')];
    writeFileSync(outside, JSON.stringify([{ name: 'secret', session: true }]));
    symlinkSync(outside, file);
    const sent: string[] = [];
    const client = {
      async send(method: string) {
        sent.push(method);
        return { cookies: [{ name: 'login', value: '1', session: true }] };
      },
    } as unknown as CdpClient;
    await restoreSessionCookies(client, folder);
    assert.deepEqual(sent, []);
    await saveSessionCookies(client, folder);
    assert.match(readFileSync(outside, 'utf8'), /secret/);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), [{ name: 'login', value: '1' }]);
    await restoreSessionCookies(client, folder);
    assert.deepEqual(sent, ['Storage.getCookies', 'Storage.setCookies']);
  });

  it('give a session the last saved state, without caches, links and locks (PRO-08)', async () => {
    await save('shop', 'logged in');
    assert.equal(await load('shop'), 'logged in');
    const [folder] = readdirSync(directory());
    const names = readdirSync(join(directory(), folder ?? ''), { recursive: true }).map(String);
    assert.deepEqual(
      names.filter((name) => /Cache|Singleton/.test(name)),
      [],
    );
  });

  it('start empty under a new name, and are separate for each team', async () => {
    await save('shop', 'logged in');
    assert.equal(await load('other'), undefined);
    assert.equal(await load('shop', 'blue'), undefined);
  });

  it('are replaced completely, with no old state left behind', async () => {
    await save('shop', 'first');
    await save('shop', 'second');
    assert.equal(await load('shop'), 'second');
    const [folder] = readdirSync(directory());
    assert.equal(readdirSync(join(directory(), folder ?? '')).length, 2);
  });

  it('keep the old state if a saver crashes between moving its folder and the record (PRO-07)', async () => {
    await save('shop', 'old');
    const [folder] = readdirSync(directory());
    mkdirSync(join(directory(), folder ?? '', 'left-by-a-dead-saver'));
    assert.equal(await load('shop'), 'old');
  });

  it('allow one saver at a time, and any number of readers (PRO-05)', async () => {
    const saver = () => profiles.open('red', { name: 'shop', saveChanges: true });
    const asked = await Promise.allSettled(Array.from({ length: 10 }, saver));
    const [first, ...others] = asked.filter(({ status }) => status === 'fulfilled');
    assert.ok(first?.status === 'fulfilled');
    assert.deepEqual(others, []);
    await assert.rejects(saver(), (error) => error instanceof ServiceError && error.status === 409);
    for (let reader = 0; reader < 5; reader++) await profiles.open('red', { name: 'shop', saveChanges: false });
    await profiles.open('blue', { name: 'shop', saveChanges: true });
    await first.value.release();
    await saver();
  });

  it("give a reader a copy that a later save doesn't change (PRO-06)", async () => {
    await save('shop', 'old');
    const folder = browserFolder();
    await (await profiles.open('red', { name: 'shop', saveChanges: false })).load(folder);
    await save('shop', 'new');
    assert.equal(readFileSync(join(folder, 'Default', 'Cookies'), 'utf8'), 'old');
  });

  const names = [
    '../x',
    '..',
    '.',
    '/etc/passwd',
    'a\0b',
    'CON',
    'nul.txt',
    'x.',
    'x ',
    'é',
    'e\u0301',
    'A',
    'a',
    '🦊'.repeat(128),
    '$(id)',
    '\u202e',
    '-rf',
    '%2e%2e%2f',
  ];
  it('keep all names separate, and out of paths (PRO-01)', async () => {
    for (const name of names) await save(name, `state of ${name}`);
    for (const name of names) assert.equal(await load(name), `state of ${name}`);
    const folders = readdirSync(directory());
    assert.equal(folders.length, names.length);
    for (const folder of folders) assert.match(folder, /^[0-9a-f]{64}$/);
    assert.deepEqual((await profiles.list('red')).map(({ name }) => name).sort(), [...names].sort());
  });

  it("don't follow a symbolic link in a saved state (PRO-04)", async () => {
    await save('shop', 'mine');
    writeFileSync(join(root, 'secret'), 'not for a browser');
    const [folder] = readdirSync(directory());
    const saved = readdirSync(join(directory(), folder ?? '')).find((name) => name !== 'profile.json');
    symlinkSync(join(root, 'secret'), join(directory(), folder ?? '', saved ?? '', 'Default', 'linked'));
    const target = browserFolder();
    await (await profiles.open('red', { name: 'shop', saveChanges: false })).load(target);
    assert.ok(!existsSync(join(target, 'Default', 'linked')));
  });
});
