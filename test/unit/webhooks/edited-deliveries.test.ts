import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WindowReceiver } from '../../../src/extension/webhooks/window-receiver.ts';
import { fake, Uri } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('an edited delivery', () => {
  it('is opened with its saved edits, until the recorded deliveries are deleted', async () => {
    const { deleteEdited, editDelivery } = await import('../../../src/extension/webhooks/forward-commands.ts');
    const folder = temporaryFolder();
    const file = join(folder, 'edited', 'delivery-7.webhook.json');
    await mkdir(join(folder, 'edited'));
    const delivery = { receivedAt: Date.now() - 60_000, body: new TextEncoder().encode('{"as":"received"}') };
    const receiver = {
      directory: Uri.file(folder),
      delivery: async () => delivery,
    } as unknown as WindowReceiver;
    const opened = async () => {
      await editDelivery(receiver, 7);
      assert.equal(fake.shown.at(-1)?.uri, Uri.file(file).toString());
      return readFileSync(file, 'utf8');
    };
    assert.match(await opened(), /"as": "received"/);
    writeFileSync(file, 'edited by hand');
    assert.equal(await opened(), 'edited by hand');

    // Of a delivery that had this number before.
    utimesSync(file, 1, 1);
    assert.match(await opened(), /"as": "received"/);

    await deleteEdited(receiver);
    assert.ok(!existsSync(file));
    await deleteEdited(receiver);
    rmSync(folder, { recursive: true });
  });
});
