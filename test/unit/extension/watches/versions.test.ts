import assert from 'node:assert/strict';
import { versionsOf } from '../../../../src/extension/watches/versions.ts';
import { diffOf, hunksOf } from '../../../../src/service/web/scrape/changes/line-diff.ts';

const lines = (...texts: string[]) => texts.join('\n');
const many = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

describe('the versions of a page that changed', () => {
  const pairs: Record<string, [before: string, after: string]> = {
    'a changed line': [lines(...many(0, 30)), lines(...many(0, 12), 'changed', ...many(13, 30))],
    'changes far apart': [lines(...many(0, 60)), lines('first', ...many(1, 40), 'more', ...many(40, 59))],
    'only added lines': [lines('a', 'b'), lines('a', 'b', 'c', 'd')],
    'only removed lines': [lines('a', 'b', 'c'), lines('b')],
    'a page that was empty': ['', lines('a', 'b')],
    'a line break at the end': [lines('a', 'b', ''), lines('a', 'c', '')],
    'lines that look like marks': [lines('-a', '+b', '@@ x', ' c'), lines('-a', '+b', '@@ y', ' c')],
  };
  for (const [name, [before, after]] of Object.entries(pairs)) {
    it(`are whole while the page is stored: ${name}`, async () => {
      const { text } = await diffOf(hunksOf(before, after));
      const versions = versionsOf({ text }, after);
      assert.equal(versions?.whole, true);
      assert.equal(versions.after, after);
      assert.equal(versions.before.trimEnd(), before.trimEnd());
    });
  }

  it('are the changed lines when the page is no longer stored, or is another one', async () => {
    const [before, after] = pairs['changes far apart'] ?? ['', ''];
    const { text } = await diffOf(hunksOf(before, after));
    for (const stored of [undefined, lines(...many(100, 160))]) {
      const versions = versionsOf({ text }, stored);
      assert.equal(versions?.whole, false);
      assert.match(versions.before, /^line 0\nline 1\n/);
      assert.match(versions.after, /^first\nline 1\n/);
      assert.match(versions.after, /⋯/);
      assert.doesNotMatch(versions.after, /line 20/);
    }
  });

  it('are the fields that changed, as JSON', () => {
    const json = { price: { previous: 4, current: 5 }, name: { previous: null, current: 'Tea' } };
    const versions = versionsOf({ json }, undefined);
    assert.equal(versions?.extension, 'json');
    assert.deepEqual(JSON.parse(versions.before), { price: 4, name: null });
    assert.deepEqual(JSON.parse(versions.after), { price: 5, name: 'Tea' });
  });

  it('are unknown if the check says nothing of them', () => {
    for (const diff of [undefined, null, {}, { json: { summary: 'Something changed.' } }, { json: [] }])
      assert.equal(versionsOf(diff, 'text'), undefined);
  });
});
