import assert from 'node:assert/strict';
import {
  errorHeadline,
  isSuccess,
  partsOf,
  inlineText as rawInlineText,
} from '../../../src/extension/runs/results/outcome.ts';

describe('the outcome of a run', () => {
  it('is a failure with any sign of one, whatever success says (EXE-18)', () => {
    assert.equal(isSuccess({ success: true, exitCode: 0, result: '2' }), true);
    assert.equal(isSuccess({ success: true, error: 'Timeout' }), false);
    assert.equal(isSuccess({ success: true, exitCode: 1 }), false);
    assert.equal(isSuccess({ success: true, killed: true, exitCode: 0 }), false);
    assert.equal(isSuccess({ success: false }), false);
    assert.equal(isSuccess({ success: true, exitCode: null, error: null }), true);
  });

  it('has only the parts that exist', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(partsOf({ result: '2', stdout: '', stderr: null }))), { result: '2' });
  });

  it('has an empty result only if that is the value of the code', () => {
    assert.equal(partsOf({ result: '' }).result, undefined);
    assert.equal(partsOf({ result: '', emptyValue: true }).result, '');
    assert.match(rawInlineText('ok', { result: '' }, 5), /^» ''/);
  });

  it('always has an error if it failed', () => {
    assert.match(partsOf({ killed: true }).error ?? '', /timeout/);
    assert.match(partsOf({ exitCode: 3 }).error ?? '', /exit code 3/);
  });

  it('fits on one line of at most 80 characters', () => {
    const inlineText = (...args: Parameters<typeof rawInlineText>) => rawInlineText(...args).replaceAll('\u00a0', ' ');
    assert.equal(inlineText('ok', { result: '42' }, 118), '» 42   118 ms');
    assert.equal(inlineText('ok', {}, 5), '✓   5 ms');
    assert.equal(inlineText('ok', { result: 'data:image/png;base64,AAAA' }, 5), '» image   5 ms');
    assert.equal(inlineText('ok', { result: '{\n  "a": 1\n}' }, 5), '» { "a": 1 }   5 ms');
    assert.equal(inlineText('ok', { result: 'one\ntwo' }, 5), '» one …   5 ms');
    assert.equal(inlineText('cancelled', {}, 1500), 'stopped   1.5 s');
    for (const state of ['ok', 'failed'] as const) {
      const text = inlineText(state, { result: 'x'.repeat(5000), error: 'y'.repeat(5000) }, 123_456);
      assert.ok([...text].length <= 80, `${[...text].length} characters`);
    }
  });

  it('gives the error without the text before it', () => {
    assert.equal(errorHeadline('Error: no such page\n    at snippet.js:1:1'), 'no such page');
    assert.equal(
      errorHeadline('snippet.js:2\nlet y = ;\n        ^\n\nSyntaxError: Unexpected token'),
      'SyntaxError: Unexpected token',
    );
    assert.equal(
      errorHeadline('page.click: Timeout 5000ms exceeded.\nCall log:'),
      'page.click: Timeout 5000ms exceeded.',
    );
    assert.equal(errorHeadline('  \n'), 'failed');
  });

  it('shortens an error to its first sentence, if that says enough', () => {
    const limit = 'The run was stopped after 300 s, the limit of this server.';
    const more = 'The embedded service has no limit.';
    assert.equal(errorHeadline(`${limit} ${more}`), `${limit} ${more}`);
    assert.equal(errorHeadline(`${limit} ${more}`, 80), limit);
    assert.match(errorHeadline(`Failed. ${more} ${limit}`, 60), /^Failed\. The .*….* of this server\.$/);
    assert.match(errorHeadline(`${limit} ${more}`, 40), /^The run was .*….* of this server\.$/);
  });
});
