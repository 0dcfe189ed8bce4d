import assert from 'node:assert/strict';
import { type Corpus, emptyCorpus } from '../../../../src/service/assistants/docs-search/index/passages.ts';
import { addPage } from '../../../../src/service/assistants/docs-search/index/restructured-text.ts';

function read(...lines: string[]): Corpus {
  const corpus = emptyCorpus();
  addPage(corpus, { address: 'file:///docs/tea-pots.rst', anchors: true }, lines.join('\n'));
  return corpus;
}

const rows = ({ passages }: Corpus) =>
  passages.flatMap(({ blocks, headings }) =>
    blocks.map(({ kind, text, lines }) => [kind, text, lines, headings.at(-1)]),
  );
const texts = (corpus: Corpus) =>
  corpus.passages.flatMap(({ blocks }) => blocks.map(({ kind, text }) => `${kind}: ${text}`));

describe('a page of reStructuredText', () => {
  it('is split into paragraphs, items, rows and code, each with its section and lines', () => {
    const page = read(
      '.. _limits:',
      '',
      'Limits',
      '======',
      '',
      'What *there* is.',
      'Two lines::',
      '',
      '    run()',
      '',
      'How long?',
      '---------',
      '',
      '- one',
      '  goes on',
      '- two',
      '',
      '=====  ==========',
      'Field  Limit',
      '=====  ==========',
      'ttl    30 to 3600',
      '=====  ==========',
      '',
      '.. code-block:: python',
      '   :linenos:',
      '',
      '   stop()',
      '',
      'term',
      '    Its definition.',
    );
    assert.equal(page.pages[0]?.title, 'Limits');
    assert.deepEqual(
      page.passages.map(({ headings, anchor }) => [headings, anchor]),
      [
        [['Limits'], 'limits'],
        [['Limits', 'How long?'], 'how-long'],
      ],
    );
    assert.deepEqual(rows(page), [
      ['paragraph', 'What there is. Two lines:', [6, 7], 'Limits'],
      ['code', 'run()', [9, 9], 'Limits'],
      ['item', 'one goes on', [14, 15], 'How long?'],
      ['item', 'two', [16, 16], 'How long?'],
      ['row', 'Field: ttl; Limit: 30 to 3600', [21, 21], 'How long?'],
      ['code', 'stop()', [24, 27], 'How long?'],
      ['row', 'term: Its definition.', [29, 30], 'How long?'],
    ]);
  });

  it('has the rows of tables that are written as lists, with and without a head and a title', () => {
    const table = (title: string, ...more: string[]) => [
      `.. list-table:: ${title}`.trim(),
      ...more,
      '',
      '   * - Field',
      '     - Limit',
      '   * - ``ttl``',
      '     - 30 to 3600,',
      '',
      '       by default 600',
      '',
    ];
    const page = read('Limits', '======', '', ...table('Of sessions', '   :header-rows: 1'), ...table(''));
    assert.deepEqual(rows(page), [
      ['row', 'Field: `ttl`; Limit: 30 to 3600, by default 600', [9, 12], 'Of sessions'],
      ['row', 'Field; Limit', [16, 17], 'Limits'],
      ['row', '`ttl`; 30 to 3600, by default 600', [18, 21], 'Limits'],
    ]);
    const other = ['', '   * - Code', '', '       >>> pot()', '     - :name: value', ''];
    assert.match(String(texts(read('.. list-table::', ...other))), /code: +>>> pot\(\).*name: value/s);
    const heads = ['   :header-rows: 2', '', '   * - Upper', '   * - Lower', '   * - Cell', ''];
    assert.match(String(texts(read('.. list-table::', ...heads))), /Upper.*Lower.*Cell/);
    for (const wrong of ['Only text.', '* One item.'])
      assert.match(String(texts(read('.. list-table::', '', `   ${wrong}`))), /(?:text|item)\.$/);
  });

  it('has what directives describe as headings, and goes on with its section then', () => {
    const page = read(
      'Pots',
      '====',
      '',
      '.. py:function:: brew(water, minutes=3)',
      '                 brew(water)',
      '',
      '   Brews tea.',
      '',
      '   :param water: cold',
      '   :returns: tea',
      '',
      '   .. versionadded:: 3.1',
      '      With minutes.',
      '',
      'After it.',
    );
    assert.deepEqual(
      rows(page).map(([kind, text, , heading]) => [kind, text, heading]),
      [
        ['paragraph', 'Brews tea.', 'brew(water, minutes=3) brew(water)'],
        ['row', 'param water: cold', 'brew(water, minutes=3) brew(water)'],
        ['row', 'returns: tea', 'brew(water, minutes=3) brew(water)'],
        ['paragraph', 'Added in version 3.1 With minutes.', 'brew(water, minutes=3) brew(water)'],
        ['paragraph', 'After it.', 'Pots'],
      ],
    );
    assert.deepEqual(page.passages.at(-1)?.headings, ['Pots']);
  });

  it('has classes with their methods, options of commands, and lines', () => {
    const page = read(
      '.. py:class:: Pot(lid)',
      '',
      '   A pot.',
      '',
      '   .. method:: pour()',
      '',
      '      Pours.',
      '',
      '.. option:: -o FILE, --output FILE',
      '',
      '   Where to.',
      '',
      '| one',
      '| two, see :pep:`8`',
    );
    assert.deepEqual(
      rows(page).map(([, text, , heading]) => [text, heading]),
      [
        ['A pot.', 'Pot(lid)'],
        ['Pours.', 'pour()'],
        ['Where to.', '`-o FILE, --output FILE`'],
        ['one two, see PEP 8', undefined],
      ],
    );
  });

  it('has the text of notes, roles and links, and nothing of targets, comments, lists of files and images', () => {
    const page = read(
      'Use :func:`~tea.pots.brew`, ``x = 1`` or :meth:`the method <tea.Pot.fill>`; see :ref:`hot-water` and',
      '`the site <https://tea.example>`_ |now|. [1]_',
      '',
      '.. note:: Hot.',
      '',
      '.. toctree::',
      '   :maxdepth: 2',
      '',
      '   install',
      '',
      '.. image:: pot.png',
      '.. a comment',
      '.. |now| replace:: today',
      '',
      '.. figure:: pot.png',
      '',
      '   A pot.',
      '',
      '.. automodule:: tea',
    );
    assert.deepEqual(texts(page), [
      'paragraph: Use `brew`, `x = 1` or `the method`; see hot water and the site now.',
      'paragraph: Hot.',
      'paragraph: A pot.',
    ]);
    assert.equal(page.pages[0]?.title, 'tea pots');
  });

  it('is safe to show, and read whole if the parser fails', () => {
    const hidden = '\u202e';
    const twice = read(
      '.. _`a b`:',
      '.. _`a.b`:',
      '.. _a:',
      '.. _a:',
      '.. _`a b`:',
      '',
      'Tea',
      '===',
      '',
      `Hot ${hidden}<b>tea</b> [x](y).`,
    );
    assert.deepEqual(texts(twice), ['paragraph: Hot ‹b>tea‹/b> [x] (y).']);
    assert.deepEqual(twice.passages[0]?.headings, ['Tea']);
    const marks = read('Tea', '===', '', '*a '.repeat(20_000), '', 'End.');
    assert.equal(texts(marks).at(-1), 'paragraph: End.');
  });

  it('is read in time that grows with its length (TRN-06)', () => {
    const many = 20_000;
    assert.equal(texts(read('- one\n'.repeat(many))).length, many);
    assert.ok(
      read('*'.repeat(100_000), '`'.repeat(100_000), '|'.repeat(100_000), '  '.repeat(100_000)).passages.length > 0,
    );
    assert.ok(read(...Array.from({ length: 400 }, (_, at) => `${' '.repeat(at)}- deep\n`)).passages.length > 0);
    const versions = read(`Changes\n=======\n\n${'1.0\n---\n\nFixed\n~~~~~\n\n- one\n\n'.repeat(3000)}`);
    assert.equal(versions.passages.length, 3000);
    const targets = Array.from({ length: 2000 }, (_, at) => `.. _t${at}: t${at + 1}_\n`).join('');
    assert.equal(read(`${targets}\nEnd.`).passages.length, 1);
  });
});
