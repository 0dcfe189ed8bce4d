import assert from 'node:assert/strict';
import { parseHTML } from 'linkedom';
import type { ShownRun } from '../../../../src/webviews/run-results/messages.ts';
import { runElement } from '../../../../src/webviews/run-results/run-view.ts';

describe('the line of a run', () => {
  before(() => {
    Reflect.set(globalThis, 'document', parseHTML('<html><body></body></html>').document);
  });
  after(() => {
    Reflect.deleteProperty(globalThis, 'document');
  });
  const nameOf = (change: Partial<ShownRun>) => {
    const can = { runAgain: true, goToCode: true, openLiveView: false };
    const run: ShownRun = {
      id: 'a',
      sessionId: 's',
      session: 's',
      title: 'cell open',
      state: 'ok',
      startedAt: 0,
      can,
      ...change,
    };
    const shown = runElement(run, { open: false, now: 0, views: new Map() }, {} as never);
    return shown.querySelector('.title')?.textContent;
  };

  it('names who ran the code, if that was not the person, and the file', () => {
    assert.equal(nameOf({ file: 'shop.js' }), 'shop.js · cell open');
    assert.equal(nameOf({ file: 'shop.js', title: 'shop.js' }), 'shop.js');
    assert.equal(nameOf({ agent: 'Chat', title: 'await page.title()' }), 'Chat · await page.title()');
  });
});
