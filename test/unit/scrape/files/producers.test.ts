import assert from 'node:assert/strict';
import { docx, openDocument, pptx, slideShape, xlsx } from '../../../harness/documents.ts';
import { markdownOf } from './read.ts';

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const run = (text: string, looks = '') =>
  `<w:r>${looks && `<w:rPr>${looks}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, properties = '') =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`;
const styled = (text: string, style: string) => paragraph(run(text), `<w:pStyle w:val="${style}"/>`);
const style = (type: string, id: string, name: string, rest = '') =>
  `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/>${rest}</w:style>`;
const styles = (...list: string[]) => ({
  'word/styles.xml': `<w:styles xmlns:w="${word}">${list.join('')}</w:styles>`,
});
const cells = (...contents: string[]) => contents.map((content) => `<w:tc>${content}</w:tc>`).join('');
const texts = (...list: string[]) => cells(...list.map((text) => paragraph(run(text))));
const note = (kind: string, text: string) => ({
  [`word/${kind}s.xml`]: `<w:${kind}s xmlns:w="${word}"><w:${kind} w:type="separator" w:id="-1"><w:p/></w:${kind}><w:${kind} w:id="1">${paragraph(run(text))}</w:${kind}></w:${kind}s>`,
});
const level = (format: string) => `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${format}"/></w:lvl>`;
const item = (text: string, list: number) =>
  paragraph(run(text), `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list}"/></w:numPr>`);
const numbering = (formats: readonly string[], restarts: readonly number[] = []) => ({
  'word/numbering.xml': `<w:numbering xmlns:w="${word}">${formats.map((format, id) => `<w:abstractNum w:abstractNumId="${id}">${level(format)}</w:abstractNum>`).join('')}${formats
    .map((_, id) => `<w:num w:numId="${id + 1}"><w:abstractNumId w:val="${id}"/></w:num>`)
    .join(
      '',
    )}${restarts.map((id) => `<w:num w:numId="${id + 10}"><w:abstractNumId w:val="${id}"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>`).join('')}</w:numbering>`,
});

const oneList = (levels: string) => ({
  'word/numbering.xml': `<w:numbering xmlns:w="${word}"><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
});
const heading = (text: string, at: number) =>
  paragraph(run(text), `<w:pStyle w:val="H${at + 1}"/><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="1"/></w:numPr>`);
const fieldChar = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const fieldLink = (code: string) =>
  paragraph(
    `${fieldChar('begin')}<w:r><w:instrText> ${code} </w:instrText></w:r>${fieldChar('separate')}${run('here')}${fieldChar('end')}`,
  );

const ofWord: Record<string, [body: string, markdown: string, more?: Record<string, string>]> = {
  'headings by the style that theirs is based on, wherever that is defined': [
    styled('One', 'Kapitel') + styled('Two', 'Teil') + styled('Three', 'Kein') + styled('Four', 'berschrift2'),
    '# One\n\n# Two\n\nThree\n\n## Four',
    styles(
      style('paragraph', 'Teil', 'Teil', '<w:basedOn w:val="Kapitel"/>'),
      style('paragraph', 'Kapitel', 'Kapitel', '<w:basedOn w:val="berschrift1"/>'),
      style('paragraph', 'berschrift1', 'heading 1'),
      style('paragraph', 'berschrift2', 'Heading 2'),
      style('paragraph', 'Kein', 'Kein', '<w:basedOn w:val="Kapitel"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
    ),
  ],
  'the text of content controls around paragraphs, text, rows and cells': [
    `<w:sdt><w:sdtContent>${paragraph(run('a'))}</w:sdtContent></w:sdt>${paragraph(`<w:sdt><w:sdtPr/><w:sdtContent>${run('b')}</w:sdtContent></w:sdt>`)}<w:tbl><w:tr>${texts('H', 'I')}</w:tr><w:sdt><w:sdtContent><w:tr><w:sdt><w:sdtContent>${texts('c')}</w:sdtContent></w:sdt>${texts('d')}</w:tr></w:sdtContent></w:sdt></w:tbl>`,
    'a\n\nb\n\n| H | I |\n| --- | --- |\n| c | d |',
  ],
  'boxes to check': [
    paragraph(
      ['1', '0']
        .map(
          (on) =>
            `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${on}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('?')}</w:sdtContent></w:sdt>${run(` ${on} `)}`,
        )
        .join(''),
    ),
    '\u2611 1 \u2610 0',
  ],
  'notes below the text, and links into the document as text': [
    paragraph(
      `${run('Text')}<w:r><w:footnoteReference w:id="1"/></w:r>${run(' on')}<w:r><w:endnoteReference w:id="1"/></w:r> <w:hyperlink w:anchor="top">${run(' up')}</w:hyperlink>`,
    ),
    'Text<sup>[1]</sup> on<sup>[2]</sup> up\n\n1. A foot.\n\n2. An end.',
    { ...note('footnote', 'A foot.'), ...note('endnote', 'An end.') },
  ],
  'what changes have made of the text': [
    `${paragraph(`${run('Keep ')}<w:ins w:id="1">${run('new ')}</w:ins><w:del w:id="2"><w:r><w:delText>old </w:delText></w:r></w:del><w:moveFrom w:id="3">${run('from ')}</w:moveFrom>${run('x')}`)}${paragraph(`<w:moveTo w:id="4">${run('to')}</w:moveTo>`)}${paragraph(run('One '), '<w:rPr><w:del w:id="1"/></w:rPr>')}${paragraph(run('line.'))}<w:tbl><w:tr>${texts('A', 'B')}</w:tr><w:tr><w:trPr><w:del w:id="1"/></w:trPr>${cells(paragraph('<w:del w:id="2"><w:r><w:delText>x</w:delText></w:r></w:del>'), '<w:p/>')}</w:tr><w:tr>${texts('1', '2')}</w:tr></w:tbl>`,
    'Keep new x\n\nto\n\nOne line.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
  ],
  'the text in smart tags and custom XML, breaks and hyphens': [
    paragraph(
      `<w:smartTag>${run('Oslo')}</w:smartTag> <w:customXml>${run(' now')}</w:customXml><w:r><w:br/></w:r>${run('b')}<w:r><w:tab/></w:r>${run('c')}<w:r><w:noBreakHyphen/></w:r>${run('d')}`,
    ),
    'Oslo now  \nb c\u2011d',
  ],
  'the looks, quotes and code that styles say': [
    `${paragraph(`${run('bold', '<w:rStyle w:val="Fett"/>')}${run(' ')}${run('both', '<w:rStyle w:val="Both"/>')}${run(' ')}${run('x()', '<w:rStyle w:val="Verb"/>')}${run(' off', '<w:rStyle w:val="Off"/>')}`)}${styled('Said', 'Zitat')}${styled('a = 1', 'Code')}${styled('  b = 2', 'Code')}`,
    '**bold** **_both_** `x()` off\n\n> Said\n\n```\na = 1\n  b = 2\n```',
    styles(
      style('character', 'Fett', 'Ada&apos;s', '<w:rPr><w:b/></w:rPr>'),
      style('character', 'Both', 'Both', '<w:rPr><w:b w:val="1"/><w:i/></w:rPr>'),
      style('character', 'Off', 'Off', '<w:rPr><w:b w:val="0"/></w:rPr>'),
      style('character', 'Verb', 'Verbatim Char'),
      style('paragraph', 'Zitat', 'Quote'),
      style('paragraph', 'Code', 'Preformatted Text'),
    ),
  ],
  'the numbers of lists that start again, and none where none is shown': [
    item('a', 1) + item('b', 1) + paragraph(run('x')) + item('c', 10) + item('d', 1) + item('e', 2),
    '1. a\n2. b\n\nx\n\n1. c\n2. d\n\ne',
    numbering(['decimal', 'none'], [0]),
  ],
  'the numbers of lists that go on after outer items': [
    [0, 1, 0, 1]
      .map((at) => paragraph(run('x'), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="1"/></w:numPr>`))
      .join(''),
    '1. x\n   1. x\n2. x\n\n   2. x',
    oneList(
      `${level('decimal')}<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlRestart w:val="0"/></w:lvl>`,
    ),
  ],
  'lists that only a style says, or one that it is based on': [
    styled('x', 'Dots') +
      styled('y', 'Mine') +
      paragraph(run('z'), '<w:pStyle w:val="Mine"/><w:numPr><w:numId w:val="0"/></w:numPr>'),
    '- x\n- y\n\nz',
    {
      ...numbering(['bullet']),
      ...styles(
        style('paragraph', 'Dots', 'Dots', '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'),
        style('paragraph', 'Mine', 'Mine', '<w:basedOn w:val="Dots"/>'),
      ),
    },
  ],
  'the numbers of headings': [
    ['One', 'Two', 'Three'].map((text, at) => heading(text, at === 1 ? 1 : 0)).join(''),
    '# I. One\n\n## I.a Two\n\n# II. Three',
    {
      ...styles(style('paragraph', 'H1', 'heading 1'), style('paragraph', 'H2', 'heading 2')),
      ...oneList(
        `${level('upperRoman').replace('</w:lvl>', '<w:lvlText w:val="%1."/></w:lvl>')}<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2"/></w:lvl>`,
      ),
    },
  ],
  'links of fields with a place or a tip': [
    ['\\l "part"', '\\o "A tip"', ''].map((rest) => fieldLink(`HYPERLINK "https://site.test/a" ${rest}`)).join(''),
    '[here](https://site.test/a#part)\n\n[here](https://site.test/a)\n\n[here](https://site.test/a)',
  ],
  'breaks and tabs of all kinds, how words are read, and no soft hyphens': [
    paragraph(
      `${run('a')}<w:r><w:ptab/></w:r>${run('b')}<w:r><w:cr/></w:r>${run('har')}<w:r><w:softHyphen/></w:r>${run('bour ')}<w:r><w:ruby><w:rt>${run('kana')}</w:rt><w:rubyBase>${run('kanji')}</w:rubyBase></w:ruby></w:r>`,
    ),
    'a b  \nharbour kanji(kana)',
  ],
  'headings of all outline levels': [
    paragraph(run('Low'), '<w:outlineLvl w:val="8"/>') + paragraph(run('Text'), '<w:outlineLvl w:val="9"/>'),
    '###### Low\n\nText',
  ],
  'lists and tables in cells': [
    `<w:tbl><w:tr>${texts('A', 'B')}</w:tr><w:tr>${cells(item('x', 1) + item('y', 1), `<w:tbl><w:tr>${texts('in', 'out')}</w:tr><w:tr>${texts('1', '2')}</w:tr></w:tbl><w:p/>`)}</w:tr></w:tbl>`,
    '| A | B |\n| --- | --- |\n| - x<br>- y | in out<br>1 2 |',
    numbering(['bullet']),
  ],
};

describe('Word documents of all producers have', () => {
  for (const [what, [body, markdown, more]] of Object.entries(ofWord))
    it(what, async () => assert.equal(await markdownOf(docx(body, more)), markdown));
});

describe('sheets', () => {
  const text = (reference: string, value: string) => `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const number = (format: string, value: string) =>
    xlsx(
      { S: `<row r="1"><c r="A1" s="1"><v>${value}</v></c></row>` },
      {
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
      },
    );
  for (const [format, value, shown] of [
    ['General', '0.30000000000000004', '0.3'],
    ['#,##0.00\\ &quot;€&quot;', '1234.5', '1,234.50 €'],
    ['[$£-809]#,##0.00', '12', '£12.00'],
    ['#,##0.00\\ [$€-407]', '-1234.5', '-1,234.50 €'],
    ['$#,##0;($#,##0)', '-3', '($3)'],
    ['_($* #,##0.00_);_($* (#,##0.00);_($* &quot;-&quot;??_);_(@_)', '0', '$-'],
    ['0.0%', '0.2554', '25.5%'],
    ['0&quot; km&quot;', '80', '80 km'],
    ['_-* #,##0.00\\ _€_-', '5', '5.00'],
    ['[Red]0.0', '1.5', '1.5'],
    ['0.0,&quot; k&quot;', '1240', '1.2 k'],
    ['# ??/??', '3.25', '3 1/4'],
    ['0.00E+00', '12345', '1.23E+04'],
    ['00000', '42', '00042'],
    ['000-00-0000', '123456789', '123-45-6789'],
    ['&quot;No. &quot;000', '-7', '-No. 007'],
    ['[&gt;=1000]0.0,&quot;k&quot;;0', '1500', '1.5k'],
    ['&quot;Yes&quot;;&quot;Yes&quot;;&quot;No&quot;', '0', 'No'],
    [';;;', '5', '5'],
    ['yyyy-mm-dd', '1', '1900-01-01'],
    ['yyyy-mm-dd', '59', '1900-02-28'],
    ['yyyy-mm-dd', '61', '1900-03-01'],
    ['yyyy-mm-dd', '-61', '-61'],
    ['m/d/yyyy h:mm AM/PM', '45000.5208333333', '2023-03-15 12:30:00'],
    ['yyyy-mm-dd hh:mm', '45000.99999999999', '2023-03-16 00:00:00'],
    ['mm:ss.000', '0.000965925925925926', '00:01:23.456'],
    ['[h]:mm', '1000000000', '1000000000'],
    ['[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[', '2', '2'],
  ] as const)
    it(`show ${value} in the format ${format} as ${shown}`, async () => {
      assert.equal((await markdownOf(number(format, value))).split('\n')[2], `| ${shown} |`);
    });

  it('are shown in plain numbers by a format that is longer than those of Excel', async () => {
    assert.equal((await markdownOf(number('[$'.repeat(100_000), '2'))).split('\n')[2], '| 2 |');
    assert.equal((await markdownOf(number(`0.0&quot;${'x'.repeat(300)}&quot;`, '2'))).split('\n')[2], '| 2 |');
  });

  it('show text as its part of a format says, and text that others hide', async () => {
    const rows = ['&quot;Dr. &quot;@', '0;0;0;&quot;(&quot;@&quot;)&quot;', '0.00', ';;;'].map(
      (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`,
    );
    const styles = rows.map((_, index) => `<xf numFmtId="${164 + index}"/>`);
    const cells = rows.map((_, index) => `<c t="str" s="${index}"><v>Low</v></c>`);
    const file = xlsx(
      { S: `<row r="1">${cells.join('')}</row>` },
      {
        'xl/styles.xml': `<styleSheet><numFmts>${rows.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
      },
    );
    assert.match(await markdownOf(file), /^\| Dr\. Low \| \(Low\) \| Low \| Low \|$/m);
  });

  it('count days from 1904 where the workbook does', async () => {
    const book =
      '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr date1904="1"/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>';
    const cells = '<c r="A1" s="1"><v>0.5</v></c><c r="B1" s="3"><v>43538.5</v></c>';
    const file = xlsx({ S: `<row r="1">${cells}</row>` }, { 'xl/workbook.xml': book });
    assert.match(await markdownOf(file), /^\| 1904-01-01 \| 2023-03-15 12:00:00 \|$/m);
  });

  it('have dates, truth values and zeros', async () => {
    const row =
      '<c r="A1" t="d"><v>2026-03-05T00:00:00</v></c><c r="B1" t="d"><v>2026-03-05T14:30:00</v></c><c r="C1"><v>0</v></c><c r="D1" t="b"><v>0</v></c>';
    assert.equal(
      await markdownOf(xlsx({ S: `<row r="1">${row}</row>` })),
      '## S\n\n| 2026-03-05 | 2026-03-05 14:30:00 | 0 | FALSE |\n| --- | --- | --- | --- |',
    );
  });

  it('have the columns below merged heads', async () => {
    const heads = `<row r="1">${text('A1', '2025')}${text('C1', '2026')}</row><row r="2">${['A2', 'B2', 'C2', 'D2'].map((at, index) => text(at, `Q${(index % 2) + 1}`)).join('')}</row>`;
    assert.equal(
      await markdownOf(xlsx({ S: heads })),
      '## S\n\n| 2025 | | 2026 | |\n| --- | --- | --- | --- |\n| Q1 | Q2 | Q1 | Q2 |',
    );
  });

  it('have what is hidden in a workbook', async () => {
    const sheets = ['Shown', 'Secret'].map(
      (name, index) =>
        `<sheet name="${name}" sheetId="${index + 1}" ${index > 0 ? 'state="veryHidden"' : ''} r:id="rId${index + 1}"/>`,
    );
    const file = xlsx(
      { Shown: '', Secret: `<row r="1">${text('A1', 'no')}</row>` },
      {
        'xl/worksheets/sheet1.xml': `<worksheet><cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1">${text('A1', 'a')}${text('B1', 'hid')}${text('C1', 'c')}</row><row r="2" hidden="1">${text('A2', 'gone')}</row><row r="3" hidden="0">${text('A3', 'd')}${text('C3', 'e')}</row></sheetData></worksheet>`,
        'xl/workbook.xml': `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${sheets.join('')}</sheets></workbook>`,
      },
    );
    const shown =
      '## Shown\n\n| a | hid | c |\n| --- | --- | --- |\n| gone | | |\n| d | | e |\n\n## Secret\n\n| no |\n| --- |';
    assert.equal(await markdownOf(file), shown);
  });

  const cell = (value: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${value}</text:p></table:table-cell>`;
  const row = (content: string, attributes = '') => `<table:table-row ${attributes}>${content}</table:table-row>`;

  it('have what is hidden in an OpenDocument spreadsheet', async () => {
    const columns = '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>';
    const rows = [
      row(cell('a') + cell('hid') + cell('c')),
      row(cell('gone'), 'table:visibility="collapse"'),
      row(cell('d') + cell('') + cell('e')),
      row(cell('filtered'), 'table:visibility="filter"'),
    ];
    const hidden =
      '<office:document-styles><office:styles><style:style style:name="hid"><style:table-properties table:display="false"/></style:style></office:styles></office:document-styles>';
    const file = openDocument(
      'spreadsheet',
      `<table:table table:name="Shown">${columns}${rows.join('')}</table:table><table:table table:name="Secret" table:style-name="hid">${row(cell('no'))}</table:table>`,
      { 'styles.xml': hidden },
    );
    const shown =
      '## Shown\n\n| a | hid | c |\n| --- | --- | --- |\n| gone | | |\n| d | | e |\n| filtered | | |\n\n## Secret\n\n| no |\n| --- |';
    assert.equal(await markdownOf(file), shown);
  });

  it('have dates and percentages as they are shown, and merged heads', async () => {
    const table = [
      row(`${cell('Head', 'table:number-columns-spanned="2"')}<table:covered-table-cell/>`),
      row(cell('05.03.26', 'office:date-value="2026-03-05"') + cell('12,5 %', 'office:value="0.125"')),
      row(
        '<table:table-cell office:value-type="percentage" office:value="0.125"/><table:table-cell office:date-value="2026-03-05"/>',
      ),
    ];
    assert.equal(
      await markdownOf(openDocument('spreadsheet', `<table:table table:name="S">${table.join('')}</table:table>`)),
      '## S\n\n| Head | |\n| --- | --- |\n| 05.03.26 | 12,5 % |\n| 12.5% | 2026-03-05 |',
    );
  });
});

it('OpenDocument texts have their sections and notes, and nothing that was deleted', async () => {
  const text =
    '<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:section><text:p>Kept<text:change/> text<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Foot.</text:p></text:note-body></text:note></text:p></text:section><text:table-of-content><text:index-body><text:p>Contents</text:p></text:index-body></text:table-of-content>';
  assert.equal(await markdownOf(openDocument('text', text)), 'Kept text<sup>[1]</sup>\n\nContents\n\n1. Foot.');
});

it('OpenDocument texts have nothing that is hidden', async () => {
  const hidden = (name: string, family: string) =>
    `<style:style style:name="${name}" style:family="${family}"><style:text-properties text:display="none"/></style:style>`;
  const shown =
    '<style:style style:name="V" style:family="text"><style:text-properties text:display="true"/></style:style>';
  const styles = {
    'styles.xml': `<office:document-styles><office:styles>${shown}${hidden('H', 'text')}${hidden('P', 'paragraph')}</office:styles><office:automatic-styles>${hidden('F', 'paragraph')}</office:automatic-styles></office:document-styles>`,
  };
  const section = (attributes: string, text: string) =>
    `<text:section ${attributes}><text:p>${text}</text:p></text:section>`;
  const text = [
    section('text:display="none"', 'no'),
    section('text:display="condition" text:condition="ooow:1" text:is-hidden="true"', 'no'),
    section('text:display="condition" text:condition="ooow:0"', 'a'),
    '<text:p>b<text:span text:style-name="H">no</text:span> c</text:p><text:p text:style-name="P">no</text:p>',
    // A style of text has the name of one of paragraphs.
    '<text:p text:style-name="H">c</text:p>',
    '<text:p><text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/>no</text:p>',
    '<text:p><text:hidden-paragraph text:condition="ooow:0"/>d</text:p>',
    // A style of headers has the name of one of the text, and parts of a hidden paragraph are shown.
    '<text:p text:style-name="F">e</text:p>',
    '<text:p text:style-name="P">no<text:s/><text:span text:style-name="V">f</text:span><text:note><text:note-body><text:p>no</text:p></text:note-body></text:note> no</text:p>',
    '<text:h text:style-name="P">no</text:h><text:p>g</text:p>',
  ];
  const file = openDocument('text', text.join(''), styles);
  assert.equal(await markdownOf(file), 'a\n\nb c\n\nc\n\nd\n\ne\n\nf\n\ng');
});

it('slides have titles of several lines, groups in groups and merged cells', async () => {
  const title =
    '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Two</a:t></a:r><a:br/><a:r><a:t>lines</a:t></a:r></a:p></p:txBody></p:sp>';
  const groups = `<p:grpSp><p:grpSp>${slideShape('', 'Deep')}</p:grpSp>${slideShape('', 'Near')}</p:grpSp>`;
  const cell = (text: string, merged = '') =>
    `<a:tc ${merged}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const rows = [
    cell('Head', 'gridSpan="2"') + cell('', 'hMerge="1"'),
    cell('a', 'rowSpan="2"') + cell('1'),
    cell('', 'vMerge="1"') + cell('2'),
  ];
  const table = `<p:graphicFrame><a:tbl>${rows.map((row) => `<a:tr>${row}</a:tr>`).join('')}</a:tbl></p:graphicFrame>`;
  assert.equal(
    await markdownOf(pptx([title + groups + table])),
    '## Two lines\n\nDeep\n\nNear\n\n| Head | |\n| --- | --- |\n| a | 1 |\n| | 2 |',
  );
});
