import assert from 'node:assert/strict';
import { panelColumn } from '../../../src/extension/live-view/panel-column.ts';

/** A window's live view, in columns that the test chooses. */
function windowWith(stored?: unknown) {
  const values = new Map<string, unknown>([['webdata.liveViewColumn', stored]]);
  let alone = false;
  let listener = () => {};
  const panel = {
    viewColumn: undefined as number | undefined,
    onDidChangeViewState: (given: () => void) => (listener = given),
  };
  const state = {
    get: (key: string) => values.get(key),
    update: (key: string, value: unknown) => values.set(key, value),
  };
  const column = panelColumn(state, () => alone);
  column.watch(panel);
  return {
    column,
    at(viewColumn: number | undefined, isAlone = false) {
      alone = isAlone;
      panel.viewColumn = viewColumn;
      listener();
    },
  };
}

describe('the column of live views', () => {
  it('is the one that a live view was moved to', () => {
    const { column, at } = windowWith();
    at(2);
    assert.equal(column.value, undefined, 'it opened there');
    at(2);
    at(1);
    assert.equal(column.value, 1);
    at(3);
    assert.equal(column.value, 3);
  });

  it("doesn't change when only the live view is left, or moves to a window of its own", () => {
    const { column, at } = windowWith(3);
    at(3);
    at(1, true);
    assert.equal(column.value, 3);
    at(undefined);
    assert.equal(column.value, 3);
  });

  it('is undefined if the stored value is not a column', () => {
    for (const stored of [0, -1, 1.5, '2', null]) assert.equal(windowWith(stored).column.value, undefined);
  });
});
