import assert from 'node:assert/strict';
import { createTakeover } from '../../../src/service/platform/link/windows.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('takeover by a newer version', () => {
  function prepare() {
    const clock = createFakeClock();
    const state = { idle: false, taken: [] as string[] };
    const takeover = createTakeover<string>({
      version: '1.0.0',
      clock,
      idle: () => state.idle,
      onTakeover: (version) => state.taken.push(version),
    });
    return { clock, state, takeover };
  }

  it('waits until nothing runs, and happens once', () => {
    const { clock, state, takeover } = prepare();
    takeover.linked('new', '1.1.0');
    clock.advance(600_000);
    assert.deepEqual(state.taken, []);
    state.idle = true;
    clock.advance(600_000);
    assert.deepEqual(state.taken, ['1.1.0']);
  });

  it('goes to the newest of the windows', () => {
    const { clock, state, takeover } = prepare();
    takeover.linked('new', '1.1.0');
    takeover.linked('newest', '1.10.0');
    takeover.linked('other', '1.2.0');
    state.idle = true;
    clock.advance(10_000);
    assert.deepEqual(state.taken, ['1.10.0']);
  });

  it('never happens for windows of the same version, an older one or none', () => {
    const { clock, state, takeover } = prepare();
    state.idle = true;
    takeover.linked('same', '1.0.0');
    takeover.linked('old', '0.9.0');
    takeover.linked('unknown', '');
    clock.advance(600_000);
    assert.deepEqual(state.taken, []);
  });

  it("doesn't happen after the newer window has closed", () => {
    const { clock, state, takeover } = prepare();
    takeover.linked('new', '1.1.0');
    clock.advance(5_000);
    takeover.gone('new');
    state.idle = true;
    clock.advance(600_000);
    assert.deepEqual(state.taken, []);
  });
});
