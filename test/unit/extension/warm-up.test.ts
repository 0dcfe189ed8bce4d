import assert from 'node:assert/strict';
import { createWarmUp } from '../../../src/extension/runs/warm-up.ts';

describe('getting a browser ready', () => {
  let sent = 0;
  let runs = 0;
  let now = 0;
  const create = () => createWarmUp({ hasRuns: () => runs > 0, send: () => sent++, monotonic: () => now });

  it('waits for an editor with runnable code, in a workspace with runs', () => {
    const focus = create();
    focus('javascript');
    assert.equal(sent, 0);
    runs = 1;
    focus(undefined);
    focus('markdown');
    assert.equal(sent, 0);
    focus('python');
    assert.equal(sent, 1);
  });

  it('happens at most once a minute', () => {
    const focus = create();
    sent = 0;
    focus('typescript');
    now += 59_000;
    focus('javascript');
    assert.equal(sent, 1);
    now += 1000;
    focus('javascript');
    assert.equal(sent, 2);
  });
});
