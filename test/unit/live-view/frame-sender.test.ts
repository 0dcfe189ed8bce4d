import assert from 'node:assert/strict';
import { type EncodedFrame, FrameSender, levels } from '../../../src/service/browsers/live-view/frame-sender.ts';

function setUp() {
  let now = 0;
  let seq = 0;
  const sent: Buffer[] = [];
  const changes: number[] = [];
  let rooms = 0;
  const sender = new FrameSender({
    send: (bytes) => sent.push(bytes),
    now: () => now,
    onRoom: () => rooms++,
    onLevel: (level) => changes.push(level),
  });
  const picture = (): EncodedFrame => {
    seq++;
    return { seq, bytes: Buffer.from([seq]) };
  };
  /** Sends and acknowledges `count` pictures, each after `delay` milliseconds. */
  const exchange = (count: number, delay: number) => {
    for (let index = 0; index < count; index++) {
      const one = picture();
      sender.offer(one);
      now += delay;
      sender.ack(one.seq);
    }
  };
  return {
    sender,
    sent,
    changes,
    picture,
    exchange,
    pass: (ms: number) => {
      now += ms;
    },
    get rooms() {
      return rooms;
    },
  };
}

describe('pictures for one viewer', () => {
  it('keep at most one unsent, the newest, however long the viewer is silent', () => {
    const { sender, sent, picture } = setUp();
    const all = Array.from({ length: 1000 }, picture);
    for (const one of all) sender.offer(one);
    assert.deepEqual(
      sent.map(([seq]) => seq),
      [1, 2, 3],
    );
    sender.ack(1);
    assert.equal(sent.length, 4);
    assert.equal(sent[3], all[999]?.bytes);
  });

  it('continue with the acknowledgement of a later one, which covers all before it', () => {
    const state = setUp();
    for (let count = 0; count < 3; count++) state.sender.offer(state.picture());
    assert.equal(state.sender.hasRoom, false);
    state.sender.ack(3);
    assert.equal(state.sender.hasRoom, true);
    assert.equal(state.rooms, 1);
  });

  it('ignore acknowledgements of unsent pictures', () => {
    const { sender, sent, picture } = setUp();
    for (let count = 0; count < 5; count++) sender.offer(picture());
    for (const seq of [0, 5, 99, 2 ** 32 - 1]) sender.ack(seq);
    assert.equal(sent.length, 3);
  });

  it('become smaller for a slow viewer, and better again for a fast one', () => {
    const { sender, changes, exchange, pass } = setUp();
    exchange(6, 400);
    assert.deepEqual(changes, [1]);
    exchange(6, 400);
    assert.deepEqual(changes, [1, 2]);
    exchange(20, 400);
    assert.equal(sender.level, levels.length - 1);
    pass(10_000);
    exchange(30, 20);
    assert.deepEqual(changes.slice(2), [1]);
  });

  it('wait longer before a failed quality level is tried again', () => {
    const { changes, exchange, pass } = setUp();
    exchange(6, 400);
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      let waited = 0;
      for (const before = changes.length; changes.length === before; waited += 500) {
        pass(400);
        exchange(5, 20);
      }
      waits.push(waited);
      exchange(6, 400);
    }
    for (const [index, wait] of waits.entries()) if (index > 1) assert.ok(wait > (waits[index - 1] ?? 0), waits.join());
  });

  it('measure how long an acknowledgement is overdue, and reset while the view is hidden', () => {
    const { sender, picture, pass } = setUp();
    assert.equal(sender.unansweredMs, 0);
    sender.offer(picture());
    pass(5_000);
    assert.equal(sender.unansweredMs, 5_000);
    sender.pause();
    assert.equal(sender.unansweredMs, 0);
    assert.equal(sender.hasRoom, true);
  });
});
