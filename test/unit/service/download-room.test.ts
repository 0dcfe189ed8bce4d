import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepRoom, removeUnfinished } from '../../../src/service/browsers/sessions/download-room.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('downloads of a session (BUD-17)', () => {
  it('are canceled one after another while the disk is almost full', async () => {
    const told: ((progress: object) => void)[] = [];
    const sent: unknown[] = [];
    const client = {
      on: (_event: string, listener: (progress: object) => void) => told.push(listener),
      send: async (...command: unknown[]) => void sent.push(command),
    };
    let hasRoom = true;
    keepRoom(client as never, '/downloads', silentLog, async () => hasRoom);
    const progress = async (guid: string, state = 'inProgress') => {
      for (const listener of told) listener({ guid, state });
      await new Promise(setImmediate);
    };
    await progress('first');
    hasRoom = false;
    await progress('done', 'completed');
    await progress('first');
    await progress('second');
    hasRoom = true;
    await progress('third');
    const cancels = (guid: string) => ['Browser.cancelDownload', { guid }];
    assert.deepEqual(sent, [cancels('first'), cancels('second')]);
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
