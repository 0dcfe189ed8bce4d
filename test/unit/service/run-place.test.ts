import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, createWriteStream, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openPlace } from '../../../src/service/browsers/runners/place.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the env file of a run', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    // Whoever still waits to write would keep the process alive.
    const pipe = join(folder, '.env');
    if (statSync(pipe, { throwIfNoEntry: false })?.isFIFO()) closeSync(openSync(pipe, 'r+'));
    rmSync(folder, { recursive: true, force: true });
  });
  const { signal } = new AbortController();
  const read = async (envFile: string, stop = signal, waitMs?: number) => {
    const place = { file: join(folder, 'a.js'), line: 1, directory: folder, envFile };
    return (await openPlace(place as Parameters<typeof openPlace>[0], () => undefined, stop, waitMs)).environment;
  };
  const advice = 'Check the file or change the setting "webdata.run.envFile".';

  it('is read up to a limit, also if the system knows no size of it (BUD-22)', async () => {
    const path = join(folder, '.env');
    writeFileSync(path, 'SHOP=tea');
    assert.deepEqual(await read(path), { SHOP: 'tea' });
    writeFileSync(path, '');
    assert.deepEqual(await read(path), {});
    const tooLarge = (name: string) => ({
      message: `Can't read the env file ${name}. It is larger than 1 MiB. ${advice}`,
    });
    writeFileSync(path, '#'.repeat(1024 * 1024 + 1));
    await assert.rejects(read(path), tooLarge(path));
    if (process.platform === 'win32') return;
    await assert.rejects(read(folder), { message: `Can't read the env file ${folder}. It is a folder. ${advice}` });
    await assert.rejects(read('/dev/zero'), tooLarge('/dev/zero'));
    assert.deepEqual(await read('/dev/null'), {});
  });

  it('may be a pipe, which is waited for only for a while (BUD-22)', async function () {
    if (process.platform === 'win32') this.skip();
    const path = join(folder, '.env');
    execFileSync('mkfifo', [path]);
    const late = {
      message: `Can't read the env file ${path}. No program finished writing to this pipe within 0.01 seconds. Start or unlock the program that writes to it, or change the setting "webdata.run.envFile".`,
    };
    await assert.rejects(read(path, signal, 10), late);
    const both = openSync(path, 'r+');
    writeSync(both, 'SHOP=');
    await assert.rejects(read(path, signal, 10), late, 'what has a beginning only');
    const unwritten = read(path, signal, 10);
    closeSync(both);
    await assert.rejects(unwritten, late, 'an end before anything was written');
    const stop = new AbortController();
    const stopped = read(path, stop.signal);
    stop.abort(new Error('The session has ended.'));
    await assert.rejects(stopped, { message: 'The session has ended.' });
    const reading = read(path);
    createWriteStream(path).end('SHOP=tea');
    assert.deepEqual(await reading, { SHOP: 'tea' });
    const flooded = read(path);
    createWriteStream(path)
      .on('error', () => undefined)
      .end('#'.repeat(3_000_000));
    await assert.rejects(flooded, { message: /It is larger than 1 MiB\. / });
  });
});
