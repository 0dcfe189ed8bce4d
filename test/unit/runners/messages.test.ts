import assert from 'node:assert/strict';
import { createMessageReader, type FromRunner } from '../../../src/service/browsers/runners/messages.ts';

describe('messages of a runner', () => {
  let read: (chunk: Buffer) => Promise<void>;
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

  it('are read from lines split anywhere', async () => {
    for (let size = 1; size <= line.length; size++) {
      messages.length = 0;
      for (let at = 0; at < line.length; at += size) await read(line.subarray(at, at + size));
      assert.deepEqual(messages, [result]);
    }
  });

  it('are read if one chunk has several', async () => {
    const started = Buffer.from('{"type":"started","nonce":"n"}\n');
    await read(Buffer.concat([started, line, line]));
    assert.deepEqual(
      messages.map(({ type }) => type),
      ['started', 'result', 'result'],
    );
  });

  it('are skipped if they are invalid', async () => {
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
    await read(Buffer.from(`${bad.join('\n')}\n`));
    assert.deepEqual(messages, []);
    await read(line);
    assert.deepEqual(messages, [result]);
  });

  it('are long only if they are about the current run (TRN-10)', async () => {
    const long = (nonce: string) =>
      Buffer.from(`${JSON.stringify({ ...result, nonce, result: 'x'.repeat(100_000) })}\n`);
    const { parse } = JSON;
    let longest = 0;
    JSON.parse = (text, reviver) => {
      longest = Math.max(longest, text.length);
      return parse(text, reviver);
    };
    try {
      for (const text of ['m', 'nn']) await read(long(text));
      await read(Buffer.from(`${'['.repeat(70_000)}${']'.repeat(70_000)}\n`));
      assert.deepEqual([messages.length, longest], [0, 0]);
      await read(long('n'));
      assert.equal(messages.length, 1);
    } finally {
      JSON.parse = parse;
    }
  });

  it('are read in several turns if a snippet writes many (TRN-10)', async () => {
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await read(Buffer.concat([Buffer.alloc(1_000_000, '\n'), line]));
    clearImmediate(next);
    assert.ok(turns > 1, `${turns} turns`);
    assert.deepEqual(messages, [result]);
  });

  it('are only those about the current run once it is known', async () => {
    await read(Buffer.from('{"type":"ready"}\n{"type":"started","nonce":"other"}\n'));
    assert.deepEqual(messages, []);
  });

  it('give up on an endless line, and continue with the next', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let count = 0; count < 40; count++) await read(chunk);
    await read(Buffer.from('\n'));
    await read(line);
    assert.deepEqual(messages, [result]);
  });
});
