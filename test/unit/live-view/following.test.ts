import assert from 'node:assert/strict';
import { followedSession, type LiveSession } from '../../../src/extension/live-view/view-source.ts';
import { ViewportTracker } from '../../../src/service/browsers/chrome/relay/viewport-owners.ts';
import { pageSize } from '../../../src/service/browsers/live-view/page-sizes.ts';

const session = (id: string, change: Partial<LiveSession> = {}): LiveSession => ({
  id,
  name: undefined,
  status: 'active',
  endReason: undefined,
  liveViewUrl: `http://localhost/live/${id}`,
  interactiveLiveViewUrl: undefined,
  ...change,
});

/** Sessions of a window, newest first. */
function windowWith(sessions: LiveSession[], currentId?: string) {
  return {
    active: sessions.filter(({ status }) => status === 'active'),
    current: sessions.find(({ id, status }) => id === currentId && status === 'active'),
    find: (id: string) => sessions.find((each) => each.id === id),
    onDidChange: () => ({ dispose: () => undefined }),
  };
}

describe('the session that a live view follows', () => {
  const ended = { status: 'destroyed' };

  it('is the current one, even while another is watched', () => {
    assert.equal(followedSession(windowWith([session('b'), session('a')], 'b'), 'a'), 'b');
    assert.equal(followedSession(windowWith([session('b'), session('a')]), 'a'), 'a');
  });

  it('is the newest with a live view once the watched one has ended, or that one if there is none', () => {
    const without = session('c', { liveViewUrl: undefined });
    assert.equal(followedSession(windowWith([without, session('b'), session('a', ended)], 'a'), 'a'), 'b');
    assert.equal(followedSession(windowWith([session('a', ended)], 'a'), 'a'), 'a');
  });
});

describe('the size of a watched page', () => {
  const size = (width: number) => ({ width, height: 500 });
  const viewer = (width: number | null | undefined, change: object = {}) => ({
    control: false,
    shown: 'tab',
    viewport: typeof width === 'number' ? size(width) : width,
    ...change,
  });

  it('comes from the viewer in control, otherwise from the first that sets one', () => {
    assert.deepEqual(pageSize([viewer(undefined), viewer(600), viewer(700)], 'tab'), size(600));
    assert.deepEqual(pageSize([viewer(600), viewer(700, { control: true })], 'tab'), size(700));
    assert.deepEqual(pageSize([viewer(600), viewer(undefined, { control: true })], 'tab'), size(600));
  });

  it('is its own on request, and none that anybody wants while nobody watches', () => {
    assert.equal(pageSize([viewer(null), viewer(700)], 'tab'), null);
    assert.equal(pageSize([viewer(600, { shown: 'other' })], 'tab'), undefined);
    assert.equal(pageSize([], 'tab'), undefined);
  });

  it('is set by code while the client that set it is attached', () => {
    const tracker = new ViewportTracker();
    const changed: string[] = [];
    tracker.onChange((targetId) => changed.push(targetId));
    tracker.attached('one', 'tab');
    tracker.attached('two', 'tab');
    tracker.command('one', 'Page.navigate');
    tracker.command('unknown', 'Emulation.setDeviceMetricsOverride');
    assert.deepEqual([tracker.isSet('tab'), changed], [false, []]);
    tracker.command('one', 'Emulation.setDeviceMetricsOverride');
    tracker.command('two', 'Emulation.setDeviceMetricsOverride');
    tracker.command('one', 'Emulation.clearDeviceMetricsOverride');
    assert.equal(tracker.isSet('tab'), true);
    tracker.detached('two');
    assert.deepEqual([tracker.isSet('tab'), changed.length], [false, 4]);
  });
});
