import assert from 'node:assert/strict';
import { Milestones } from '../../../src/extension/first-steps/milestones.ts';

describe('the milestones of a new user', () => {
  it('are set when they are reached, and persist across windows', () => {
    const kept = new Map<string, unknown>();
    const state = {
      get: (key: string) => kept.get(key),
      update: (key: string, value: unknown) => kept.set(key, value),
    };
    const keys = new Map<string, boolean>();
    const set = (name: string, value: boolean) => void keys.set(name, value);

    const first = new Milestones(state, set);
    assert.deepEqual([...keys.values()], [false, false, false, false, false]);
    first.reach('ranSnippet');
    first.reach('ranSnippet');
    assert.equal(keys.get('ranSnippet'), true);

    keys.clear();
    new Milestones(state, set);
    assert.equal(keys.get('ranSnippet'), true);
    assert.equal(keys.get('askedDocs'), false);
  });
});
