import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { ConversionError, createConverters } from '../../../src/service/web/scrape/convert/convert.ts';
import { openArchive } from '../../../src/service/web/scrape/convert/files/archive.ts';
import { UnreadableFile } from '../../../src/service/web/scrape/convert/files/file-errors.ts';
import { type DocumentKind, readDocument } from '../../../src/service/web/scrape/convert/files/files.ts';
import { docx, epub, openDocument, pdf, pptx, wordParagraph, xlsx, zipOf } from '../../harness/documents.ts';
import { patience } from '../../harness/eventually.ts';

const read = (kind: DocumentKind, file: Uint8Array) =>
  readDocument(kind, file, { contentType: undefined, maxPages: 1000, keepImages: false });
const refused = (kind: DocumentKind, file: Uint8Array, message: RegExp) =>
  assert.rejects(read(kind, file), (error) => error instanceof UnreadableFile && message.test(error.message));

/** Sets the first entry's flag for encryption. */
function encrypted(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt16LE(1, 6);
  // The names of entries are readable, their content isn't.
  copy.fill(0xff, 40, 200);
  return copy;
}

describe('bad documents', () => {
  const ole = (text: string) =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512), Buffer.from(text, 'utf16le')]);
  const tooManyHeaders = /complex: the headers of it and all of its parts may have 1 MiB together\. Save/;
  const forward = '--o\r\nContent-Type: message/rfc822\r\n\r\nSubject: One\r\n\r\nText\r\n';
  const forwards = `Content-Type: multipart/mixed; boundary=o\r\n\r\n${forward.repeat(40_000)}--o--`;
  const parts = Array.from(
    { length: 60 },
    (_, index) => `Content-Type: multipart/mixed; boundary=x${index}\r\n\r\n--x${index}\r\n`,
  );
  const damaged = /can't be read: its content isn't what a file of its kind has\. Open it in the program that made it/;
  const deep = /can't be read: its content is nested too deeply\. Open it/;
  const cases: [what: string, kind: DocumentKind, file: Uint8Array, message: RegExp][] = [
    ['an encrypted Office file', 'ole', ole('EncryptedPackage'), /needs a password\. Remove the password/],
    ['an Office file from before 2007', 'ole', ole('WordDocument'), /before 2007 .*Save the file as \.docx/],
    ['an archive that is no document', 'zip', zipOf({ 'a.txt': 'x' }), /archive, but not a document/],
    ['a binary workbook', 'zip', zipOf({ 'xl/workbook.bin': 'x' }), /\.xlsb\) aren't supported/],
    ['an archive that ends early', 'zip', docx(wordParagraph('x')).subarray(0, 300), /damaged/],
    ['an encrypted archive', 'zip', encrypted(docx(wordParagraph('x'))), /password/],
    ['a workbook without sheets', 'zip', zipOf({ 'xl/workbook.xml': '' }), /damaged/],
    ['a presentation without slides', 'zip', zipOf({ 'ppt/presentation.xml': '<x/>' }), /damaged/],
    [
      'an encrypted OpenDocument file',
      'zip',
      openDocument('text', '', { 'META-INF/manifest.xml': '<manifest:encryption-data />' }),
      /needs a password/,
    ],
    [
      'a book with copy protection',
      'zip',
      epub(['<p>x</p>'], {
        'META-INF/encryption.xml':
          '<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/text/chapter%200.xhtml"/></CipherData></EncryptedData></encryption>',
      }),
      /needs a password/,
    ],
    ['a book without a package file', 'zip', zipOf({ 'META-INF/container.xml': '<x/>' }), /no package file/],
    ['a Word document without a body', 'zip', docx('', { 'word/document.xml': '<html/>' }), damaged],
    ['a Word document that is no XML', 'zip', docx('', { 'word/document.xml': 'words' }), damaged],
    ['a Word document whose styles are cut', 'zip', docx('', { 'word/styles.xml': '<w:styles' }), damaged],
    ['a Word document without relations', 'zip', zipOf({ 'word/document.xml': '' }), damaged],
    [
      'tables in tables without end',
      'zip',
      docx(`${'<w:tbl><w:tr><w:tc>'.repeat(20_000)}${'</w:tc></w:tr></w:tbl>'.repeat(20_000)}`),
      deep,
    ],
    ['sections in sections without end', 'zip', openDocument('text', '<text:section>'.repeat(30_000)), deep],
    [
      'an e-mail of parts in parts',
      'email',
      Buffer.from(parts.join('')),
      /complex: its parts may be nested 50 levels deep\. Save/,
    ],
    ['an e-mail of headers', 'email', Buffer.from(`A: ${'a'.repeat(2_000_000)}`), tooManyHeaders],
    ['an e-mail that forwards 40,000 others', 'email', Buffer.from(forwards), tooManyHeaders],
    ['an encrypted RTF file', 'rtf', Buffer.from('{\\rtf1\\ansi{\\*\\passwordhash 00}}'), /needs a password/],
    ['a PDF that ends early', 'pdf', Buffer.from('%PDF-1.7\n1 0 obj'), /The PDF can't be read/],
    [
      'an encrypted PDF',
      'pdf',
      pdf(
        [[{ x: 72, y: 720, text: 'x' }]],
        `/ID [<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'00'.repeat(32)}> /U <${'11'.repeat(32)}> >>`,
      ),
      /The PDF needs a password/,
    ],
  ];
  for (const [what, kind, file, message] of cases) it(`refuse ${what}`, () => refused(kind, file, message));

  it('with macros are read without them, and say so', async () => {
    const macros = /macros, which were ignored/;
    const word = await read('zip', docx(wordParagraph('x'), { 'word/vbaProject.bin': 'Sub AutoOpen' }));
    assert.match(word.warnings.join(), macros);
    assert.doesNotMatch(word.html, /AutoOpen/);
    const row = '<row r="1"><c r="A1"><f>WEBSERVICE("http://evil.test/")</f><v>cached</v></c></row>';
    const sheet = await read('zip', xlsx({ S: row }, { 'xl/vbaProject.bin': 'x' }));
    assert.match(sheet.warnings.join(), macros);
    assert.match(sheet.html, /<th>cached<\/th>/);
  });

  it('that would decompress to gigabytes are refused before they are decompressed', async () => {
    const bomb = docx(wordParagraph('x'), { 'word/bomb.xml': new Uint8Array(100_000) });
    const entry = bomb.lastIndexOf('PK\x01\x02', undefined, 'latin1');
    bomb.writeUInt32LE(3_000_000_000, entry + 24);
    await refused('zip', bomb, /more than 128 MiB when decompressed/);
  });

  it('that declare a smaller size than they have are cut off at the declared size', () => {
    const file = zipOf({ 'a.xml': new Uint8Array(500_000) });
    const entry = file.indexOf('PK\x01\x02', 0, 'latin1');
    file.writeUInt32LE(10, entry + 24);
    assert.equal(openArchive(file).bytes('a.xml')?.byteLength, 10);
  });

  it('with too many entries are refused', () => {
    const file = zipOf({ a: 'x', b: 'x', c: 'x' });
    assert.throws(() => openArchive(file, { entries: 2, bytes: 100 }), /more than 2 entries/);
  });

  it('whose sheets span millions of empty cells are read in time', async () => {
    const far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
    assert.equal((await read('zip', xlsx({ S: far }))).html.match(/<t[hd]>/g)?.length, 4);
  });

  it('whose tables are too large are cut, and say so', async () => {
    const rows = Array.from({ length: 2000 }, (_, row) => `<row><c r="${column(row)}1"><v>1</v></c></row>`);
    const { warnings } = await read('zip', xlsx({ S: rows.join('') }));
    assert.match(warnings.join(), /The sheet "S" is too large/);
  });

  it('with endlessly nested groups or elements are refused or read', async () => {
    await refused('rtf', Buffer.from(`{\\rtf1 ${'{'.repeat(100_000)}`), /nested too deeply/);
    const nested = openDocument('text', '<text:section>'.repeat(3000));
    await read('zip', nested).catch((error: unknown) => assert.ok(error instanceof Error));
  });

  it('of 10,000 pages are read up to the limit', async () => {
    const file = pdf(Array.from({ length: 10_000 }, (_, index) => [{ x: 72, y: 720, text: `Page ${index + 1}` }]));
    const options = { contentType: undefined, keepImages: false };
    const first = await readDocument('pdf', Uint8Array.from(file), { ...options, maxPages: 3 });
    assert.deepEqual([first.numPages, first.warnings], [3, ['Only the first 3 of 10000 pages were read.']]);
    const late = await readDocument('pdf', Uint8Array.from(file), { ...options, maxPages: 10_000, readingMs: 0 });
    assert.match(late.warnings.join(), /^Only the first \d+ of 10000 pages were read within the timeout/);
  });

  it('fail only with an error, whatever is in them', async () => {
    const whole: [DocumentKind, Buffer][] = [
      ['zip', docx(wordParagraph('Words', 'Heading1'))],
      ['zip', xlsx({ S: '<row r="1"><c r="A1" t="s"><v>1</v></c></row>' })],
      ['zip', pptx(['<p:sp/>'], 'notes')],
      ['zip', openDocument('text', '<text:p>x</text:p>')],
      ['zip', epub(['<p>x</p>'])],
      ['rtf', Buffer.from('{\\rtf1\\ansi \\u8364? {\\b x}\\trowd\\cell\\row}')],
      ['csv', Buffer.from('a,"b\n1,2')],
      ['email', Buffer.from('From: a\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n--x--')],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...whole),
        fc.nat(),
        fc.uint8Array({ maxLength: 6 }),
        async ([kind, file], at, bytes) => {
          const broken = Buffer.from(file);
          broken.set(bytes.subarray(0, broken.length - (at % broken.length)), at % broken.length);
          const result = await read(kind, broken).catch((error: unknown) => error);
          assert.ok(result instanceof Error || typeof (result as { html: unknown }).html === 'string');
        },
      ),
      { numRuns: 200 },
    );
  });

  it('fail alone: the converter reads the next one', async () => {
    const converters = createConverters({ threads: 1, reserve: 0 });
    const options = { url: '', onlyMainContent: true, onlyCleanContent: false, removeBase64Images: true };
    const convert = (body: Buffer) =>
      converters.convert(
        {
          kind: 'zip',
          body,
          contentType: undefined,
          raw: false,
          maxPages: 1,
          lists: { links: true, contentLinks: true, images: true },
          options: { ...options, markdown: true, html: false },
        },
        { team: 'default', timeoutMs: patience, deadlineMs: patience, signal: new AbortController().signal },
      );
    try {
      await assert.rejects(
        convert(zipOf({ 'a.txt': 'x' })),
        (error) => error instanceof ConversionError && error.kind === 'file',
      );
      assert.equal((await convert(docx(wordParagraph('fine')))).markdown, 'fine');
    } finally {
      await converters.close();
    }
  });
});

/** Returns the letters of a column from its number. */
function column(number: number): string {
  const rest = number % 26;
  return (number >= 26 ? column(Math.floor(number / 26) - 1) : '') + String.fromCharCode(65 + rest);
}
