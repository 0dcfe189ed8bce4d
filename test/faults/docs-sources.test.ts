import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/contract/limits.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { startTestService, type TestServiceOptions } from '../harness/service.ts';
import { letRead } from '../harness/service-link.ts';

describe('sources of docs', () => {
  const folders: string[] = [];
  const close: (() => unknown)[] = [];
  const folderOf = (name: string) => {
    const folder = temporaryFolder();
    folders.push(folder);
    writeFileSync(join(folder, `${name}.md`), `# ${name}\n\nThe ${name} is blue.\n`);
    return folder;
  };
  const start = async (options: TestServiceOptions = {}) => {
    const service = await startTestService(options);
    close.push(() => service.close());
    const add = (folder: string) => service.call('POST', '/embedded/docs-sources', { folder });
    const locations = async () =>
      (await service.call('GET', '/embedded/docs-sources')).body.sources.map(
        ({ location }: { location: string }) => location,
      );
    return { service, add, locations };
  };
  afterEach(async () => {
    for (const step of close.splice(0).reverse()) await step();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('F12: fail to be added while their list cannot be written, and only then', async () => {
    const root = temporaryFolder();
    folders.push(root);
    const [one, two] = [join(root, 'one'), join(root, 'two')];
    for (const folder of [one, two]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'page.md'), '# Kettle\n\nThe kettle is blue.\n');
    }
    const { service, add, locations } = await start({ docsFolders: [root] });
    const directory = join(service.dataDir, 'docs-sources');
    const draft = join(directory, `sources.json.${process.pid}.new`);
    // The folders given at the start are written at the start.
    await eventually(async () => assert.notDeepEqual(await locations(), []));
    mkdirSync(draft);
    writeFileSync(join(draft, 'kept'), '');
    assert.equal((await add(one)).status, 500);
    assert.deepEqual(await locations(), [root], 'what was not stored is not listed');
    const indexes = readdirSync(directory).filter((name) => name.endsWith('.sqlite'));
    assert.equal(indexes.length, 1, 'what is not listed is not kept');
    rmSync(join(draft, 'kept'));
    rmdirSync(draft);
    assert.equal((await add(two)).status, 200);
    assert.equal((await add(one)).status, 200);
    assert.deepEqual((await locations()).sort(), [root, one, two].sort());
  });

  it('F12: are within the folders of --docs, whatever leads out of them (PRO-03)', async () => {
    const [given, secret] = [folderOf('kettle'), folderOf('secret')];
    symlinkSync(secret, join(given, 'link'));
    const { add } = await start({ docsFolders: [given] });
    for (const folder of ['/', secret, join(given, 'link'), `${given}/../`, `${given}-2`]) {
      const { status, body } = await add(folder);
      assert.deepEqual([status, body.code], [403, 'FOLDER_NOT_ALLOWED'], folder);
    }
    mkdirSync(join(given, 'below'));
    writeFileSync(join(given, 'below', 'page.md'), '# Below\n\nThe page is below.\n');
    assert.equal((await add(join(given, 'below'))).status, 200);
  });

  it('F12: are at most as many as a team may keep, of which each can be indexed again', async () => {
    const root = folderOf('kettle');
    const names = Array.from({ length: limits.docsSources + 1 }, (_, index) => join(root, `${index}`));
    for (const folder of names) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'page.md'), '# Kettle\n\nThe kettle is blue.\n');
    }
    const { service, add } = await start({ docsFolders: [root] });
    const last = names.pop() ?? '';
    for (const folder of names) assert.equal((await add(folder)).status, 200);
    const refused = await add(last);
    assert.deepEqual(
      [refused.status, refused.body.error],
      [409, 'The team already has 100 docs sources. Remove one that is no longer used.'],
    );
    const again = await add(names[0] ?? '');
    assert.equal(again.status, 200);
    assert.equal((await service.call('DELETE', `/embedded/docs-sources/${again.body.source.id}`)).status, 200);
    assert.equal((await add(last)).status, 200);
  });

  it('F12: are folders that the user of a window chose, if the editor started the service', async () => {
    const chosen = folderOf('kettle');
    const own = await start({ linked: true });
    const link = await letRead(own.service, chosen);
    assert.equal((await own.add(chosen)).status, 200);
    link.close();
    // Whoever has a key of these could say what a window says, but not read the folder.
    for (const options of [{}, { linked: true, publicUrl: 'https://data.test' }]) {
      const shared = await start(options);
      const other = await letRead(shared.service, chosen);
      assert.equal((await shared.add(chosen)).status, 403);
      other.close();
    }
  });
});
