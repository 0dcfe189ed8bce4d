import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createDocsSources, type DocsSources } from '../../src/service/assistants/docs-search/sources.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { startTestService } from '../harness/service.ts';

describe('what is answered', () => {
  it('COM-03: is 410 for a session that ends while its longer life is being stored', async () => {
    const service = await startTestService();
    try {
      const { id, cdpUrl } = (await service.call('POST', '/v2/browser', {})).body;
      const socket = new WebSocket(cdpUrl);
      await once(socket, 'open');
      const file = new DatabaseSync(join(service.dataDir, 'service.sqlite'));
      file.exec('BEGIN IMMEDIATE');
      const renewed = service.call('POST', `/embedded/browser/${id}/renew`, { ttl: 600 });
      // Sent after the renewal was received: requests of one process arrive in order on the loopback.
      const destroyed = service.call('DELETE', `/v2/browser/${id}`);
      await once(socket, 'close');
      file.exec('COMMIT');
      file.close();
      const { status, body } = await renewed;
      assert.deepEqual([status, (await destroyed).status], [410, 200], JSON.stringify(body));
    } finally {
      await service.close();
    }
  });
});

describe('the index of a source', () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
  });
  const opened: DocsSources[] = [];
  afterEach(() => {
    for (const sources of opened.splice(0)) sources.close();
    rmSync(root, { recursive: true, force: true });
  });
  const open = (isGranted: (folder: string) => void = () => undefined) => {
    const sources = createDocsSources({
      directory: join(root, 'indexes'),
      reference: join(root, 'none.json'),
      scraper: { scrape: () => assert.fail() },
      jobs: { find: () => assert.fail(), documents: () => assert.fail() },
      folders: [],
      isGranted: async (_team, folder) => {
        isGranted(folder);
        return true;
      },
      clock: createFakeClock(),
      log: silentLog,
    });
    opened.push(sources);
    return sources;
  };
  /** The folders in which the words are found. */
  const foldersWith = async (sources: DocsSources, ...words: string[]) => {
    const found = await Promise.all(words.map((word) => sources.search('red', word)));
    const files = found.flatMap(({ excerpts }) => excerpts.map(({ evidence }) => fileURLToPath(evidence.pathOrUrl)));
    return [...new Set(files.map((file) => basename(dirname(file))))].sort();
  };
  const write = (folder: string, name: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'page.md'), `# ${name}\n\nThe ${name} is blue.\n`);
  };

  it('COM-04: is read again after a read that failed', async () => {
    const folder = join(root, 'docs');
    write(folder, 'kettle');
    await open().addFolder('red', folder);
    // Nothing indexes it again, since it can't be read.
    rmSync(folder, { recursive: true });
    const sources = open();
    await sources.ready();
    const [file = ''] = readdirSync(join(root, 'indexes')).filter((name) => name !== 'sources.json');
    const path = join(root, 'indexes', file);
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    assert.deepEqual(await foldersWith(sources, 'kettle'), []);
    rmdirSync(path);
    renameSync(`${path}.away`, path);
    assert.deepEqual(await foldersWith(sources, 'kettle'), ['docs']);
  });

  it('BUD-01: stays on the disk, and a damaged one keeps no other from answering', async () => {
    const names = ['kettle', 'teapot'];
    for (const name of names) write(join(root, name), name);
    const sources = open();
    for (const name of names) await sources.addFolder('red', join(root, name));
    const files = readdirSync(join(root, 'indexes')).filter((name) => name !== 'sources.json');
    const paths = files.map((file) => join(root, 'indexes', file));
    const stored = paths.map((path) => readFileSync(path));
    assert.deepEqual(await foldersWith(sources, ...names), names);
    for (const path of paths) rmSync(path);
    assert.deepEqual(await foldersWith(sources, ...names), []);
    for (const [at, path] of paths.entries()) writeFileSync(path, stored[at] ?? '');
    assert.deepEqual(await foldersWith(sources, ...names), names);
    // In the texts, in the terms and in the totals: what SQLite itself checks is whole.
    const damages = ["UPDATE passages SET content = '{'", "UPDATE terms SET uses = x'000000'", 'DELETE FROM totals'];
    for (const damage of damages) {
      const file = new DatabaseSync(paths[0] ?? '');
      file.exec(damage);
      file.close();
      assert.equal((await foldersWith(sources, ...names)).length, 1, damage);
      for (const name of names) await sources.addFolder('red', join(root, name));
      assert.deepEqual(await foldersWith(sources, ...names), names, damage);
    }
    // Pages of SQLite's own are overwritten.
    writeFileSync(
      paths[0] ?? '',
      Buffer.alloc(stored[0]?.length ?? 0, 1).fill(stored[0]?.subarray(0, 100) ?? '', 0, 100),
    );
    assert.equal((await foldersWith(sources, ...names)).length, 1);
    const reopened = open();
    await reopened.ready();
    assert.deepEqual(await foldersWith(reopened, ...names), names);
  });

  it('is built again when its folder is added, if it can not be read', async () => {
    const folder = join(root, 'docs');
    write(folder, 'kettle');
    await open().addFolder('red', folder);
    const directory = join(root, 'indexes');
    const [file = ''] = readdirSync(directory).filter((name) => name !== 'sources.json');
    for (const damaged of ['', 'no index at all']) {
      writeFileSync(join(directory, file), damaged);
      const sources = open();
      await sources.addFolder('red', folder);
      assert.deepEqual(await foldersWith(sources, 'kettle'), ['docs']);
    }
  });

  it('is the only file of its source: half-stored ones and those of no source are deleted', async () => {
    const folder = join(root, 'docs');
    write(folder, 'kettle');
    await open().addFolder('red', folder);
    rmSync(folder, { recursive: true });
    const directory = join(root, 'indexes');
    const [file = ''] = readdirSync(directory).filter((name) => name !== 'sources.json');
    if (process.platform !== 'win32') assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600);
    for (const other of [`${file}.1-0.new`, `${'0'.repeat(32)}.sqlite`])
      writeFileSync(join(directory, other), 'half of an index, or one of an earlier version');
    // Something in its way may not stop the service.
    mkdirSync(join(directory, 'other.new', 'folder'), { recursive: true });
    const sources = open();
    assert.deepEqual(await foldersWith(sources, 'kettle'), ['docs']);
    assert.deepEqual(readdirSync(directory).sort(), [file, 'sources.json']);
    // A list that can't be read may be whole the next time.
    writeFileSync(join(directory, 'sources.json'), '[');
    assert.deepEqual(await foldersWith(open(), 'kettle'), []);
    assert.ok(readdirSync(directory).includes(file));
  });

  it('COM-04: is not listed or stored again if its source is removed while folders that changed are indexed', async () => {
    const folders = ['one', 'two'].map((name) => join(root, name));
    const added = open();
    for (const folder of folders) {
      write(folder, 'kettle');
      await added.addFolder('red', folder);
      for (let page = 0; page < 300; page++) write(join(folder, `${page}`), 'teapot');
    }
    const sources = open();
    await Promise.all(sources.list('red').map(({ id }) => sources.remove('red', id)));
    await sources.ready();
    assert.deepEqual([sources.list('red'), readdirSync(join(root, 'indexes'))], [[], ['sources.json']]);
  });

  it('PRO-03: is of the folder that was checked, though a link to it changes meanwhile', async () => {
    write(join(root, 'granted'), 'kettle');
    write(join(root, 'secret'), 'secret');
    const link = join(root, 'link');
    symlinkSync(join(root, 'granted'), link);
    const sources = open(() => {
      rmSync(link);
      symlinkSync(join(root, 'secret'), link);
    });
    await sources.addFolder('red', link);
    const { excerpts } = await sources.search('red', 'What is blue?');
    assert.deepEqual(
      excerpts.map(({ headings }) => headings),
      ['kettle'],
    );
  });

  it('PRO-03: is of the folder that was allowed, though it has become a link to another one before a restart', async () => {
    const folder = join(root, 'granted');
    write(folder, 'kettle');
    write(join(root, 'secret'), 'secret');
    const sources = open();
    await sources.addFolder('red', folder);
    sources.close();
    rmSync(folder, { recursive: true });
    symlinkSync(join(root, 'secret'), folder);
    const restarted = open();
    await restarted.ready();
    const { excerpts } = await restarted.search('red', 'What is blue?');
    assert.deepEqual(
      excerpts.map(({ headings }) => headings),
      ['kettle'],
    );
  });
});
