import assert from 'node:assert/strict';
import { fromWindow } from '../../../src/contract/embedded.ts';
import { fromViewer } from '../../../src/contract/sessions/live-view.ts';

describe('long lists in messages of windows and viewers', () => {
  const bad = Array.from({ length: 10_000 }, () => 1);
  const call = { id: '1', name: 'click', arguments: '{}' };
  const file = { name: 'a.txt', mediaType: '', size: 1 };
  const answer = (toolCalls: unknown[]) => fromWindow.safeParse({ type: 'model-answer', id: '1', text: '', toolCalls });
  const files = (list: unknown[]) => fromViewer.safeParse({ type: 'files', chooser: '1', files: list });

  it('TRN-15: are refused with one problem, not with one for each item', () => {
    assert.equal(answer(bad).error?.issues.length, 1);
    assert.equal(files(bad).error?.issues.length, 1);
  });

  it('are accepted if they are short enough, and their items valid', () => {
    assert.ok(answer([call, call]).success);
    assert.ok(files([file]).success);
    assert.ok(!answer([{ ...call, arguments: 1 }]).success);
    assert.ok(!files([{ ...file, size: -1 }]).success);
  });
});
