import assert from 'node:assert/strict';
import { joinReport } from '../../../src/extension/runs/results/error-report.ts';
import { fileNameOf, withSourceNames } from '../../../src/extension/runs/results/source-names.ts';

describe('the report of a failure', () => {
  const own = 'TypeError: bad\n    at snippet.js:2:12';

  it('is shown once, not as stderr too', () => {
    assert.deepEqual(joinReport(own, `${own}\n`), { error: own, stderr: undefined });
    assert.deepEqual(joinReport('plain', 'plain\n'), { error: 'plain', stderr: undefined });
  });

  it('keeps the rest of stderr', () => {
    assert.deepEqual(joinReport(own, `warning\n${own}\n`), { error: own, stderr: 'warning\n' });
    assert.deepEqual(joinReport(own, `${own}\nError: late\n    at snippet.js:1:1\n`), {
      error: own,
      stderr: 'Error: late\n    at snippet.js:1:1\n',
    });
    assert.deepEqual(joinReport(own, 'something else\n'), { error: own, stderr: 'something else\n' });
  });

  it("has the error's frames, properties and causes", () => {
    const report =
      "Error: ENOENT\n    at a (snippet.js:2:17)\n    at async snippet.js:8:1 {\n  errno: -2,\n  code: 'ENOENT'\n}";
    assert.deepEqual(joinReport('Error: ENOENT\n    at snippet.js:2:17', `x\n${report}\n`), {
      error: report,
      stderr: 'x\n',
    });
  });

  it('starts with the message of a Python traceback', () => {
    const frames = 'Traceback (most recent call last):\n  File "snippet.py", line 3, in <module>\n    f()';
    const deep = 'ValueError: bad\n  File "snippet.py", line 3\n  File "/shop/helper.py", line 2, in pay';
    const own = `${frames}\n  File "/shop/helper.py", line 2, in pay\n    raise ValueError()`;
    assert.deepEqual(joinReport(deep, `x\n${own}\nValueError: bad\n`), {
      error: `ValueError: bad\n${own}`,
      stderr: 'x\n',
    });
    assert.deepEqual(joinReport('ValueError: bad\n  File "snippet.py", line 3', `x\n${frames}\nValueError: bad\n`), {
      error: `ValueError: bad\n${frames}`,
      stderr: 'x\n',
    });
    const first = `${frames}\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n`;
    const both = joinReport('ValueError: bad\n  File "snippet.py", line 3', `${first}${frames}\nValueError: bad\n`);
    assert.equal(both.stderr, undefined);
    assert.ok(both.error.startsWith('ValueError: bad\nTraceback'));
    assert.match(both.error, /KeyError: 1/);
    const place = '  File "snippet.py", line 2\n    a = = 1\n        ^';
    assert.deepEqual(
      joinReport('SyntaxError: invalid syntax\n  File "snippet.py", line 2', `${place}\nSyntaxError: invalid syntax\n`),
      { error: `SyntaxError: invalid syntax\n${place}`, stderr: undefined },
    );
  });
});

describe('file names in the text of a run', () => {
  const source = { file: 'err.js', start: { line: 13, character: 4 } };

  it("are the file's own, with its lines", () => {
    assert.equal(
      withSourceNames('at a (snippet.js:2:12)\nat snippet.js:1:3', 'node', source),
      'at a (err.js:15:12)\nat err.js:14:7',
    );
    assert.equal(
      withSourceNames('File "snippet.py", line 2, in a\nFile "snippet-3.py", line 1', 'python', {
        ...source,
        file: 'err.py',
      }),
      'File "err.py", line 15, in a\nFile "err.py", line 14',
    );
    assert.equal(
      withSourceNames('bash: line 2: nope: command not found', 'bash', { ...source, file: 'a.sh' }),
      'a.sh: line 15: nope: command not found',
    );
    assert.equal(
      withSourceNames('/shop/src/snippet.sh: line 2: nope: command not found', 'bash', { ...source, file: 'a.sh' }),
      'a.sh: line 15: nope: command not found',
    );
  });

  it('are unchanged without a file, and elsewhere', () => {
    assert.equal(withSourceNames('snippet.js:2:12', 'node', {}), 'snippet.js:2:12');
    assert.equal(withSourceNames('my-snippet.json:2:12', 'node', source), 'my-snippet.json:2:12');
  });

  it('are read from the URI of a document', () => {
    assert.equal(fileNameOf('file:///project/my%20app/err.js'), 'err.js');
    assert.equal(fileNameOf('vscode-remote://host%3A80/a/b%23c.js?x#y'), 'b#c.js');
    assert.equal(fileNameOf('untitled:Untitled-1'), 'Untitled-1');
    assert.equal(fileNameOf(undefined), undefined);
  });
});
