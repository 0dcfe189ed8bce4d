import assert from 'node:assert/strict';
import { addPage } from '../../../../src/service/assistants/docs-search/index/markdown.ts';
import {
  type Corpus,
  emptyCorpus,
  type Page,
  placeOf,
} from '../../../../src/service/assistants/docs-search/index/passages.ts';

function read(markdown: string): Corpus {
  const corpus = emptyCorpus();
  addPage(corpus, { address: 'page.md', anchors: true }, markdown);
  return corpus;
}

const blocksIn = (markdown: string) => read(markdown).passages.flatMap(({ blocks }) => blocks);
const texts = (markdown: string) => blocksIn(markdown).map(({ kind, text }) => `${kind}: ${text}`);

describe('a page of markdown', () => {
  it('is split into paragraphs, items, rows and code, each with its section and lines', () => {
    const { pages, passages } = read(
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
      passages.flatMap(({ blocks, headings }) =>
        blocks.map(({ kind, text, lines }) => [kind, text, lines, headings.at(-1)]),
      ),
      [
        ['paragraph', 'What there is. Two lines.', [3, 4], 'Limits'],
        ['row', 'Field: `ttl`; Limit: 30 to 3600', [10, 10], 'How long?'],
        ['row', 'Field: a | b', [11, 11], 'How long?'],
        ['item', 'one goes on', [13, 14], 'How long?'],
        ['item', 'two', [15, 15], 'How long?'],
        ['code', 'run();', [17, 19], 'How long?'],
      ],
    );
  });

  it('has the heading anchors of GitHub', () => {
    const { passages } = read(
      [
        '# A `b`',
        '## POST /v2/browser/{sessionId}/execute',
        '## Größe, und "mehr"?',
        '## Same',
        '## Same',
        'Under\n===',
      ]
        .map((heading) => `${heading}\n\ntext\n\n`)
        .join(''),
    );
    assert.deepEqual(
      passages.map(({ anchor }) => anchor),
      ['a-b', 'post-v2browsersessionidexecute', 'größe-und-mehr', 'same', 'same-1', 'under'],
    );
  });

  it('keeps the path of headings to a section', () => {
    const { passages } = read('# A\n## B\n### C\nc\n## D\nd');
    assert.deepEqual(
      passages.map(({ headings }) => headings),
      [
        ['A', 'B', 'C'],
        ['A', 'D'],
      ],
    );
  });

  it('skips comments, front matter, rules and link definitions, and keeps line numbers', () => {
    const blocks = blocksIn('---\ntitle: x\n---\n<!-- a\nb -->\n\n***\n\n[1]: https://a.example\n\nText.');
    assert.deepEqual(
      blocks.map(({ text, lines }) => [text, lines]),
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
    const text = '---\ntitle: "Use of ovens"\n---\n\n## Lamps { #lamps }\n\nText.\n\n### Heat {/*hot*/}\n\nMore.\n';
    addPage(corpus, { address: 'a.md', anchors: true }, text);
    assert.equal(corpus.pages[0]?.title, 'Use of ovens');
    assert.deepEqual(
      corpus.passages.map((passage) => [placeOf(corpus.pages[0] as Page, passage), passage.anchor]),
      [
        [['Use of ovens', 'Lamps'], 'lamps'],
        [['Use of ovens', 'Lamps', 'Heat'], 'hot'],
      ],
    );
  });

  it('takes the title from the first heading, else from the name of the file', () => {
    const titleOf = (address: string, text: string) => {
      const corpus = emptyCorpus();
      addPage(corpus, { address, anchors: true }, text);
      return corpus.pages[0]?.title;
    };
    assert.equal(titleOf('a.md', 'Before.\n\n# The `a`\n'), 'The `a`');
    assert.equal(titleOf('guide/use-of_ovens.md', '## Lamps\n\nText.'), 'use of ovens');
    assert.equal(titleOf('file:///a/Use%20of%20ovens.mdx', '---\n: [\n---\nText.'), 'Use of ovens');
    assert.equal(titleOf('file:///a/100%.md', 'Text.'), '100%');
  });

  it('without a heading of the first level does not nest headings of one level in each other', () => {
    assert.deepEqual(
      read('## Reference\n\na\n\n### Returns\n\nb\n\n## Usage\n\nc').passages.map(({ headings }) => headings),
      [['Reference'], ['Reference', 'Returns'], ['Usage']],
    );
  });

  it('keeps no targets of links, whatever is in their text, and no directives and HTML', () => {
    const text = [
      'See [`useEffect`](/reference/useEffect), [the *guide*](guide.md "Guide") and [that].',
      '',
      '[that]: https://a.example/target',
      '',
      ':::tip NOTE',
      'A hint.',
      ':::',
      '/// note | Details',
      '',
      'Noted.',
      '',
      '///',
      '',
      '{* ../../docs_src/app.py hl[1] *}',
      '',
      '<!--@include: ./part.md-->',
      '',
      '<Intro>',
      '',
      'An introduction with <b>bold</b> words.',
      '',
      '</Intro>',
      '',
      '<div><script>run("<b>")</script><style>a { b: c }</style>',
      '<ul><li>One<li>Two &amp; more</ul>',
      '<!-- left out --></div>',
      '',
      '```md',
      ':::tip',
      '```',
    ].join('\n');
    assert.deepEqual(texts(text), [
      'paragraph: See `useEffect`, the guide and that.',
      'paragraph: A hint.',
      'paragraph: Noted.',
      'paragraph: An introduction with bold words.',
      'paragraph: One Two & more',
      'code: :::tip',
    ]);
  });

  it('has the code that its site shows, without what is cut and marks of lines', () => {
    const text =
      '```js\nimport "types"\n// ---cut---\nold() // [!code --]\nfresh() // [!code ++]\n// ---cut-after---\n}\n```';
    assert.deepEqual(texts(text), ['code: old()\nfresh()']);
    const others = ['ts\na() // ---cut---\nb', 'md\na\n// ---cut---\nb', 'ts\nconst mark = "// [!code focus]";'];
    for (const one of others)
      assert.deepEqual(texts(`\`\`\`${one}\n\`\`\``), [`code: ${one.slice(one.indexOf('\n') + 1)}`]);
    const marks = ' // [!code ++]'.repeat(200_000);
    assert.deepEqual(texts(`\`\`\`js\na()${marks}\n\`\`\``), ['code: a()']);
    const [code = ''] = texts(`\`\`\`js\na()${marks}x\n\`\`\``);
    assert.ok(code.startsWith('code: a() // [!code ++]'));
  });

  it('is cut between blocks where a section is longer than 300 words, each part with its headings', () => {
    const paragraph = 'word '.repeat(120).trim();
    const { passages } = read(`# A\n\n## B\n\n${`${paragraph}\n\n`.repeat(5)}## C\n\n${'long '.repeat(700)}`);
    assert.deepEqual(
      passages.map(({ headings, blocks }) => [headings.at(-1), blocks.length]),
      [
        ['B', 2],
        ['B', 2],
        ['B', 1],
        ['C', 1],
      ],
    );
  });
});
