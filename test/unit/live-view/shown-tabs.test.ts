import assert from 'node:assert/strict';
import { listedTabs, ShownTabs } from '../../../src/service/browsers/live-view/shown-tabs.ts';

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

describe('the tabs that viewers are told of', () => {
  const icon = `data:image/png;base64,${'A'.repeat(64 * 1024)}`;
  const tabs = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      targetId: String(index),
      title: 't'.repeat(1_000),
      url: `https://site.test/${'u'.repeat(10_000)}`,
    }));

  it('have their titles, addresses and icons', () => {
    const [listed] = listedTabs(tabs(1), () => icon);
    assert.equal(listed?.icon, icon);
    assert.equal(listed?.title.length, 300);
    assert.equal(listed?.url.length, 8_000);
    const few = listedTabs(
      Array.from({ length: 100 }, (_, index) => ({
        targetId: String(index),
        title: 'Page',
        url: 'https://site.test/',
      })),
      () => 'data:,x',
    );
    assert.deepEqual(few[99], { id: '99', title: 'Page', url: 'https://site.test/', icon: 'data:,x' });
    assert.deepEqual(
      listedTabs([], () => icon),
      [],
    );
  });

  it('have one large icon among many small ones', () => {
    const listed = listedTabs(tabs(20), (targetId) => (targetId === '7' ? icon : 'data:,x'));
    assert.equal(listed[7]?.icon, icon);
    assert.equal(listed[8]?.icon, 'data:,x');
  });

  it('TRN-15: are no large message, however many there are and whatever they show', () => {
    for (const count of [10, 100, 1_000, 5_000])
      assert.ok(JSON.stringify(listedTabs(tabs(count), () => icon)).length < 1_000_000);
  });
});
