import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fake, Uri } from '../../../harness/fake-vscode.ts';

describe('files that are saved', () => {
  let folder: string;
  let server: Server | undefined;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-saved-'));
    fake.reset();
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it('leave others alone that are named like unfinished ones, and what these link to (EXT-29)', async () => {
    const { textTarget } = await import('../../../../src/extension/pages/save/targets.ts');
    const { saveDownload } = await import('../../../../src/extension/live-view/save-files.ts');
    const names = ['file.txt.part', 'file.txt.partial'];
    writeFileSync(join(folder, 'other'), 'other');
    writeFileSync(join(folder, 'file.txt.part'), 'mine');
    symlinkSync('other', join(folder, 'file.txt.partial'));
    const uri = Uri.file(join(folder, 'file.txt'));
    const target = await textTarget(uri as never);
    await target.write('pages');
    await target.finish();
    assert.equal(read('file.txt'), 'pages');
    const discarded = await textTarget(uri as never);
    await discarded.discard();
    server = createServer((_, response) => response.end('download')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
    const control = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/live/a/b`);
    fake.answer = () => uri;
    await saveDownload({ kind: 'frames', watch: control, control }, { id: 'd', name: 'file.txt' });
    assert.equal(read('file.txt'), 'download');
    assert.deepEqual([read('file.txt.part'), read('other')], ['mine', 'other']);
    assert.deepEqual(readdirSync(folder).sort(), ['file.txt', ...names, 'other']);
  });

  it('of pages are not written where a link leads out of their folder (EXT-29)', async () => {
    const { folderTarget } = await import('../../../../src/extension/pages/save/targets.ts');
    for (const name of ['saved', 'elsewhere', 'saved/inside']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'elsewhere/a.md'), 'mine');
    symlinkSync('../elsewhere', join(folder, 'saved/out.test'));
    symlinkSync('../missing', join(folder, 'saved/gone.test'));
    symlinkSync('inside', join(folder, 'saved/in.test'));
    symlinkSync('../elsewhere/a.md', join(folder, 'saved/a.md'));
    const write = folderTarget(Uri.file(join(folder, 'saved')) as never);
    for (const file of ['out.test/a.md', 'out.test/deep/a.md', 'gone.test/a.md', 'a.md'])
      await assert.rejects(write(file, 'page'), /in that folder is a symbolic link/, file);
    symlinkSync('e.md', join(folder, 'saved/same.md'));
    await assert.rejects(write('same.md', 'page'), /same\.md in that folder is a symbolic link.*Remove the link/);
    for (const file of ['in.test/b/c.md', 'new.test/d.md', 'e.md', 'e.md']) await write(file, 'page');
    assert.deepEqual(readdirSync(join(folder, 'elsewhere')), ['a.md']);
    assert.deepEqual(['elsewhere/a.md', 'saved/inside/b/c.md', 'saved/new.test/d.md', 'saved/e.md'].map(read), [
      'mine',
      'page',
      'page',
      'page',
    ]);
  });

  it('with logins can be read by nobody else, also in place of one that can (EXT-30)', async () => {
    const { writePrivately } = await import('../../../../src/extension/ui/new-file.ts');
    const { saveFile } = await import('../../../../src/extension/live-view/save-files.ts');
    writeFileSync(join(folder, 'login.json'), 'old', { mode: 0o644 });
    await writePrivately(Uri.file(join(folder, 'login.json')) as never, Buffer.from('cookies'));
    fake.answer = () => Uri.file(join(folder, 'a.har'));
    const texts = { title: 'Save', filter: 'Archive', saved: 'Saved.' };
    const bytes = new TextEncoder().encode('secrets').buffer;
    await saveFile(bytes, { name: 'a', extension: 'har', isPrivate: true, texts }, { error() {} } as never);
    for (const [name, text] of Object.entries({ 'login.json': 'cookies', 'a.har': 'secrets' })) {
      assert.equal(read(name), text);
      if (process.platform !== 'win32') assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
    }
  });

  it('with logins are written where a link of that name leads, and not into a missing folder', async () => {
    const { writePrivately } = await import('../../../../src/extension/ui/new-file.ts');
    const write = (name: string) => writePrivately(Uri.file(join(folder, name)) as never, Buffer.from('cookies'));
    mkdirSync(join(folder, 'kept'));
    writeFileSync(join(folder, 'kept/login.json'), 'old');
    symlinkSync('kept/login.json', join(folder, 'login.json'));
    await write('login.json');
    assert.equal(read('kept/login.json'), 'cookies');
    assert.ok(lstatSync(join(folder, 'login.json')).isSymbolicLink());
    await assert.rejects(write('gone/login.json'), /^UserError: The folder .*gone doesn't exist\. Create it/);
    await assert.rejects(write('login.json/a'), ({ message }: Error) => !message.includes('.part'));
    assert.deepEqual(
      [readdirSync(folder).sort(), readdirSync(join(folder, 'kept'))],
      [['kept', 'login.json'], ['login.json']],
    );
  });
});
