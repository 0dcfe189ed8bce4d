import assert from 'node:assert/strict';
import { readPdf } from '../../../src/service/web/scrape/convert/files/pdf/pdf.ts';
import { kindOfFile, typeOfUpload } from '../../../src/service/web/scrape/file-kind.ts';
import {
  docx,
  epub,
  openDocument,
  type PdfText,
  pdf,
  pptx,
  slideShape,
  wordParagraph,
  xlsx,
} from '../../harness/documents.ts';
import { lines, read } from './files/read.ts';

const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`;

describe('documents', () => {
  it('of Word keep headings, links, emphasis and tables', async () => {
    const link = '<w:p><w:hyperlink r:id="rId9"><w:r><w:rPr><w:b/></w:rPr><w:t>linked</w:t></w:r></w:hyperlink></w:p>';
    const table = `<w:tbl><w:tr>${cell('A')}${cell('B')}</w:tr><w:tr>${cell('1|x')}${cell('2')}</w:tr></w:tbl>`;
    const result = await read(
      docx(wordParagraph('Head', 'Heading1') + wordParagraph('Words &amp; more') + link + table),
    );
    assert.deepEqual(lines(result), [
      '# Head',
      'Words & more',
      '[**linked**](https://site.test/page)',
      '| A | B |',
      '| --- | --- |',
      '| 1\\|x | 2 |',
    ]);
    assert.match(result.html ?? '', /<h1>.*Head<\/h1>/);
    assert.deepEqual(result.contentLinks, ['https://site.test/page']);
    assert.deepEqual(result.metadata, { title: 'The title', author: 'Ada' });
  });

  it('of Excel become one table per sheet, with formatted values and the results of formulas', async () => {
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>Day</t></is></c></row>
      <row r="2"><c r="A2"><v>0.30000000000000004</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" s="1"><v>45000</v></c></row>
      <row r="3"><c r="A3" s="2"><v>0.255</v></c><c r="B3"><f>A1+1</f><v>7</v></c><c r="C3" s="3"><v>45000.5</v></c></row>
      <row r="4"><c r="A4" t="e"><v>#DIV/0!</v></c><c r="B4"><f>A1+1</f></c></row>`;
    assert.deepEqual(lines(await read(xlsx({ 'One &amp; only': rows, Empty: '' }))), [
      '## One & only',
      '| Name | Rich text | Day |',
      '| --- | --- | --- |',
      '| 0.3 | TRUE | 2023-03-15 |',
      '| 26% | 7 | 2023-03-15 12:00:00 |',
      '| #DIV/0! | =A1+1 | |',
      '## Empty',
    ]);
  });

  it('of PowerPoint keep the order of slides, nested points, tables and notes', async () => {
    const cells = ['A', 'B'].map(
      (text) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`,
    );
    const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cells.join('')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    const first = [
      slideShape('title', 'First'),
      slideShape('body', 'One\n\tInner\nTwo'),
      slideShape('', 'A text box'),
      slideShape('sldNum', '7'),
    ].join('');
    assert.deepEqual(
      lines(await read(pptx([first, `<p:grpSp>${slideShape('', 'Grouped')}</p:grpSp>${table}`], 'Say it'))),
      [
        '## First',
        '- One',
        '  - Inner',
        '- Two',
        'A text box',
        '> Say it',
        '## Slide 2',
        'Grouped',
        '| A | B |',
        '| --- | --- |',
      ],
    );
  });

  it('in OpenDocument format are read as text, sheets or slides', async () => {
    const text = await read(
      openDocument(
        'text',
        '<text:h text:outline-level="2">Head</text:h><text:p>Some <text:span text:style-name="T1">bold</text:span><text:s text:c="3"/>and <text:a xlink:href="https://site.test/">link</text:a></text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>',
      ),
    );
    assert.deepEqual(lines(text), ['## Head', 'Some **bold** and [link](https://site.test/)', '- one']);
    assert.deepEqual(text.metadata, { title: 'The title', author: 'Ada' });
    const row = (cells: string) => `<table:table-row>${cells}</table:table-row>`;
    const sheet = `<table:table table:name="S">${row('<table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/>')}<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>${row('<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>')}</table:table>`;
    assert.deepEqual(lines(await read(openDocument('spreadsheet', sheet))), [
      '## S',
      '| A | |',
      '| --- | --- |',
      '| x | x |',
    ]);
    const frame = (kind: string, content: string) =>
      `<draw:frame presentation:class="${kind}"><draw:text-box>${content}</draw:text-box></draw:frame>`;
    const slide = `<draw:page>${frame('title', '<text:p>Slide A</text:p>')}${frame('outline', '<text:p>point</text:p>')}<presentation:notes>${frame('notes', '<text:p>spoken</text:p>')}</presentation:notes></draw:page>`;
    assert.deepEqual(lines(await read(openDocument('presentation', slide))), ['## Slide A', 'point', '> spoken']);
  });

  it('in Rich Text Format keep headings, emphasis, tables and other alphabets', async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\info{\title The title}{\author Ada}}\pard\outlinelevel1 Head\par\pard \'cf\'f0 \u8364? {\b bold}\par\trowd\pard\intbl A\cell B\cell\row\trowd\pard\intbl 1\cell 2\cell\row\pard after{\*\generator x}{\pict 0123}\par}`;
    const result = await read(Buffer.from(rtf));
    assert.deepEqual(lines(result), ['## Head', 'Пр € **bold**', '| A | B |', '| --- | --- |', '| 1 | 2 |', 'after']);
    assert.deepEqual(result.metadata, { title: 'The title', author: 'Ada' });
  });

  it('of EPUB are read chapter by chapter, without links and images that point into the book', async () => {
    const book = epub([
      '<h1>One</h1><p>Text <img src="../i.png" alt="pic"/> <a href="c2.xhtml">inner</a> <a href="https://site.test/">outer</a></p>',
      '<h1>Two</h1>',
    ]);
    const result = await read(book);
    assert.deepEqual(lines(result), ['# One', 'Text pic inner [outer](https://site.test/)', '# Two']);
    assert.deepEqual(result.metadata, { title: 'The title', author: 'Ada', language: 'en' });
  });

  it('with separated values become a table, whatever the separator', async () => {
    for (const [separator, type] of [
      [';', 'text/csv'],
      [',', 'text/csv; charset=utf-8'],
      ['\t', 'text/tab-separated-values'],
    ] as const) {
      const file = ['name|age', '"Ada | x"|36', '', 'Bob|4'].join('\n').replaceAll('|', separator);
      assert.deepEqual(lines(await read(Buffer.from(file), { type })).slice(-2), [
        `| Ada ${separator === '\t' ? '' : `${separator} `}x | 36 |`,
        '| Bob | 4 |',
      ]);
    }
  });

  it('made from e-mails have the headers, the text and the names of attachments', async () => {
    const mail = [
      'From: Ada <ada@site.test>',
      'To: bob@site.test',
      'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
      'Date: Mon, 1 Jan 2024 10:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/html',
      '',
      '<meta http-equiv="refresh" content="0;url=https://elsewhere.test/"><p>Hello <b>you</b></p><script>x</script>',
      '--x',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename=a.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      'AAAA',
      '--x--',
      '',
    ].join('\r\n');
    const result = await read(Buffer.from(mail));
    assert.deepEqual(lines(result), [
      '# Grüße',
      '**From:** Ada \\<ada@site.test>  ',
      '**To:** bob@site.test  ',
      '**Date:** 2024-01-01T10:00:00.000Z',
      'Hello **you**',
      '## Attachments',
      '- a.pdf (application/pdf, 3 bytes)',
    ]);
    assert.equal(result.refresh, undefined);
  });

  it('made from e-mails have quotes where they quote', async () => {
    const text = 'Yes.\r\n> Did you?\r\n> Say.\r\n>\r\n> > I do.\r\n>> Really.\r\nBye > now\r\n\r\n>end';
    const result = await read(Buffer.from(`From: a@site.test\r\nSubject: S\r\n\r\n${text}`), {
      type: 'message/rfc822',
    });
    assert.equal(
      result.markdown?.split('\n\n').slice(2).join('\n\n'),
      'Yes.\n\n> Did you?  \n> Say.\n>\n> > I do.  \n> > Really.\n\nBye > now\n\n> end',
    );
  });

  const page = (...texts: [x: number, y: number, text: string, size?: number][]): PdfText[] =>
    texts.map(([x, y, text, size = 12]) => ({ x, y, text, size }));

  it('in PDF format keep headings, paragraphs, tables and lists, and name pages without text', async () => {
    const report = page(
      [72, 720, 'Report', 24],
      [72, 690, 'First line of a para-'],
      [72, 676, 'graph that goes on.'],
      [72, 640, 'Item'],
      [200, 640, 'Price'],
      [72, 625, 'Apple'],
      [205, 625, '1.00'],
      [72, 610, 'Pear'],
      [200, 610, '12.00'],
      [72, 570, '\x95 one'],
      [72, 555, '\x95 two'],
    );
    const result = await read(pdf([report, [], page([72, 720, 'Third']), []]));
    assert.deepEqual(lines(result), [
      '# Report',
      'First line of a paragraph that goes on.',
      '| Item | Price |',
      '| --- | --- |',
      '| Apple | 1.00 |',
      '| Pear | 12.00 |',
      '- one',
      '- two',
      'Third',
    ]);
    assert.match(result.warning ?? '', /^Pages 2, 4 have no text: they are scanned or empty/);
    assert.equal(result.numPages, 4);
    assert.deepEqual(result.metadata, { title: 'The title', author: 'Ada' });
  });

  it('says so where fonts of a PDF only name the character set of their text', async () => {
    const font = '/Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>';
    const named =
      '/Type0 /BaseFont /Song /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 0 >> >>] >>';
    const file = pdf([page([72, 720, 'Report']), [{ x: 72, y: 720, code: true, text: '\x6e\x2f' }]]);
    const result = await read(Buffer.from(file.toString('latin1').replace(font, named), 'latin1'));
    assert.deepEqual(lines(result), ['Report']);
    assert.equal(
      result.warning,
      "Text in fonts that only name their character set isn't read (UniGB-UCS2-H). Page 2 has no other text.",
    );
  });

  it('in PDF format with text in columns are read column by column', async () => {
    const words = (letter: string) =>
      `${letter} sentence that is long enough to be prose and not a cell of some table.`;
    const columns = [0, 1, 2].flatMap((row) =>
      page([40, 700 - row * 14, words(`l${row}`), 6], [330, 700 - row * 14, words(`r${row}`), 6]),
    );
    assert.match((await read(pdf([columns]))).markdown ?? '', /^l0 .*l1 .*l2 [^|]*\n\nr0 .*r1 .*r2 [^|]*$/s);
  });

  it('in PDF format can be read in part', async () => {
    const four = pdf(['One', 'Two', 'Three', 'Four'].map((text) => page([72, 720, text])));
    assert.deepEqual(lines(await read(four, { pageRange: '2-3, 9' })), ['Two', 'Three']);
    assert.deepEqual(lines(await read(four, { pageRange: '3-' })), ['Three', 'Four']);
    const first = await read(four, { maxPages: 1 });
    assert.deepEqual([lines(first), first.warning], [['One'], 'Only the first 1 of 4 pages were read.']);
    const some = await read(four, { pageRange: '2-4', maxPages: 2 });
    assert.equal(some.warning, 'Only the first 2 of 3 requested pages were read.');
    await assert.rejects(read(four, { pageRange: '7' }), /has 4 pages, and none of them is in the range 7/);
  });

  it('in PDF format have time for each further page, and of one page only that of any page', async () => {
    for (const [count, most] of [
      [1, 0],
      [3, 4],
    ] as const) {
      let times = 0;
      const body = pdf(Array.from({ length: count }, () => page([72, 720, 'Text'])));
      await readPdf(body, { maxPages: 10, onPage: () => times++ });
      assert.equal(times, most);
    }
  });

  it('have embedded images only on request', async () => {
    const picture = `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="1" name="p" descr="A dot"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:embed="rId7"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const file = docx(picture, {
      'word/media/dot.png': new Uint8Array([1, 2, 3]),
      'word/_rels/document.xml.rels':
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId7" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/dot.png"/></Relationships>',
    });
    assert.equal((await read(file)).markdown, 'A dot');
    assert.equal((await read(file, { images: true })).markdown, '![A dot](data:image/png;base64,AQID)');
  });

  it('are recognized by their content before their type or extension', () => {
    const kind = (type: string | undefined, body: Buffer | string) => kindOfFile(type, Buffer.from(body));
    const word = docx(wordParagraph('x'));
    for (const type of ['application/pdf', 'text/plain', undefined, 'image/png']) assert.equal(kind(type, word), 'zip');
    assert.equal(kind('application/msword', '<!DOCTYPE html><p>x'), 'html');
    assert.equal(kind('application/vnd.ms-excel', 'a\tb\n'), 'text');
    assert.equal(kind('application/rtf', '{\\rtf1 x}'), 'rtf');
    assert.equal(kind('application/octet-stream', 'Received: by x\r\nFrom: a@b\r\nSubject: s\r\n\r\nx'), 'email');
    assert.equal(kind('application/msword', Buffer.from([0x89, 0x50, 0, 1])), undefined);
    assert.equal(typeOfUpload('a.CSV', 'text/plain;charset=UTF-8'), 'text/csv');
    assert.equal(typeOfUpload('a.eml', undefined), 'message/rfc822');
    assert.equal(typeOfUpload('a.html', 'application/octet-stream'), 'text/html');
    assert.equal(typeOfUpload('a.html', 'application/pdf'), 'application/pdf');
    assert.equal(typeOfUpload('a', 'text/plain'), 'text/plain');
  });
});
