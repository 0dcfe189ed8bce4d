import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepRoom, removeUnfinished } from '../../../src/service/browsers/sessions/download-room.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { temporaryFolder } from '../../harness/folders.ts';

function keeping() {
  const told = new Map<string, (event: object) => void>();
  const sent: string[] = [];
  const client = {
    on: (event: string, listener: (event: object) => void) => told.set(event, listener),
    send: async (_method: string, { guid }: { guid: string }) => void sent.push(guid),
  };
  const disk = { hasRoom: true };
  keepRoom(client as never, '/downloads', silentLog, async () => disk.hasRoom);
  const tell = async (event: string, what: object) => {
    told.get(event)?.(what);
    await new Promise(setImmediate);
  };
  const progress = (guid: string, megabytes: number, state = 'inProgress') =>
    tell('Browser.downloadProgress', { guid, state, receivedBytes: megabytes * 1_000_000 });
  return { sent, disk, progress, begin: (guid: string) => tell('Browser.downloadWillBegin', { guid }) };
}

describe('downloads of a session (BUD-17)', () => {
  it('are canceled one after another while the disk is almost full', async () => {
    const { sent, progress, disk } = keeping();
    await progress('first', 20);
    disk.hasRoom = false;
    await progress('first', 21);
    await progress('second', 1);
    disk.hasRoom = true;
    await progress('third', 20);
    assert.deepEqual(sent, ['first', 'second']);
  });

  it('are canceled however small each of many is', async () => {
    const { sent, progress, begin, disk } = keeping();
    disk.hasRoom = false;
    await progress('small', 4, 'completed');
    await progress('also small', 5);
    assert.deepEqual(sent, []);
    await progress('third', 3);
    assert.deepEqual(sent.splice(0), ['also small', 'third']);
    await begin('fourth');
    assert.deepEqual(sent, ['fourth']);
  });

  it('leave nothing that is not complete, and no empty folder', async () => {
    const parent = temporaryFolder();
    const [none, some] = [join(parent, 'none'), join(parent, 'some')];
    for (const folder of [none, some]) {
      mkdirSync(folder);
      writeFileSync(join(folder, '5b4d1742.crdownload'), 'a part');
    }
    writeFileSync(join(some, 'a1146059'), 'complete');
    for (const folder of [none, some, join(parent, 'gone')]) await removeUnfinished(folder, silentLog);
    assert.equal(existsSync(none), false);
    assert.deepEqual(readdirSync(some), ['a1146059']);
    rmSync(parent, { recursive: true });
  });
});
