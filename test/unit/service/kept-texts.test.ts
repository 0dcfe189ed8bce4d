import assert from 'node:assert/strict';
import { limitKeptTexts } from '../../../src/service/platform/kept-texts.ts';

describe('texts that are kept for teams (BUD-24, BUD-25)', () => {
  /** Returns the lengths that are left of texts of teams, the ones that were used last at the end. */
  function left(lengths: [team: string, length: number][], mostOfTeam: number, most: number): number[] {
    const texts = lengths.map(([team, length], lastUsed) => ({
      team,
      length,
      lastUsed,
      forget() {
        this.length = 0;
      },
    }));
    limitKeptTexts(texts, mostOfTeam, most);
    return texts.map(({ length }) => length);
  }

  it('stay as long as there is room', () => {
    assert.deepEqual(left([], 5, 10), []);
    assert.deepEqual(
      left(
        [
          ['a', 5],
          ['b', 5],
        ],
        5,
        10,
      ),
      [5, 5],
    );
  });

  it('are forgotten first where a team has more than its share, from the one that was not used for longest', () => {
    assert.deepEqual(
      left(
        [
          ['b', 1],
          ['a', 3],
          ['a', 0],
          ['a', 3],
          ['a', 2],
        ],
        5,
        10,
      ),
      [1, 0, 0, 3, 2],
    );
  });

  it('are forgotten by the team that has most, if all together have too many', () => {
    assert.deepEqual(
      left(
        [
          ['b', 3],
          ['a', 2],
          ['a', 2],
          ['c', 3],
        ],
        5,
        8,
      ),
      [3, 0, 2, 3],
    );
  });
});
