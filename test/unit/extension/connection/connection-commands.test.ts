import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/extension/connection/connection.ts';
import { Signal } from '../../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../../harness/eventually.ts';
import { fake, happen } from '../../../harness/fake-vscode.ts';

describe('a setting that the embedded service starts with', () => {
  it('offers a restart once, however often it changes while it is typed, and none if the service uses the same value (EXT-23)', async () => {
    const { registerConnectionCommands } = await import('../../../../src/extension/connection/connection-commands.ts');
    fake.reset();
    const answers: PromiseWithResolvers<undefined>[] = [];
    fake.answer = () => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)?.promise;
    };
    const registered = registerConnectionCommands({
      connection: {
        serviceRuns: true,
        onServiceStopped: new Signal(),
        onServiceLinked: new Signal(),
      } as unknown as Connection,
      sessions: () => ({ list: [], activeCount: 0 }),
      log: {} as never,
    });
    // The value that the service uses is the same, as after one for a workspace.
    happen.configured('webdata.embedded.chromePath');
    assert.equal(fake.messages.length, 0);
    let typed = '';
    const type = (key: string) => {
      typed += key;
      fake.settings.set('webdata.embedded.chromePath', typed);
      happen.configured('webdata.embedded.chromePath');
    };
    for (const key of '/usr/bin/chrome') type(key);
    assert.equal(fake.messages.length, 1);
    // Once it was dismissed, the next change offers it again.
    answers[0]?.resolve(undefined);
    await eventually(() => {
      type('m');
      assert.equal(fake.messages.length, 2);
    });
    // The value that it runs with is back.
    answers[1]?.resolve(undefined);
    await eventually(() => {
      type('m');
      assert.equal(fake.messages.length, 3);
    });
    answers[2]?.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    fake.settings.delete('webdata.embedded.chromePath');
    happen.configured('webdata.embedded.chromePath');
    assert.equal(fake.messages.length, 3);
    registered.dispose();
  });
});
