import assert from 'node:assert/strict';
import type { FromViewer } from '../../../src/contract/sessions/live-view.ts';
import type { Picture } from '../../../src/webviews/live-view/viewer/picture.ts';
import { followPointer } from '../../../src/webviews/live-view/viewer/pointer.ts';

describe('the pointer on a live view', () => {
  const original = globalThis.requestAnimationFrame;
  afterEach(() => {
    globalThis.requestAnimationFrame = original;
  });

  /** Follows a pointer on a screen that draws when told to. */
  function follow() {
    const sent: FromViewer[] = [];
    const awaited: FrameRequestCallback[] = [];
    globalThis.requestAnimationFrame = (callback) => awaited.push(callback);
    const canvas = new EventTarget();
    const picture = { canvas, pointAt: ({ clientX: x, clientY: y }: MouseEvent) => ({ x, y }) } as unknown as Picture;
    followPointer({ picture, send: (message) => sent.push(message), active: () => true, onPress: () => undefined });
    return {
      sent,
      event: (type: string, fields: object) =>
        canvas.dispatchEvent(Object.assign(new Event(type), { buttons: 0, deltaMode: 0, deltaX: 0 }, fields)),
      draw(now: number): void {
        for (const callback of awaited.splice(0)) callback(now);
      },
    };
  }

  it('never sends as many messages a second as the service takes from a viewer, however fast mouse and screen are', () => {
    const { sent, event, draw } = follow();
    const [eventsPerSecond, framesPerSecond] = [1_000, 500];
    for (let number = 1; number <= eventsPerSecond; number++) {
      event('mousemove', { clientX: number, clientY: 1 });
      event('wheel', { clientX: number, clientY: 1, deltaY: 3 });
      if (number % (eventsPerSecond / framesPerSecond) === 0) draw((number * 1000) / eventsPerSecond);
    }
    draw(2_000);
    assert.ok(sent.length < 350, String(sent.length));
    const turns = sent.filter((message) => message.type === 'wheel');
    assert.equal(
      turns.reduce((sum, { dy }) => sum + dy, 0),
      3 * eventsPerSecond,
    );
    const last = sent.findLast((message) => message.type === 'mouse');
    assert.equal(last?.x, eventsPerSecond);
  });

  it('sends how far a wheel has turned before what follows: a press, or another key with the wheel', () => {
    const { sent, event, draw } = follow();
    event('wheel', { clientX: 1, clientY: 1, deltaY: 1 });
    event('mousedown', { clientX: 1, clientY: 1, button: 0, detail: 1 });
    event('wheel', { clientX: 1, clientY: 1, deltaY: 2 });
    event('wheel', { clientX: 1, clientY: 1, deltaY: 4, ctrlKey: true });
    draw(100);
    const told = sent.map((message) => (message.type === 'wheel' ? message.dy : message.type));
    assert.deepEqual(told, [1, 'mouse', 2, 4]);
  });
});
