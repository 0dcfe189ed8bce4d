import assert from 'node:assert/strict';
import { workingFor } from '../../../src/service/platform/asker.ts';
import { createTurn, nextTurn } from '../../../src/service/platform/async.ts';

/** Keeps the thread busy for longer than a turn. */
function work(): void {
  for (const end = performance.now() + 12; performance.now() < end; );
}

describe('turns of the main thread (TRN-12)', () => {
  it('are taken by one team after another, however much one of them has to do, and others get in between', async () => {
    const done: string[] = [];
    const task = async (team: string) => {
      await nextTurn(team);
      done.push(team);
      work();
    };
    let isOver = false;
    let rounds = 0;
    const count = () => {
      rounds++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const tasks = Array.from({ length: 20 }, () => task('a'));
    await Promise.all([task('b'), task('c')]);
    assert.ok(done.length <= 5, done.join(' '));
    tasks.push(task('b'));
    await tasks.at(-1);
    assert.ok(done.length <= 8, done.join(' '));
    await Promise.all(tasks);
    isOver = true;
    assert.equal(done.length, 23);
    assert.ok(rounds >= 20, String(rounds));
  });

  it('are those of the team that a long task works for', async () => {
    const done: string[] = [];
    const task = (team: string) =>
      workingFor({ team, work: 'request' }, async () => {
        const turn = createTurn();
        for (let step = 0; step < 3; step++) {
          await turn.end();
          done.push(team);
          work();
        }
      });
    const all = Array.from({ length: 10 }, () => task('a'));
    await task('b');
    assert.ok(done.filter((team) => team === 'a').length <= 5, done.join(' '));
    await Promise.all(all);
    assert.equal(done.length, 33);
  });
});
