import assert from 'node:assert/strict';
import {
  isControlRequest,
  isEmptyRequest,
  isFramesRequest,
  isLiveRequest,
  isScreenshotRequest,
  isTextRequest,
  isVideoRequest,
} from '../../../src/webviews/live-view/messages.ts';

const checks = {
  isControlRequest,
  isLiveRequest,
  isFramesRequest,
  isScreenshotRequest,
  isTextRequest,
  isVideoRequest,
};

describe('requests of a live view to the extension', () => {
  it('are accepted if they are valid', () => {
    assert.ok(isLiveRequest({ message: { type: 'ack', seq: 1 } }));
    assert.ok(isControlRequest({ take: true }));
    assert.ok(isTextRequest({ text: 'x' }));
    assert.ok(isEmptyRequest({}));
    assert.ok(isScreenshotRequest({ png: new ArrayBuffer(1) }));
    assert.ok(isVideoRequest({ webm: new ArrayBuffer(1) }));
    assert.ok(isFramesRequest({ frames: [{ at: 1, jpeg: new ArrayBuffer(1) }] }));
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
