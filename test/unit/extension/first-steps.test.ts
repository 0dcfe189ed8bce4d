import assert from 'node:assert/strict';
import { Milestones } from '../../../src/extension/first-steps/milestones.ts';

describe('the milestones of a new user', () => {
  const kept = new Map<string, unknown>();
  const state = { get: (key: string) => kept.get(key), update: (key: string, value: unknown) => kept.set(key, value) };
  function open() {
    const ticks: string[] = [];
    const ran: boolean[] = [];
    const milestones = new Milestones({
      state,
      tick: (milestone) => ticks.push(milestone),
      onRanSnippet: (value) => ran.push(value),
    });
    return { milestones, ticks, ran };
  }

  it('tick off their step each time, because VS Code may not have loaded the walkthrough yet', () => {
    const { milestones, ticks, ran } = open();
    assert.deepEqual([ticks, ran], [[], [false]]);
    milestones.reach('ranSnippet');
    milestones.reach('ranSnippet');
    assert.deepEqual(
      [ticks, ran],
      [
        ['ranSnippet', 'ranSnippet'],
        [false, true],
      ],
    );
  });

  it('stay reached in other windows, where their steps are ticked off when the walkthrough opens', () => {
    const { milestones, ticks, ran } = open();
    assert.deepEqual([ticks, ran], [[], [true]]);
    milestones.tickAll();
    assert.deepEqual(ticks, ['ranSnippet']);
  });
});
