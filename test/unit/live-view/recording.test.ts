import assert from 'node:assert/strict';
import { Recording, timesOf } from '../../../src/webviews/live-view/recording/recording.ts';

const picture = (at: number, size = 10) => ({ at, jpeg: new Uint8Array(size) });

describe('a recording', () => {
  it('limits the frame rate, and ends with the last picture', () => {
    const recording = new Recording();
    for (let at = 0; at <= 1000; at += 16) recording.add(picture(at));
    const times = recording.frames.map(({ at }) => at);
    assert.ok(times.length >= 10 && times.length <= 12, String(times.length));
    assert.equal(times.at(-1), 992);
  });

  it('shows the last picture during a pause', () => {
    const recording = new Recording();
    for (const at of [0, 50, 5_000]) recording.add(picture(at));
    assert.deepEqual(
      recording.frames.map(({ at }) => at),
      [0, 50, 5_000],
    );
  });

  it('drops the oldest pictures when it is full', () => {
    const recording = new Recording(100);
    for (let index = 0; index < 50; index++) recording.add(picture(index * 100));
    assert.equal(recording.frames.length, 10);
    assert.equal(recording.frames[0]?.at, 4_000);
  });

  it('BUD-15: keeps the last five minutes, and at most 32 MB', () => {
    const minute = 60_000;
    const old = new Recording();
    for (let at = 0; at <= 20 * minute; at += minute) old.add(picture(at));
    assert.deepEqual(
      old.frames.map(({ at }) => at / minute),
      [15, 16, 17, 18, 19, 20],
    );
    const large = new Recording();
    for (let at = 0; at < 10_000; at += 100) large.add(picture(at, 1024 * 1024));
    assert.equal(large.frames.length, 32);
  });

  it('shows at its start what was shown then', () => {
    const recording = new Recording();
    for (const at of [0, 1_000, 500_000]) recording.add(picture(at));
    assert.deepEqual(
      recording.frames.map(({ at }) => at),
      [1_000, 500_000],
    );
  });

  it('has increasing times, and shortens long pauses', () => {
    const times = timesOf([picture(1_000), picture(1_100), picture(61_100), picture(61_050)]);
    assert.deepEqual(
      times.map(({ start, duration }) => [Number(start.toFixed(3)), duration]),
      [
        [0, 0.1],
        [0.1, 3],
        [3.1, 0.001],
        [3.101, 1],
      ],
    );
  });
});
