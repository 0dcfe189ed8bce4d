import assert from 'node:assert/strict';
import { addPage } from '../../../../src/service/assistants/docs-search/index/markdown.ts';
import {
  append,
  createPassages,
  emptyCorpus,
  mostPassages,
  rowBlocks,
} from '../../../../src/service/assistants/docs-search/index/passages.ts';
import { addPage as addRestructuredText } from '../../../../src/service/assistants/docs-search/index/restructured-text.ts';
import { readPage } from '../../../../src/service/assistants/docs-search/index/source-files.ts';

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
      assert.ok(passagesOf(`# ${heading}\n\nWords.`).length <= 2);
  });

  it('is stored in what grows with its length', () => {
    const long = 'word '.repeat(4_000);
    const sections = Array.from({ length: 500 }, (_, number) => `## Section ${number}\n\nText.\n\n`).join('');
    const directives = Array.from(
      { length: 90 },
      (_, level) => `${'   '.repeat(level)}.. note:: ${'x'.repeat(150)}\n\n`,
    );
    const pages = {
      'a title': `---\ntitle: ${long}\n---\n${sections}`,
      'a heading': `# ${long}\n\n${sections}`,
      'headings in each other': `${[1, 2, 3, 4, 5].map((level) => `${'#'.repeat(level)} ${long}\n\n`).join('')}${sections.replaceAll('##', '######')}`,
      'an anchor': `# Heading {#${'a'.repeat(20_000)}}\n\n${sections.replaceAll(/^##.*$/gm, '')}`,
      'other wordings': `# Heading\n\n${`<!-- asked: ${'word '.repeat(700)}-->\n\n`.repeat(10)}${`${'word '.repeat(300)}\n\n`.repeat(30)}`,
      'names of columns': `|${long}|\n|-|\n${'|x|\n'.repeat(500)}`,
      'directives in each other': `${directives.join('')}${Array.from({ length: 500 }, (_, number) => `${'   '.repeat(90)}.. describe:: x${number}\n\n${'   '.repeat(91)}Text.\n\n`).join('')}`,
    };
    for (const [name, text] of Object.entries(pages)) {
      const corpus = emptyCorpus();
      const add = name.startsWith('directives') ? addRestructuredText : addPage;
      add(corpus, { address: 'file:///page', anchors: true }, text);
      const stored = corpus.passages.map((passage) => ({ page: corpus.pages[passage.page], passage }));
      const times = JSON.stringify(stored).length / text.length;
      assert.ok(times < 40, `${name}: ${times} times`);
    }
  });

  it('is added after others, as far as there is room', async () => {
    const page = { address: 'file:///page.md', anchors: true };
    const [kettle, cup] = [await readPage(page, '# Kettle\n\nBlue.'), await readPage(page, '# Cup\n\nRed.\n\n## Lid')];
    const corpus = emptyCorpus();
    append(corpus, kettle);
    append(corpus, cup);
    const titles = () => corpus.passages.map((passage) => corpus.pages[passage.page]?.title);
    assert.deepEqual(titles(), ['Kettle', 'Cup']);
    const [passage] = cup.passages;
    const many = Array.from({ length: mostPassages }, () => passage as NonNullable<typeof passage>);
    append(corpus, { pages: cup.pages, passages: many });
    assert.deepEqual([corpus.passages.length, titles().at(-1)], [mostPassages + 1, 'Cup']);
  });

  it('has a long paragraph in parts, cut between words', () => {
    const words = Array.from({ length: 5_000 }, (_, number) => `word${number}`).join(' ');
    const blocks = passagesOf(`# Kettle\n\n${words}\n\n${'x'.repeat(20_000)}`).flatMap((passage) => passage.blocks);
    assert.ok(blocks.every(({ text }) => text.length <= 8_000));
    assert.equal(
      blocks
        .slice(0, -3)
        .map(({ text }) => text)
        .join(' '),
      words,
    );
    assert.deepEqual(
      blocks.slice(-3).map(({ text }) => text.length),
      [8_000, 8_000, 4_000],
    );
    const emoji = passagesOf(`x${'\u{1f600}'.repeat(9_000)}`).flatMap((passage) => passage.blocks);
    assert.deepEqual(
      emoji.map(({ text }) => [text.length, text.isWellFormed()]),
      [
        [7_999, true],
        [8_000, true],
        [2_002, true],
      ],
    );
  });

  it('has other wordings up to a limit, none of them empty (TRN-06)', () => {
    const [passage] = passagesOf(`# Kettle\n\n${'<!-- asked: a|b | |c -->\n\n'.repeat(10_000)}Blue.`);
    assert.equal(passage?.asked?.length, 3999);
    assert.ok(passage.asked.every(Boolean));
  });

  it('has all rows of a very long table', () => {
    const corpus = emptyCorpus();
    const rows = Array.from({ length: 200_000 }, () => ({ cells: ['x', 'y'], lines: [1, 1] as [number, number] }));
    createPassages(corpus, { address: 'file:///page.md', anchors: true, title: 'Page' }).addAll(rowBlocks(rows));
    assert.equal(corpus.passages.flatMap(({ blocks }) => blocks).length, 200_000);
  });

  it('adds nothing beyond what a source may have (BUD-21)', () => {
    const corpus = emptyCorpus();
    const passages = createPassages(corpus, { address: 'file:///page.md', anchors: true, title: '\u001b[1mPage' });
    for (let count = 0; count < mostPassages + 1000; count++) {
      passages.heading(1, '', [1, 1]);
      passages.add({ kind: 'paragraph', text: 'Blue.', lines: [2, 2] });
    }
    assert.equal(corpus.passages.length, mostPassages + 1);
    assert.equal(corpus.pages[0]?.title, 'Page');
  });

  it('has long headings and names of columns whole in its text, and those of ordinary length as they are', () => {
    const words = Array.from({ length: 300 }, (_, number) => `word${number}`).join(' ');
    const [whole, text] = passagesOf(`# ${words}\n\nText.`);
    assert.deepEqual([whole?.blocks[0]?.text, whole?.blocks[0]?.lines], [words, [1, 1]]);
    assert.equal(text?.headings[0]?.length, 300);
    const table = `|A|${words}|\n|-|-|\n|x|y|\n|x|z|`;
    const [column, ...rows] = passagesOf(`# B\n\n${table}`).flatMap(({ blocks }) => blocks);
    assert.deepEqual(column, { kind: 'paragraph', text: words, lines: [3, 3] });
    assert.deepEqual(
      rows.map(({ text }) => text.length),
      [109, 109],
    );
    const ordinary = 'A heading of many words '.repeat(12).trim();
    const [only, ...more] = passagesOf(`# ${ordinary}\n\nText.`);
    assert.deepEqual([only?.headings, more], [[ordinary], []]);
  });
});
