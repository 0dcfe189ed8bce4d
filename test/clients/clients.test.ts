import assert from 'node:assert/strict';
import { checkLine } from './checks.ts';
import { clients, runClient } from './clients.ts';
import { type Checked, comparePage } from './page.ts';
import { useRig } from './rig.ts';

describe('published clients', function () {
  // On a machine that does other work, too.
  this.timeout(600_000);
  const rig = useRig();
  const checked: Checked[] = [];

  for (const client of clients) {
    describe(client.title, () => {
      it('works in every call, with a key and without', async () => {
        const runs = await Promise.all([runClient(client, rig(), 'on'), runClient(client, rig(), 'off')]);
        const failures: string[] = [];
        for (const [index, auth] of (['on', 'off'] as const).entries()) {
          const { lines = [], code, stderr = '' } = runs[index] ?? {};
          const how = auth === 'on' ? 'with a key' : 'without a key';
          for (const line of lines) {
            const about = { rig: rig(), client: client.id, name: `${client.id}-${auth}` };
            await checkLine(line, about).catch((error) =>
              failures.push(`${line.method} (${line.shows}), ${how}: ${error.message}`),
            );
          }
          if (code !== 0) failures.push(`exit code ${code}, ${how}: ${stderr}`);
        }
        assert.deepEqual(failures, []);
        const [withKey, withoutKey] = runs.map(({ lines }) => lines.map(({ method, shows }) => `${method}: ${shows}`));
        assert.deepEqual(withoutKey?.sort(), withKey?.sort());
        const called = new Set(runs[0].lines.map(({ method }) => method));
        assert.deepEqual(
          runs[0].methods.filter((name) => !called.has(name) && !client.local.includes(name)),
          [],
          'the client has more calls than these',
        );
        checked.push({ client, lines: runs[0].lines });
      });
    });
  }

  describe('their page', () => {
    it('lists these calls', async function () {
      // Without all of them, there is nothing to compare.
      if (checked.length < clients.length) return this.skip();
      await comparePage(checked);
    });
  });
});
