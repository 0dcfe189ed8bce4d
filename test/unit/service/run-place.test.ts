import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlace } from '../../../src/service/browsers/runners/place.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the env file of a run', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const read = async (envFile: string, pipeMs?: number) => {
    const place = { file: join(folder, 'a.js'), line: 1, directory: folder, envFile };
    return (await openPlace(place as Parameters<typeof openPlace>[0], () => undefined, pipeMs)).environment;
  };

  it('is read up to a limit, also if the system knows no size of it (BUD-22)', async () => {
    const path = join(folder, '.env');
    writeFileSync(path, 'SHOP=tea');
    assert.deepEqual(await read(path), { SHOP: 'tea' });
    writeFileSync(path, '#'.repeat(1024 * 1024 + 1));
    await assert.rejects(read(path), { message: /\.env\. It is larger than 1 MB\. / });
    if (process.platform === 'win32') return;
    await assert.rejects(read('/dev/zero'), {
      message: /^Can't read the env file \/dev\/zero\. It isn't a regular file\. /,
    });
  });

  it('may be a pipe, which is waited for only for a while (BUD-22)', async function () {
    if (process.platform === 'win32') this.skip();
    const path = join(folder, '.env');
    execFileSync('mkfifo', [path]);
    await assert.rejects(read(path, 10), { message: /Nobody wrote all of it into this pipe within 0\.01 seconds\. / });
    const reading = read(path);
    createWriteStream(path).end('SHOP=tea');
    assert.deepEqual(await reading, { SHOP: 'tea' });
    const flooded = read(path);
    createWriteStream(path)
      .on('error', () => undefined)
      .end('#'.repeat(3_000_000));
    await assert.rejects(flooded, { message: /More than 1 MB comes from this pipe\. / });
  });
});
