import assert from 'node:assert/strict';
import { ShownTabs } from '../../../src/service/browsers/live-view/shown-tabs.ts';

const tab = (targetId: string, openerId?: string) => ({ targetId, url: '', title: '', ...(openerId && { openerId }) });

describe('the tab that a viewer sees', () => {
  it('is the newest unless it has chosen one', () => {
    const tabs = new ShownTabs([tab('a')]);
    const viewer = { chosen: undefined, shown: 'a' };
    assert.equal(tabs.of(viewer), 'a');
    tabs.update([tab('a'), tab('b')], [viewer]);
    assert.equal(tabs.of(viewer), 'b');
    tabs.update([tab('a')], [viewer]);
    assert.equal(tabs.of(viewer), 'a');
    tabs.update([], [viewer]);
    assert.equal(tabs.of(viewer), undefined);
  });

  it('stays the chosen one when others open, and is the newest again when that closes', () => {
    const tabs = new ShownTabs([tab('a'), tab('b')]);
    const viewer: { chosen: string | undefined; shown: string } = { chosen: 'a', shown: 'a' };
    tabs.update([tab('a'), tab('b'), tab('c', 'b')], [viewer]);
    assert.equal(tabs.of(viewer), 'a');
    tabs.update([tab('b'), tab('c')], [viewer]);
    assert.equal(tabs.of(viewer), 'c');
    assert.equal(viewer.chosen, undefined);
  });

  it('is a popup of the current one', () => {
    const tabs = new ShownTabs([tab('a'), tab('b')]);
    const viewer = { chosen: 'a', shown: 'a' };
    tabs.update([tab('a'), tab('b'), tab('popup', 'a')], [viewer]);
    assert.equal(tabs.of(viewer), 'popup');
  });

  it("is never one that doesn't exist", () => {
    assert.equal(new ShownTabs([tab('a')]).of({ chosen: 'nonsense', shown: 'a' }), 'a');
  });
});
