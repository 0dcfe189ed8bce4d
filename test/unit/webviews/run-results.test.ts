import assert from 'node:assert/strict';
import { readToExtension } from '../../../src/webviews/common/messages.ts';
import { ansiPieces } from '../../../src/webviews/run-results/ansi.ts';
import { requests } from '../../../src/webviews/run-results/messages.ts';

const text = (output: string) =>
  ansiPieces(output)
    .map((piece) => piece.text)
    .join('');

describe('output with colors', () => {
  it('is split into pieces with their styles', () => {
    const pieces = ansiPieces('plain \x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[0m');
    assert.deepEqual(
      pieces.map((piece) => piece.text),
      ['plain ', 'red', ' ', 'rgb'],
    );
    assert.deepEqual(
      [pieces[1]?.bold, pieces[1]?.color, pieces[3]?.color],
      [true, 'var(--vscode-terminal-ansiRed)', 'rgb(1, 2, 3)'],
    );
  });

  it('drops every other control sequence (EXE-19)', () => {
    assert.equal(
      text('a\x1b[2J\x1b[1;1Hb\x1b]0;title\x07c\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\d\x1bcE\x00\x08f'),
      'ablinkcdEf'.replace('blinkcd', 'bclinkd'),
    );
    assert.equal(text('\x1bP+q544e\x1b\\x\x9b31my\x1b[?25lz'), 'xyz');
  });

  it('keeps tabs, line breaks and markup as text', () => {
    assert.equal(text('a\tb\r\nc <b>&amp;</b>\n'), 'a\tb\nc <b>&amp;</b>\n');
  });

  it('shows only the last text of an overwritten line', () => {
    assert.equal(text('10%\r50%\r100%\ndone'), '100%\ndone');
  });

  it('can end in the middle of a sequence', () => {
    assert.equal(text('abc\x1b'), 'abc');
    assert.equal(text('\x1b[31mabc\x1b[3'), 'abc');
    assert.equal(text('abc\x1b]0;never ends'), 'abc');
  });

  it('is split fast, however long it is', () => {
    assert.equal(text('\x1b[31mx'.repeat(50_000)).length, 50_000);
    assert.equal(text('\x1b]'.repeat(200_000)).length, 0);
    assert.equal(text(`\x1b[${'1;'.repeat(2_000_000)}1mx`), 'x');
    assert.equal(text(`\x1b[${'38:5:1;'.repeat(500_000)}1mx`), 'x');
  });
});

describe('messages of the Run Results view', () => {
  it('have known types', () => {
    assert.ok(requests.act({ action: 'stop', id: 'x' }));
    assert.ok(requests.open({ part: 'stdout', id: 'x' }));
    for (const params of [
      null,
      'stop',
      {},
      { action: 'executeCommand', id: 'x' },
      { action: 'stop' },
      { action: 'stop', id: 7 },
      { action: 'stop', id: 'x'.repeat(5000) },
    ]) {
      assert.equal(requests.act(params), false);
    }
    for (const part of ['__proto__', 'sessionId', 'title', undefined])
      assert.equal(requests.open({ part, id: 'x' }), false);
  });

  it('contain valid positions and formats', () => {
    const at = (location: unknown) => requests.reveal({ id: 'x', location });
    assert.ok(at({ line: 1, column: 2 }));
    assert.ok(at({ path: '/a.js', line: 1, column: 2 }));
    for (const location of [
      null,
      {},
      { line: 0, column: 1 },
      { line: 1.5, column: 1 },
      { path: 7, line: 1, column: 1 },
    ])
      assert.equal(at(location), false);
    assert.ok(requests.save({ id: 'x', format: 'csv', rows: [['a'], [1]] }));
    assert.equal(requests.save({ id: 'x', format: 'exe', text: '' }), false);
    assert.equal(requests.save({ id: 'x', format: 'csv', rows: ['a'] }), false);
  });

  it('are ignored if they are invalid (EXT-04)', () => {
    assert.deepEqual(readToExtension({ kind: 'ready', more: 1 }), { kind: 'ready' });
    for (const message of [
      null,
      1,
      'ready',
      [],
      {},
      { kind: 'request' },
      { kind: 'request', name: 'act', id: 1.5 },
      { kind: 'event', name: 'x' },
    ]) {
      assert.equal(readToExtension(message), undefined);
    }
  });
});
