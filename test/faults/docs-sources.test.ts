import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    const draft = join(service.dataDir, 'docs-sources', `sources.json.${process.pid}.new`);
    // The folders given at the start are written at the start.
    while ((await locations()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    mkdirSync(draft);
    writeFileSync(join(draft, 'kept'), '');
    assert.equal((await add(one)).status, 500);
    assert.deepEqual(await locations(), [root], 'what was not stored is not listed');
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

  it('F12: are folders that the user of a window chose, if the editor started the service', async () => {
    const chosen = folderOf('kettle');
    const own = await start({ linked: true });
    const link = await letRead(own.service, chosen);
    assert.equal((await own.add(chosen)).status, 200);
    link.close();
    const shared = await start();
    const other = await letRead(shared.service, chosen);
    assert.equal((await shared.add(chosen)).status, 403);
    other.close();
  });
});
