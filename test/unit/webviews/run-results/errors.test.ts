import assert from 'node:assert/strict';
import { byteSize } from '../../../../src/webviews/common/byte-size.ts';
import { splitError } from '../../../../src/webviews/run-results/part-view.ts';
import { createLinkFinder } from '../../../../src/webviews/run-results/source-links.ts';

describe('an error in Run Results', () => {
  it("starts with its message, with Playwright's call log separate", () => {
    assert.deepEqual(
      splitError(
        "TimeoutError: locator.click: Timeout 100ms exceeded.\nCall log:\n  - waiting for locator('#none')\n    - again\n    at err.js:2:29",
      ),
      {
        message: 'TimeoutError: locator.click: Timeout 100ms exceeded.',
        callLog: "  - waiting for locator('#none')\n    - again",
        details: '    at err.js:2:29',
      },
    );
    assert.deepEqual(splitError('ValueError: bad\nTraceback (most recent call last):\n  File "err.py", line 3'), {
      message: 'ValueError: bad',
      details: 'Traceback (most recent call last):\n  File "err.py", line 3',
    });
    assert.deepEqual(splitError('no frames'), { message: 'no frames' });
  });
});

describe('links in output', () => {
  const links = (text: string, file = 'err.js') =>
    createLinkFinder(file)(text).flatMap(({ text: piece, location }) => (location ? [[piece, location]] : []));

  it("lead to the run's file", () => {
    assert.deepEqual(links('TypeError: x\n    at a (err.js:15:12)'), [['err.js:15:12', { line: 15, column: 12 }]]);
    assert.deepEqual(links('File "err.py", line 3, in f', 'err.py'), [
      ['File "err.py", line 3', { line: 3, column: 1 }],
    ]);
    assert.deepEqual(links('err.sh: line 4: nope: command not found', 'err.sh'), [
      ['err.sh: line 4', { line: 4, column: 1 }],
    ]);
    assert.deepEqual(links('my file (1).js:2:3', 'my file (1).js'), [['my file (1).js:2:3', { line: 2, column: 3 }]]);
  });

  it('lead to imported files', () => {
    for (const [text, path] of [
      ['at helper (/project/app/lib/helper.mjs:3:9)', '/project/app/lib/helper.mjs'],
      ['at file:///project/app/helper.ts:3:9', 'file:///project/app/helper.ts'],
      ['at helper (./lib/helper.mjs:3:9)', './lib/helper.mjs'],
      ['at helper (lib/helper.cjs:3:9)', 'lib/helper.cjs'],
      ['at C:\\app\\helper.js:3:9', 'C:\\app\\helper.js'],
    ] as const) {
      const [[, location] = []] = links(text);
      assert.deepEqual(location, { path, line: 3, column: 9 }, text);
    }
    assert.deepEqual(links('  File "/project/helper.py", line 7, in x', 'err.py')[0]?.[1], {
      path: '/project/helper.py',
      line: 7,
      column: 1,
    });
  });

  it('are created for nothing else', () => {
    for (const text of ['at 10:42:05', 'https://shop.test/app.js', 'host:80:1', 'a.css:1:2', 'plain'])
      assert.deepEqual(links(text), []);
    const text = 'before err.js:1:2 after';
    assert.equal(
      createLinkFinder('err.js')(text)
        .map((piece) => piece.text)
        .join(''),
      text,
    );
  });
});

describe('sizes', () => {
  it('are short', () => {
    assert.deepEqual([999, 1000, 1_048_576, 2_340_000, 1_073_741_824].map(byteSize), [
      '999 B',
      '1.0 kB',
      '1.0 MB',
      '2.3 MB',
      '1.1 GB',
    ]);
  });
});
