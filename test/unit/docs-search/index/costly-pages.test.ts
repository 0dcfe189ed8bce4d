import assert from 'node:assert/strict';
import { addPage } from '../../../../src/service/assistants/docs-search/index/markdown.ts';
import { emptyCorpus } from '../../../../src/service/assistants/docs-search/index/passages.ts';

function passagesOf(text: string) {
  const corpus = emptyCorpus();
  addPage(corpus, { address: 'file:///page.md', anchors: true }, text);
  return corpus.passages;
}

describe('a page of docs', () => {
  it('has the rows of its tables, and its headings without their IDs', () => {
    const text =
      '# One {#first}\n\n|a|b|\n|-|-|\n|c|d|\n\n## Two {/* second */}\n\nWords.\n\n## Three {/* */}\n\nMore.';
    const [one, two, three] = passagesOf(text);
    assert.deepEqual([one?.headings, one?.anchor, one?.blocks[0]?.text], [['One'], 'first', 'a: c; b: d']);
    assert.deepEqual([two?.headings.at(-1), two?.anchor], ['Two', 'second']);
    assert.deepEqual([three?.headings.at(-1), three?.anchor], ['Three', 'three']);
  });

  it('is read in time that grows with its length (TRN-06)', () => {
    const table = '|a|b|\n|-|-|\n|c|d|\n\n';
    const spaces = ' '.repeat(300_000);
    const rows = passagesOf(table.repeat(30_000)).flatMap(({ blocks }) => blocks);
    assert.equal(rows.length, 30_000);
    for (const heading of [`a${spaces}b`, `a {/*${spaces}b c`, `a {${spaces}#b c`])
      assert.equal(passagesOf(`# ${heading}\n\nWords.`).length, 1);
  });
});
