import assert from 'node:assert/strict';
import { addPage } from '../../../../src/service/assistants/docs-search/index/markdown.ts';
import { type Corpus, emptyCorpus } from '../../../../src/service/assistants/docs-search/index/passages.ts';

function read(markdown: string): Corpus {
  const corpus = emptyCorpus();
  addPage(corpus, { address: 'page.md', anchors: true }, markdown);
  return corpus;
}

const texts = (markdown: string) => read(markdown).passages.map(({ kind, text }) => `${kind}: ${text}`);

describe('a page of markdown', () => {
  it('is split into paragraphs, items, rows and code, each with its section and lines', () => {
    const { pages, sections, passages } = read(
      [
        '# Limits',
        '',
        'What there is.',
        'Two lines.',
        '',
        '## How long?',
        '',
        '| Field | Limit |',
        '|---|---|',
        '| `ttl` | 30 to 3600 |',
        '| a \\| b | |',
        '',
        '- one',
        '  goes on',
        '- two',
        '',
        '```js',
        'run();',
        '```',
      ].join('\n'),
    );
    assert.equal(pages[0]?.title, 'Limits');
    assert.deepEqual(
      passages.map(({ kind, text, lines, section }) => [kind, text, lines, sections[section]?.headings.at(-1)]),
      [
        ['paragraph', 'What there is. Two lines.', [3, 4], 'Limits'],
        ['row', '`ttl`; Limit: 30 to 3600', [10, 10], 'How long?'],
        ['row', 'a | b', [11, 11], 'How long?'],
        ['item', 'one goes on', [13, 14], 'How long?'],
        ['item', 'two', [15, 15], 'How long?'],
        ['code', 'run();', [17, 19], 'How long?'],
      ],
    );
  });

  it('has the heading anchors of GitHub', () => {
    const { sections } = read(
      '# A `b`\n## POST /v2/browser/{sessionId}/execute\n## Größe, und "mehr"?\n## Same\n## Same\nUnder\n===',
    );
    assert.deepEqual(
      sections.map(({ anchor }) => anchor),
      ['', 'a-b', 'post-v2browsersessionidexecute', 'größe-und-mehr', 'same', 'same-1', 'under'],
    );
  });

  it('keeps the path of headings to a section', () => {
    const { sections } = read('# A\n## B\n### C\n## D');
    assert.deepEqual(sections.at(-2)?.headings, ['A', 'B', 'C']);
    assert.deepEqual(sections.at(-1)?.headings, ['A', 'D']);
  });

  it('skips comments, front matter, rules and link definitions, and keeps line numbers', () => {
    const { passages } = read('---\ntitle: x\n---\n<!-- a\nb -->\n\n***\n\n[1]: https://a.example\n\nText.');
    assert.deepEqual(
      passages.map(({ text, lines }) => [text, lines]),
      [['Text.', [11, 11]]],
    );
  });

  it('supports quotes, indented code, unclosed fences and Windows line endings', () => {
    assert.deepEqual(texts('> > said\r\n\r\n    code\r\n\r\nend'), ['paragraph: said', 'code: code', 'paragraph: end']);
    assert.deepEqual(texts('```\nnever\n# closed'), ['code: never\n# closed']);
  });

  for (const [name, markdown] of Object.entries({
    'a hundred thousand quotes': '>'.repeat(100_000),
    'a hundred thousand stars': '*'.repeat(100_000),
    'open brackets': '['.repeat(100_000),
    'open comments': '<!--'.repeat(50_000),
    'open tags': '<a'.repeat(50_000),
    backticks: '`'.repeat(100_000),
    'fences without end': '```\n'.repeat(20_001),
    'a line of blanks': `x${' '.repeat(200_000)}y`,
    'a heading of hashes': `# ${'#'.repeat(100_000)} x`,
    'a wide table': `|${'a|'.repeat(20_000)}\n|${'-|'.repeat(20_000)}\n`.repeat(3),
  })) {
    it(`handles ${name}`, () => {
      // Quadratic work on these would take minutes: the suite's own limit tells.
      assert.ok(read(markdown).pages.length === 1);
    });
  }

  it('takes the title of a page from its front matter, and no IDs into its headings', () => {
    const corpus = emptyCorpus();
    const text = '---\ntitle: "Use of ovens"\n---\n\n## Lamps { #lamps }\n\nText.\n\n### Heat {/*heat*/}\n\nMore.\n';
    addPage(corpus, { address: 'a.md', anchors: true }, text);
    assert.equal(corpus.pages[0]?.title, 'Use of ovens');
    assert.deepEqual(
      corpus.sections.slice(1).map(({ headings }) => headings),
      [
        ['Use of ovens', 'Lamps'],
        ['Use of ovens', 'Lamps', 'Heat'],
      ],
    );
  });
});
