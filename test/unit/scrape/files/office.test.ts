import assert from 'node:assert/strict';
import { bookOf, docx, epub, openDocument, pptx, wordParagraph, xlsx, zipOf } from '../../../harness/documents.ts';
import { lines, read } from './read.ts';

const math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const half = `${run('A=')}<m:f><m:num>${run('a+b')}</m:num><m:den>${run('2')}</m:den></m:f>`;

describe('Office documents', () => {
  it('have equations as text', async () => {
    const inline = `<w:p><w:r><w:t xml:space="preserve">The area is </w:t></w:r><m:oMath ${math}>${half}</m:oMath><w:r><w:t xml:space="preserve"> in m.</w:t></w:r></w:p>`;
    const sum = `<m:sSup><m:e>${run('x')}</m:e><m:sup>${run('2')}</m:sup></m:sSup>${run('=')}<m:nary><m:naryPr><m:chr m:val="\u2211"/></m:naryPr><m:sub>${run('i=1')}</m:sub><m:sup>${run('n')}</m:sup><m:e>${run('i')}</m:e></m:nary>`;
    const root = `<m:rad><m:deg/><m:e>${run('y')}</m:e></m:rad><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${run('1')}</m:e><m:e>${run('2')}</m:e></m:d>`;
    const block = `<w:p><m:oMathPara ${math}><m:oMath>${sum}</m:oMath></m:oMathPara></w:p><w:p><m:oMath ${math}>${root}</m:oMath></w:p>`;
    const { html = '' } = await read(docx(inline + block));
    assert.match(html, /The area is A=\(a\+b\)\/2 in m\./);
    assert.match(html, /x\^2=\u2211_\(i=1\)\^n i/);
    assert.match(html, /\u221a\(y\)\[1\|2\]/);
    const slide = `<p:sp><p:txBody><a:p><a:r><a:t>So </a:t></a:r><mc:AlternateContent><mc:Choice><a14:m><m:oMath ${math}>${half}</m:oMath></a14:m></mc:Choice><mc:Fallback/></mc:AlternateContent></a:p></p:txBody></p:sp>`;
    assert.deepEqual(lines(await read(pptx([slide]))), ['## Slide 1', 'So A=(a+b)/2']);
  });

  it('name what is not read', async () => {
    const parts = { 'word/charts/chart1.xml': '<c/>', 'word/embeddings/a.xlsx': 'x', 'word/comments.xml': '<c/>' };
    const { warning } = await read(docx(wordParagraph('x'), parts));
    assert.equal(warning, "The file has charts and comments, which aren't read.");
    const sheet = await read(xlsx({ S: '' }, { 'xl/diagrams/data1.xml': '<d/>', 'xl/embeddings/oleObject1.bin': 'x' }));
    assert.equal(sheet.warning, "The file has diagrams and embedded files, which aren't read.");
    const box = (text: string) => ({
      'xl/drawings/drawing1.xml': `<x:wsDr xmlns:x="x" xmlns:a="a"><x:sp>${text}</x:sp></x:wsDr>`,
    });
    assert.equal(
      (await read(xlsx({ S: '' }, box('<a:t>Note</a:t>')))).warning,
      "The file has text boxes, which aren't read.",
    );
    assert.equal((await read(xlsx({ S: '' }, box('')))).warning, undefined);
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk';
    const inserted = {
      'word/_rels/document.xml.rels': `<Relationships><Relationship Id="rId1" Type="${type}" Target="a.html"/></Relationships>`,
      'word/a.html': '<p>More</p>',
    };
    assert.equal(
      (await read(docx(`${wordParagraph('x')}<w:altChunk r:id="rId1"/>`, inserted))).warning,
      "The file has inserted documents, which aren't read.",
    );
    assert.equal((await read(docx(wordParagraph('x')))).warning, undefined);
  });

  it('keep the columns of tables with merged cells', async () => {
    const cell = (text: string, merge = '') => `<w:tc><w:tcPr>${merge}</w:tcPr>${wordParagraph(text)}</w:tc>`;
    const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
    const table = `<w:tbl>${row(cell('Area'), cell('Code'), cell('N'))}${row(cell('EU', '<w:vMerge w:val="restart"/>'), cell('FR'), cell('1'))}${row(cell('', '<w:vMerge/>'), cell('DE'), cell('2'))}${row(cell('All', '<w:gridSpan w:val="2"/>'), cell('3'))}</w:tbl>`;
    const { html = '' } = await read(docx(table));
    assert.match(html, /<td rowspan="2">.*EU/);
    assert.match(html, /<td colspan="2">.*All/);
  });
});

describe('names in XML', () => {
  const office = 'http://schemas.openxmlformats.org';
  const strict = 'http://purl.oclc.org/ooxml';
  const equation = (prefix: string, namespace: string) => {
    const [name, declared] = prefix === '' ? ['', 'xmlns'] : [`${prefix}:`, `xmlns:${prefix}`];
    return `<${name}oMath ${declared}="${namespace}"><${name}r><${name}t>y=kx</${name}t></${name}r></${name}oMath>`;
  };
  const shownIn = async (content: string) =>
    (await read(docx(`<w:p><w:r><w:t>So </w:t></w:r>${content}</w:p>`))).html ?? '';

  for (const [prefix, namespace] of [
    ['m', `${office}/officeDocument/2006/math`],
    ['math', `${office}/officeDocument/2006/math`],
    ['', `${office}/officeDocument/2006/math`],
    ['w', `${office}/officeDocument/2006/math`],
    ['ns0', `${strict}/officeDocument/math`],
  ] as const) {
    it(`tell the equations of a text by their namespace, with the prefix "${prefix}" of ${namespace}`, async () => {
      assert.match(await shownIn(equation(prefix, namespace)), /So\s*y=kx/);
    });
  }

  it('tell what is no equation by its namespace, and take equations of a paragraph as one', async () => {
    assert.doesNotMatch(await shownIn(equation('m', 'urn:other')), /y=kx/);
    const namespace = `${office}/officeDocument/2006/math`;
    const paragraph = `<x:oMathPara xmlns:x="${namespace}">${equation('x', namespace)}</x:oMathPara>`;
    assert.equal((await shownIn(paragraph)).match(/y=kx/g)?.length, 1);
  });

  it('are those of the namespace in books and pages, wherever its prefix is declared', async () => {
    const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h:p xmlns:h="http://www.w3.org/1999/xhtml">So <k:math xmlns:k="http://www.w3.org/1998/Math/MathML"><k:msup><k:mi>x</k:mi><k:mn>2</k:mn></k:msup></k:math>.</h:p><p>end</p></body></html>`;
    assert.match((await read(Buffer.from(page), { type: 'application/xhtml+xml' })).html ?? '', /<p[^>]*>So <math/);
    const book = bookOf({
      'META-INF/container.xml':
        '<c:container xmlns:c="urn:oasis:names:tc:opendocument:xmlns:container"><c:rootfiles><c:rootfile full-path="b.opf"/></c:rootfiles></c:container>',
      'b.opf':
        '<o:package xmlns:o="http://www.idpf.org/2007/opf"><o:metadata xmlns:d="http://purl.org/dc/elements/1.1/"><d:title>Maths</d:title></o:metadata><o:manifest><o:item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></o:manifest><o:spine><o:itemref idref="a"/></o:spine></o:package>',
      'a.xhtml': page,
    });
    const result = await read(book);
    assert.deepEqual(lines(result), ['So x^2.', 'end']);
    assert.equal(result.metadata.title, 'Maths');
  });

  it('are those of the namespace in OpenDocument texts, too', async () => {
    const urn = (name: string) => `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`;
    const names = `xmlns:o="${urn('office')}" xmlns:t="${urn('text')}" xmlns:s="${urn('style')}" xmlns:f="${urn('xsl-fo-compatible')}"`;
    const style = '<s:style s:name="B" s:family="text"><s:text-properties f:font-weight="bold"/></s:style>';
    const text = '<t:h t:outline-level="2">Head</t:h><t:p>A <t:span t:style-name="B">bold</t:span> word</t:p>';
    const content = `<o:document-content ${names}><o:automatic-styles>${style}</o:automatic-styles><o:body><o:text>${text}</o:text></o:body></o:document-content>`;
    const file = zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content });
    assert.deepEqual(lines(await read(file)), ['## Head', 'A **bold** word']);
  });

  it('link parts of slides and workbooks by their namespace', async () => {
    const relations = `${office}/officeDocument/2006/relationships`;
    const slides = zipOf({
      'ppt/presentation.xml': `<q:presentation xmlns:q="${office}/presentationml/2006/main"><q:sldIdLst><q:sldId id="256" z:id="rId1" xmlns:z="${relations}"/></q:sldIdLst></q:presentation>`,
      'ppt/_rels/presentation.xml.rels': `<Relationships><Relationship Id="rId1" Type="${relations}/slide" Target="slides/slide1.xml"/></Relationships>`,
      'ppt/slides/slide1.xml': `<q:sld xmlns:q="${office}/presentationml/2006/main" xmlns="${office}/drawingml/2006/main"><q:cSld><q:spTree><q:sp><q:txBody><p><r><t>Hello</t></r></p></q:txBody></q:sp></q:spTree></q:cSld></q:sld>`,
    });
    assert.deepEqual(lines(await read(slides)), ['## Slide 1', 'Hello']);
    const workbook = zipOf({
      'xl/workbook.xml': `<x:workbook xmlns:x="${office}/spreadsheetml/2006/main" xmlns:k="${strict}/officeDocument/relationships"><x:sheets><x:sheet name="S" sheetId="1" k:id="a"/></x:sheets></x:workbook>`,
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="a" Type="worksheet" Target="worksheets/s.xml"/></Relationships>',
      'xl/worksheets/s.xml': `<x:worksheet xmlns:x="${office}/spreadsheetml/2006/main"><x:sheetData><x:row><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
    });
    assert.deepEqual(lines(await read(workbook))[1], '| 7 |');
  });
});

describe('workbooks', () => {
  const styled = (value: number, format: string) =>
    xlsx(
      { S: `<row r="1"><c r="A1" s="1"><v>${value}</v></c></row>` },
      {
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
      },
    );
  for (const [value, format, shown] of [
    [1.25, '[h]:mm', '30:00'],
    [1.25, '[hh]:mm:ss', '30:00:00'],
    [1.25, '[Red][h]:mm;@', '30:00'],
    [1.2924, '[h]:mm', '31:01'],
    [0.05, '[mm]:ss', '72:00'],
    [0.001, '[ss]', '86'],
    [1.25, '[h] &quot;hours&quot;', '30 hours'],
    [-0.5, '[h]:mm', '-12:00'],
    [1.25, 'h:mm', '06:00:00'],
    [45_000.25, '[$-409]d mmm yyyy', '2023-03-15'],
  ] as const) {
    it(`show ${value} in the format ${format} as ${shown}`, async () => {
      assert.equal(lines(await read(styled(value, format)))[1], `| ${shown} |`);
    });
  }

  it('have empty texts as the results of formulas, and formulas without a result', async () => {
    const cells = `<c r="A1"><v>1</v></c><c r="B1" t="str"><f>IF(A1&gt;9,"big","")</f><v></v></c><c r="C1" t="str"><f>T(A1)</f><v/></c><c r="D1"><f>A1+1</f><v/></c><c r="E1"><f>A1+2</f></c><c r="F1"><v>2</v></c>`;
    assert.equal(lines(await read(xlsx({ S: `<row r="1">${cells}</row>` })))[1], '| 1 | =A1+1 | =A1+2 | 2 |');
    const link = '<c r="E1"><f>HYPERLINK("https://site.test/", "go")</f><v/></c>';
    const zero = '<c r="A1"><f>1-1</f><v>0</v></c><c r="B1" t="b"><f>1&gt;2</f><v>0</v></c>';
    const workbook =
      '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" r:id="rId1"/></sheets><calcPr fullCalcOnLoad="1"/></workbook>';
    const file = xlsx({ S: `<row r="1">${zero}${link}</row>` }, { 'xl/workbook.xml': workbook });
    assert.equal(lines(await read(file))[1], '| 0 | FALSE | [go](https://site.test/) |');
  });
});

describe('OpenDocument texts', () => {
  it('keep the columns of tables with merged and repeated cells', async () => {
    const cell = (text: string, attributes = '') =>
      `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
    const covered = '<table:covered-table-cell/>';
    const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
    const table = `<table:table>${row(cell('Area'), cell('Code'), cell('N'))}${row(cell('EU', 'table:number-rows-spanned="2" table:number-columns-spanned="1"'), cell('x', 'table:number-columns-repeated="2"'))}${row(covered, cell('DE'), cell('2'))}${row(cell('All', 'table:number-columns-spanned="2"'), covered, cell('3'))}</table:table>`;
    const { html = '' } = await read(openDocument('text', table));
    assert.match(html, /<tr><td rowspan="2">EU<\/td><td>x<\/td><td>x<\/td><\/tr><tr><td>DE<\/td><td>2<\/td><\/tr>/);
    assert.match(html, /<tr><td colspan="2">All<\/td><td>3<\/td><\/tr>/);
  });

  it('number the lists that their styles number', async () => {
    const styles = `<office:document-styles><office:styles><text:list-style style:name="L9"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style></office:styles></office:document-styles>`;
    const item = (text: string, more = '') => `<text:list-item><text:p>${text}</text:p>${more}</text:list-item>`;
    const list = `<text:list text:style-name="L9"><text:list-item text:start-value="4"><text:p>four</text:p></text:list-item>${item('five', `<text:list>${item('inner')}</text:list>`)}</text:list>`;
    assert.deepEqual(lines(await read(openDocument('text', list, { 'styles.xml': styles }))), [
      '4. four',
      '5. five',
      '   - inner',
    ]);
  });

  it('have equations as text, and name other objects', async () => {
    const frame = (name: string) =>
      `<draw:frame><draw:object xlink:href="./${name}"/><draw:image xlink:href="x"/></draw:frame>`;
    const equation =
      '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>A</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></mrow><annotation encoding="StarMath 5.0">A = {a+b} over 2</annotation></semantics></math>';
    const chart = '<office:document-content><office:body><office:chart/></office:body></office:document-content>';
    const result = await read(
      openDocument('text', `<text:p>Area: ${frame('Object 1')}${frame('Object 2')}.</text:p>`, {
        'Object 1/content.xml': equation,
        'Object 2/content.xml': chart,
      }),
    );
    assert.deepEqual(lines(result), ['Area: A=(a+b)/2.']);
    assert.match(result.warning ?? '', /charts or embedded files, which aren't read/);
  });
});

describe('pages and books in XHTML', () => {
  const empty = ['<title/>', '<title/><script src="a.js"/>', '<style/>', '<title>x</title><script/><link href="x"/>'];
  const body = '<h1>Head</h1><iframe src="x"/><p>words<a id="p1"/> &nbsp;&eacute;<br/>more</p><div/><p>tail</p>';
  const namespace = 'xmlns="http://www.w3.org/1999/xhtml"';
  const expected = ['# Head', 'words \u00a0é  ', 'more', 'tail'];
  const trimmed = (result: Awaited<ReturnType<typeof read>>) =>
    lines(result).map((line) => line.replaceAll('\u00a0', ' ').replaceAll(/\s+/g, ' ').trim());

  for (const head of empty) {
    it(`are read to their end with ${head}`, async () => {
      const page = `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html [<!ENTITY x "y">]><html ${namespace}><head>${head}</head><body>${body}</body></html>`;
      const shown = expected.map((line) => line.replaceAll('\u00a0', ' ').replaceAll(/\s+/g, ' ').trim());
      assert.deepEqual(trimmed(await read(Buffer.from(page), { type: 'application/xhtml+xml; charset=utf-8' })), shown);
      const book = bookOf({
        'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
        'b.opf':
          '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.html" media-type="text/html"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        'a.xhtml': page,
        'b.html': '<p>one<p>two',
      });
      assert.deepEqual(trimmed(await read(book)), [...shown, 'one', 'two']);
    });
  }

  it('keep text in CDATA sections, and names with a prefix', async () => {
    const page = `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title/></h:head><h:body><h:p>a <![CDATA[<b> & c]]></h:p></h:body></h:html>`;
    assert.deepEqual(lines(await read(Buffer.from(page), { type: 'application/xhtml+xml' })), ['a \\<b> & c']);
  });

  it('have equations of books as text', async () => {
    const equation = '<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msqrt><mi>y</mi></msqrt></math>';
    assert.match((await read(epub([`<p>So ${equation}.</p>`]))).html ?? '', /So x\^2\+\u221a\(y\)\./);
  });
});

describe('tables of separated values', () => {
  for (const [name, file] of [
    ['by a line', 'sep=;\r\nName;Price\r\nTea;4,50\r\n'],
    ['by a line in quotes', '\ufeff"sep=|"\nName|Price\nTea|4,50\n'],
    ['that is a tab', 'SEP=\t\nName\tPrice\nTea\t4,50\n'],
    ['that is rare', 'sep=^\nName^Price\nTea^4,50'],
  ] as const) {
    it(`have the separator that is named ${name}`, async () => {
      assert.deepEqual(lines(await read(Buffer.from(file), { type: 'text/csv' })), [
        '| Name | Price |',
        '| --- | --- |',
        '| Tea | 4,50 |',
      ]);
    });
  }

  it('may have a column that is called sep', async () => {
    assert.deepEqual(lines(await read(Buffer.from('sep=a,b\n1,2\n'), { type: 'text/csv' })), [
      '| sep=a | b |',
      '| --- | --- |',
      '| 1 | 2 |',
    ]);
  });
});

describe('Word documents', () => {
  const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const run = (text: string, look = '') => `<w:r><w:rPr>${look}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const item = (text: string, level = 0, list = 1) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${run(text)}</w:p>`;
  const lists = {
    'word/numbering.xml': `<w:numbering xmlns:w="${word}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
  };
  const shown = async (body: string, more = {}) => (await read(docx(body, more))).markdown;

  it('have the numbers of their lists, which go on after a text or start anew', async () => {
    const body = [
      ...[item('four'), item('in', 1), item('in two', 1), item('five'), wordParagraph('Between')],
      ...[item('six'), item('deep', 1), '<w:p/>', item('anew', 0, 2), item('dot', 0, 3)],
    ];
    assert.equal(
      await shown(body.join(''), lists),
      '4. four\n   1. in\n   2. in two\n5. five\n\nBetween\n\n6. six\n   1. deep\n1. anew\n\n- dot',
    );
  });

  it('have the numbers of a list that goes on in a table', async () => {
    const row = `<w:tr><w:tc>${item('five')}</w:tc><w:tc>${wordParagraph('x')}</w:tc></w:tr>`;
    assert.equal(
      await shown(`${item('four')}<w:tbl>${row}</w:tbl>${item('six')}`, lists),
      '4. four\n\n| 5. five | x |\n| --- | --- |\n\n6. six',
    );
  });

  it('have the text of fields and of boxes, and no hidden text', async () => {
    const mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
    const box = `<w:txbxContent>${wordParagraph('Boxed')}</w:txbxContent>`;
    const field = (code: string, text: string) => `<w:fldSimple w:instr="${code}">${run(text)}</w:fldSimple>`;
    const link = field(' HYPERLINK &quot;https://site.test/a&quot; ', 'here');
    assert.equal(
      await shown(`<w:p>${run('Table ')}${field('SEQ T', '3')}${run(': see ')}${link}</w:p>`),
      'Table 3: see [here](https://site.test/a)',
    );
    for (const fallback of ['', `<mc:Fallback><w:pict>${box}</w:pict></mc:Fallback>`])
      assert.equal(
        await shown(
          `<w:p><w:r><mc:AlternateContent ${mc}><mc:Choice><w:drawing>${box}</w:drawing></mc:Choice>${fallback}</mc:AlternateContent></w:r></w:p>`,
        ),
        'Boxed',
      );
    assert.equal(
      await shown(`<w:p>${run('a')}${run('b', '<w:vanish/>')}${run('c', '<w:vanish w:val="0"/>')}</w:p>`),
      'ac',
    );
    const style = (id: string, more: string) => `<w:style w:styleId="${id}"><w:name w:val="${id}"/>${more}</w:style>`;
    const styles = {
      'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${style('H', '<w:rPr><w:vanish/></w:rPr>')}${style('I', '<w:basedOn w:val="H"/>')}</w:styles>`,
    };
    const inStyle = `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr>${run('no')}${run('b', '<w:vanish w:val="0"/>')}</w:p>`;
    assert.equal(
      await shown(`<w:p>${run('a')}${run('no', '<w:rStyle w:val="I"/>')}</w:p>${inStyle}`, styles),
      'a\n\nb',
    );
  });

  it('have text whose direction is set, initials in their words, and what is chosen of a list', async () => {
    assert.equal(
      await shown(
        `<w:p><w:dir w:val="rtl">${run('\u05d0\u05d1')}</w:dir><w:bdo w:val="ltr">${run(' x')}</w:bdo></w:p>`,
      ),
      '\u05d0\u05d1 x',
    );
    const initial = `<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>${run('T')}</w:p>`;
    const next = `<w:p><w:pPr><w:jc w:val="both"/></w:pPr>${run('he harbour')}</w:p>`;
    assert.equal(await shown(`${initial}${next}${initial}<w:p>${run('ea')}</w:p>`), 'The harbour\n\nTea');
    const table = `<w:tbl><w:tr><w:tc><w:p>${run('cell')}</w:p></w:tc></w:tr></w:tbl>`;
    const deleted = initial.replace('<w:r>', '<w:del><w:r>').replace('</w:r>', '</w:r></w:del>');
    assert.match(String(await shown(`<w:p>${run('x')}</w:p>${initial}`)), /^x\n\nT$/);
    assert.match(String(await shown(`${initial}${table}`)), /^T\n\n[\s\S]*cell/);
    assert.doesNotMatch(String(await shown(`${deleted}${next}`)), /T/);
    const entries = '<w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/>';
    const list = (chosen: string) =>
      `<w:p>${run('Color: ')}<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${chosen}${entries}</w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
    assert.equal(await shown(list('<w:result w:val="1"/>') + list('')), 'Color: Blue\n\nColor: Red');
    const result = `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('Blue')}<w:r><w:fldChar w:fldCharType="end"/>`;
    const written = list('<w:result w:val="1"/>').replace('<w:r><w:fldChar w:fldCharType="end"/>', result);
    assert.equal(await shown(written + list('')), 'Color: Blue\n\nColor: Red');
    const inserted = written.replace(result, `<w:ins>${result}</w:r></w:ins><w:r>`);
    const inOneRun = written.replace(result, result.replaceAll(/<\/w:r><w:r>/g, ''));
    assert.equal(await shown(inserted + inOneRun), 'Color: Blue\n\nColor: Blue');
    const beside = [list(''), written, list('<w:default w:val="1"/>')].map((each) => each.slice(5, -6)).join('');
    assert.equal(await shown(`<w:p>${beside}</w:p>`), 'Color: RedColor: BlueColor: Blue');
    assert.equal(await shown(`<w:p>${run('a', '<w:dstrike/>')}${run('b', '<w:dstrike w:val="0"/>')}</w:p>`), '~~a~~b');
  });

  it('have what is written into content controls, and not the prompts of those that are empty', async () => {
    const control = (properties: string, content: string) =>
      `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
    const empty = '<w:showingPlcHdr/>';
    const prompt = run('Click here.', '<w:rStyle w:val="PlaceholderText"/>');
    const cells = [wordParagraph('Town'), control(empty, `<w:p>${prompt}</w:p>`)];
    const inner = control('<w:showingPlcHdr w:val="0"/>', wordParagraph('Kept'));
    const body = [
      `<w:p>${run('Name: ')}${control('', run('Mira'))}</w:p>`,
      `<w:p>${run('City: ')}${control(empty, prompt)}</w:p>`,
      control(empty, `<w:p>${prompt}</w:p>${inner}`),
      // A program has filled it in, and has left the mark.
      `<w:p>${run('Job: ')}${control(empty, run('Baker'))}</w:p>`,
      `<w:tbl><w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr></w:tbl>`,
    ];
    assert.equal(await shown(body.join('')), 'Name: Mira\n\nCity:\n\nKept\n\nJob: Baker\n\n| Town |\n| --- |');
  });

  it('have no initial that its style hides', async () => {
    const styles = `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`;
    const initial = `<w:p><w:pPr><w:pStyle w:val="Gone"/><w:framePr w:dropCap="drop"/></w:pPr>${run('X')}</w:p>`;
    assert.equal(await shown(initial + wordParagraph('The harbour'), { 'word/styles.xml': styles }), 'The harbour');
  });

  it('have the headings that their outline says', async () => {
    const styles = `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Chapter"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Sub"><w:basedOn w:val="Chapter"/></w:style></w:styles>`;
    const own = `<w:p><w:pPr><w:jc w:val="left"/><w:outlineLvl w:val="1"/></w:pPr>${run('Own')}</w:p>`;
    const body = wordParagraph('One', 'Chapter') + wordParagraph('Two', 'Sub') + own + wordParagraph('Text');
    assert.equal(await shown(body, { 'word/styles.xml': styles }), '# One\n\n# Two\n\n## Own\n\nText');
  });

  it('keep the columns of rows that begin later', async () => {
    const cells = (...texts: string[]) => texts.map((text) => `<w:tc>${wordParagraph(text)}</w:tc>`).join('');
    const later = `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cells('b', 'c')}</w:tr>`;
    assert.deepEqual(lines(await read(docx(`<w:tbl><w:tr>${cells('A', 'B', 'C')}</w:tr>${later}</w:tbl>`))), [
      '| A | B | C |',
      '| --- | --- | --- |',
      '| | b | c |',
    ]);
  });
});

describe('parts of documents', () => {
  const relation = (type: string, target: string, id = 'rId1') =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const relations = (...list: string[]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;

  it('are found where the document says they are', async () => {
    const document = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${wordParagraph('Hello')}</w:body></w:document>`;
    const other = zipOf({
      '_rels/.rels': relations(relation('officeDocument', '/word/document2.xml')),
      'word/document2.xml': document,
    });
    assert.deepEqual(lines(await read(other)), ['Hello']);
    const sheet = '<worksheet><sheetData><row><c t="s"><v>0</v></c><c><v>2</v></c></row></sheetData></worksheet>';
    const book = xlsx(
      { S: '' },
      {
        'xl/_rels/workbook.xml.rels': relations(
          relation('worksheet', 'pages/one.xml'),
          relation('sharedStrings', 'Texts.xml', 'rId2'),
        ),
        'xl/pages/one.xml': sheet,
        'xl/Texts.xml': '<sst><si><t>First_x000D_\nline</t></si></sst>',
      },
    );
    assert.deepEqual(lines(await read(book)), ['## S', '| First<br>line | 2 |', '| --- | --- |']);
  });

  it('are read in the encoding that they declare', async () => {
    const chapter = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><html><head><title/></head><body><p>Caf\u00e9</p></body></html>`;
    const utf16 = Buffer.from(`\ufeff${chapter('UTF-16')}`, 'utf16le');
    for (const bytes of [utf16, Buffer.from(chapter('ISO-8859-1'), 'latin1'), Buffer.from(chapter('utf-8'))]) {
      const book = bookOf({
        'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
        'b.opf':
          '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
        'c.xhtml': bytes,
      });
      assert.deepEqual(lines(await read(book)), ['Caf\u00e9']);
    }
  });

  it('keep the links of cells', async () => {
    const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const formula = '<c r="B2" t="str"><f>HYPERLINK("https://site.test/b","more")</f><v>more</v></c>';
    const sheet = `<worksheet xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheetData><row r="1">${text('A1', 'x')}${text('B1', 'y')}</row><row r="2">${text('A2', 'go')}${formula}</row></sheetData><hyperlinks><hyperlink ref="A2:A9" r:id="rId1"/><hyperlink ref="A1" location="S!B2"/></hyperlinks></worksheet>`;
    const links = relations(relation('hyperlink', 'https://site.test/a').replace('/>', ' TargetMode="External"/>'));
    const book = xlsx({ S: '' }, { 'xl/worksheets/sheet1.xml': sheet, 'xl/worksheets/_rels/sheet1.xml.rels': links });
    assert.equal(lines(await read(book)).at(-1), '| [go](https://site.test/a) | [more](https://site.test/b) |');
    const cell =
      '<table:table-cell><text:p><text:a xlink:href="https://site.test/a">go</text:a></text:p></table:table-cell>';
    const ods = openDocument(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row>${cell}${cell}</table:table-row></table:table>`,
    );
    assert.equal(lines(await read(ods))[1], '| [go](https://site.test/a) | [go](https://site.test/a) |');
  });
});

describe('OpenDocument files', () => {
  const style = `<office:document-styles><office:styles><text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" text:start-value="5"/></text:list-style><style:style style:name="Strong" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style><style:style style:name="Own" style:family="text" style:parent-style-name="Strong"/></office:styles></office:document-styles>`;
  const shown = async (content: string) =>
    (await read(openDocument('text', content, { 'styles.xml': style }))).markdown;
  const list = (attributes: string, ...items: string[]) =>
    `<text:list text:style-name="L1" ${attributes}>${items.join('')}</text:list>`;
  const item = (text: string, attributes = '') =>
    `<text:list-item ${attributes}><text:p>${text}</text:p></text:list-item>`;

  it('have the numbers of their lists, which start where they say and go on', async () => {
    assert.equal(
      await shown(
        `${list('xml:id="a"', item('five'), item('nine', 'text:start-value="9"'))}<text:p>Between</text:p>${list('text:continue-numbering="true"', item('ten'))}<text:p>x</text:p>${list('', item('five'))}<text:p>y</text:p>${list('text:continue-list="a"', item('on'))}`,
      ),
      '5. five\n\n9. nine\n\nBetween\n\n10. ten\n\nx\n\n5. five\n\ny\n\n10. on',
    );
  });

  it('have lists that begin again at each item as one, and nothing of the pages that notes are printed on', async () => {
    const bullets = (content: string) => `<text:list><text:list-item>${content}</text:list-item></text:list>`;
    const items = [
      bullets('<text:p>one</text:p>'),
      bullets(bullets('<text:p>in</text:p>')),
      bullets(bullets('<text:p>in two</text:p>')),
      bullets(`${bullets('<text:p>in three</text:p>')}<text:p>two</text:p>`),
    ];
    const box = (kind: string, content: string) =>
      `<draw:frame presentation:class="${kind}"><draw:text-box>${content}</draw:text-box></draw:frame>`;
    const notes = `<presentation:notes>${box('notes', '<text:p>Say it</text:p>')}${box('page-number', '<text:p>7</text:p>')}<draw:g>${box('notes', '<text:p>Twice</text:p>')}</draw:g></presentation:notes>`;
    const page = `<draw:page>${box('title', '<text:p>T</text:p>')}${box('outline', items.join(''))}${notes}</draw:page>`;
    assert.deepEqual(lines(await read(openDocument('presentation', page))), [
      '## T',
      '- one',
      '  - in',
      '  - in two',
      '- - in three',
      '  two',
      '> Say it',
      '>',
      '> Twice',
    ]);
  });

  it('have the styles of all text, what is said of images, and lists in cells', async () => {
    assert.equal(await shown('<text:p><text:span text:style-name="Own">a</text:span> b</text:p>'), '**a** b');
    const frame = '<draw:frame><draw:image xlink:href="a.png"/><svg:desc>A boat</svg:desc></draw:frame>';
    assert.equal(await shown(`<text:p>See ${frame}</text:p>${frame}`), 'See A boat\n\nA boat');
    const cell = (content: string) => `<table:table-cell>${content}</table:table-cell>`;
    const rows = [
      cell('<text:p>A</text:p>') + cell('<text:p>B</text:p>'),
      cell(list('', item('x'), item('y'))) + cell('<text:p>c</text:p><text:p>d</text:p>'),
    ];
    const table = `<table:table>${rows.map((row) => `<table:table-row>${row}</table:table-row>`).join('')}</table:table>`;
    assert.equal(await shown(table), '| A | B |\n| --- | --- |\n| 5. x<br>6. y | c<br>d |');
  });

  it('have code, quotes and text that is struck out', async () => {
    const own = (name: string, family: string, base: string, properties = '') =>
      `<style:style style:name="${name}" style:family="${family}" style:parent-style-name="${base}">${properties}</style:style>`;
    const styles = [
      own('Preformatted_20_Text', 'paragraph', 'Standard'),
      own('P1', 'paragraph', 'Preformatted_20_Text'),
      own('Quotations', 'paragraph', 'Standard'),
      own('Source_20_Text', 'text', ''),
      own('S1', 'text', '', '<style:text-properties style:text-line-through-style="solid"/>'),
      own('S2', 'text', 'S1', '<style:text-properties style:text-line-through-style="none"/>'),
    ].join('');
    const body = [
      ['Preformatted_20_Text', 'if x:'],
      ['P1', '<text:s text:c="4"/>y'],
      ['P1', ''],
      ['P1', 'z'],
      ['P1', 'See <text:a xlink:href="https://site.test/">this</text:a>'],
      [
        'Standard',
        `See ${['Source_20_Text', 'S1', 'S2'].map((name) => `<text:span text:style-name="${name}">${name}</text:span>`).join(' ')}.`,
      ],
      ['Quotations', 'One'],
      ['Quotations', 'Two'],
    ].map(([name, text]) => `<text:p text:style-name="${name}">${text}</text:p>`);
    const file = openDocument('text', body.join(''), {
      'styles.xml': `<office:document-styles><office:styles>${styles}</office:styles></office:document-styles>`,
    });
    assert.equal(
      (await read(file)).markdown,
      '```\nif x:\n    y\n\nz\n```\n\nSee [this](https://site.test/)\n\nSee `Source_20_Text` ~~S1~~ S2.\n\n> One\n>\n> Two',
    );
  });

  it('have the text of shapes, what stands above a list, and how words are read', async () => {
    assert.equal(
      await shown(
        '<text:p>Text<draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape><draw:g><draw:ellipse><text:p>Round</text:p></draw:ellipse></draw:g> on</text:p>',
      ),
      'Text on\n\nIn a shape\n\nRound',
    );
    const head = '<text:list-header><text:p>Head</text:p></text:list-header>';
    assert.equal(await shown(list('', head, item('five'))), 'Head\n\n5. five');
    const ruby = '<text:ruby><text:ruby-base>kanji</text:ruby-base><text:ruby-text>kana</text:ruby-text></text:ruby>';
    assert.equal(await shown(`<text:p>${ruby}</text:p>`), 'kanji(kana)');
  });

  it('have the values of cells, and not what is said about them', async () => {
    const row =
      '<table:table-cell office:value-type="float" office:value="3.5"/><table:table-cell><office:annotation><text:p>note</text:p></office:annotation><text:p>1</text:p></table:table-cell>';
    const found = await read(
      openDocument(
        'spreadsheet',
        `<table:table table:name="S"><table:table-row>${row}</table:table-row></table:table>`,
      ),
    );
    assert.equal(lines(found)[1], '| 3.5 | 1 |');
    assert.equal(found.warning, "The file has comments, which aren't read.");
  });
});

it('slides have what is said of images', async () => {
  const frame = '<draw:frame><draw:image/><svg:desc>A boat</svg:desc></draw:frame>';
  const file = openDocument('presentation', `<draw:page>${frame}</draw:page>`);
  assert.deepEqual(lines(await read(file)), ['## Slide 1', 'A boat']);
});

it('slides have the numbers of their lists', async () => {
  const item = (text: string, level: number, bullet: string) =>
    `<a:p><a:pPr lvl="${level}">${bullet}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const number = '<a:buAutoNum type="arabicPeriod" startAt="4"/>';
  const body = item('four', 0, number) + item('in', 1, '<a:buChar char="-"/>') + item('five', 0, number);
  const slide = `<p:sp><p:txBody>${body}${item('Text', 0, '')}${item('four', 0, number)}</p:txBody></p:sp>`;
  assert.equal((await read(pptx([slide]))).markdown, '## Slide 1\n\n4. four\n   - in\n5. five\n\nText\n\n4. four');
});
