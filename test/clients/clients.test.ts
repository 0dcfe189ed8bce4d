import assert from 'node:assert/strict';
import { checkLine } from './checks.ts';
import { clients, runClient } from './clients.ts';
import { type Checked, comparePage } from './page.ts';
import { type ProgramRun, useRig } from './rig.ts';

describe('published clients', () => {
  // On a machine that does other work, too.
  const rig = useRig();
  const checked: Checked[] = [];

  for (const client of clients) {
    describe(client.title, () => {
      it(`works in every call, with a key${client.keyOnly ? '' : client.fewWithoutKey ? ', and in some without' : ' and without'}`, async () => {
        const [withKey, withoutKey] = await Promise.all([
          runClient(client, rig(), 'on'),
          client.keyOnly ? undefined : runClient(client, rig(), 'off'),
        ]);
        const failures: string[] = [];
        for (const [run, how] of [
          [withKey, 'with a key'],
          [withoutKey, 'without a key'],
        ] as const) {
          if (!run) continue;
          const { lines, code, stderr } = run;
          const auth = run === withKey ? 'on' : 'off';
          for (const line of lines) {
            const about = { rig: rig(), client: client.id, name: `${client.id}-${auth}` };
            await checkLine(line, about).catch((error) =>
              failures.push(`${line.method} (${line.shows}), ${how}: ${error.message}`),
            );
          }
          if (code !== 0) failures.push(`exit code ${code}, ${how}: ${stderr}`);
        }
        assert.deepEqual(failures, []);
        const callsOf = ({ lines }: ProgramRun) => lines.map(({ method, shows }) => `${method}: ${shows}`).sort();
        if (withoutKey) {
          const [all, without] = [callsOf(withKey), callsOf(withoutKey)];
          assert.deepEqual(client.fewWithoutKey ? all.filter((call) => without.includes(call)) : all, without);
          if (client.fewWithoutKey) assert.ok(without.length >= 10);
        }
        const called = new Set(withKey.lines.map(({ method }) => method));
        assert.deepEqual(
          withKey.methods.filter((name) => !called.has(name) && !client.local.includes(name)),
          [],
          'the client has more calls than these',
        );
        checked.push({ client, lines: withKey.lines });
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
