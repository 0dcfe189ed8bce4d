import assert from 'node:assert/strict';
import { createMessageReader, type FromRunner } from '../../../src/service/browsers/runners/messages.ts';

describe('messages of a runner', () => {
  let read: (chunk: Buffer) => void;
  let messages: FromRunner[];
  beforeEach(() => {
    messages = [];
    read = createMessageReader(
      (message) => messages.push(message),
      () => 'n',
    );
  });
  const result = { type: 'result', nonce: 'n', exitCode: 0, result: 'é😀\n' };
  const line = Buffer.from(`${JSON.stringify(result)}\n`);

  it('are read from lines split anywhere', () => {
    for (let size = 1; size <= line.length; size++) {
      messages.length = 0;
      for (let at = 0; at < line.length; at += size) read(line.subarray(at, at + size));
      assert.deepEqual(messages, [result]);
    }
  });

  it('are read if one chunk has several', () => {
    read(Buffer.concat([Buffer.from('{"type":"ready"}\n'), line, line]));
    assert.deepEqual(
      messages.map(({ type }) => type),
      ['ready', 'result', 'result'],
    );
  });

  it('are skipped if they are invalid', () => {
    const bad = [
      '',
      'null',
      '5',
      '[]',
      'not json',
      '{}',
      '{"type":"other"}',
      '{"type":"result","exitCode":"0"}',
      '\x00\xff',
    ];
    read(Buffer.from(`${bad.join('\n')}\n`));
    assert.deepEqual(messages, []);
    read(line);
    assert.deepEqual(messages, [result]);
  });

  it('are long only if they are about the current run (TRN-10)', () => {
    const long = (nonce: string) =>
      Buffer.from(`${JSON.stringify({ ...result, nonce, result: 'x'.repeat(100_000) })}\n`);
    const { parse } = JSON;
    let longest = 0;
    JSON.parse = (text, reviver) => {
      longest = Math.max(longest, text.length);
      return parse(text, reviver);
    };
    try {
      for (const text of ['m', 'nn']) read(long(text));
      read(Buffer.from(`${'['.repeat(70_000)}${']'.repeat(70_000)}\n`));
      assert.deepEqual([messages.length, longest], [0, 0]);
      read(long('n'));
      assert.equal(messages.length, 1);
    } finally {
      JSON.parse = parse;
    }
  });

  it('give up on an endless line, and continue with the next', () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let count = 0; count < 40; count++) read(chunk);
    read(Buffer.from('\n'));
    read(line);
    assert.deepEqual(messages, [result]);
  });
});
