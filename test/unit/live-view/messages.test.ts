import assert from 'node:assert/strict';
import { requests } from '../../../src/webviews/live-view/messages.ts';

const { control, live, saveFrames, saveScreenshot, copy, saveVideo } = requests;
const checks = { control, live, saveFrames, saveScreenshot, copy, saveVideo };

describe('requests of a live view to the extension', () => {
  it('are accepted if they are valid', () => {
    assert.ok(requests.live({ message: { type: 'ack', seq: 1 } }));
    assert.ok(requests.control({ take: true }));
    assert.ok(requests.copy({ text: 'x' }));
    assert.ok(requests.retry({}));
    assert.ok(requests.saveScreenshot({ png: new ArrayBuffer(1) }));
    assert.ok(requests.saveVideo({ webm: new ArrayBuffer(1) }));
    assert.ok(requests.saveFrames({ frames: [{ at: 1, jpeg: new ArrayBuffer(1) }] }));
  });

  const bad: unknown[] = [
    undefined,
    null,
    'text',
    [],
    {},
    { message: 'ack' },
    { message: { type: 1 } },
    { message: { type: 'text', text: 'x'.repeat(70_000) } },
    { take: 'yes' },
    { text: 'x'.repeat(1_000_001) },
    { text: { length: 1 } },
    { png: 'data:image/png' },
    { webm: [1, 2] },
    { frames: [{ at: Number.NaN, jpeg: new ArrayBuffer(1) }] },
    { frames: [{ at: 1, jpeg: '../x' }] },
    JSON.parse('{"__proto__":{"take":true,"text":"x","message":{"type":"ack"}}}'),
  ];
  for (const params of bad) {
    it(`are dropped if they are ${JSON.stringify(params)?.slice(0, 60)} (EXT-04)`, () => {
      for (const [name, check] of Object.entries(checks)) assert.equal(check(params), false, name);
    });
  }
});
