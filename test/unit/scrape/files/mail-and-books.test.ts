import assert from 'node:assert/strict';
import { bookOf, epub } from '../../../harness/documents.ts';
import { markdownOf, read } from './read.ts';

/** The Markdown of a message below its sender. */
async function mail(headers: string[], body: string | string[]): Promise<string> {
  const message = ['From: a@site.test', 'MIME-Version: 1.0', ...headers, '', ...[body].flat()].join('\r\n');
  const text = await markdownOf(Buffer.from(message, 'latin1'), 'message/rfc822');
  return text.replace(/^\*\*From:\*\* a@site\.test\n\n/m, '');
}
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const parts = (boundary: string, ...list: string[][]) => [
  ...list.flatMap((part) => [`--${boundary}`, ...part]),
  `--${boundary}--`,
];
const mixed = 'Content-Type: multipart/mixed; boundary=o';
const plain = ['Content-Type: text/plain', ''];

describe('e-mails', () => {
  for (const [type, body, markdown] of [
    [
      'format=flowed',
      ['This is one long ', 'paragraph that goes ', 'on.', '', 'A hard', 'line.', '-- ', 'Ada'],
      'This is one long paragraph that goes on.\n\nA hard  \nline.  \n\\--  \nAda',
    ],
    [
      'charset=utf-8; delsp=yes; format="Flowed"',
      [utf8('これは長 '), utf8('い文です。'), utf8('> 引用は長 '), utf8('> いです。'), utf8('答え')],
      'これは長い文です。\n\n> 引用は長いです。\n\n答え',
    ],
    [
      'format=flowed',
      [
        '> A quote that ',
        '> goes on.',
        '>> Deeper ',
        '>> one.',
        '',
        'Answer that ',
        'goes on. ',
        '> next',
        ' > no quote',
      ],
      '> A quote that goes on.\n>\n> > Deeper one.\n\nAnswer that goes on.\n\n> next\n\n\\> no quote',
    ],
    ['charset=utf-8', ['One ', 'two ', '> three ', '> four'], 'One  \ntwo\n\n> three  \n> four'],
  ] as const)
    it(`have the lines of a text with ${type}`, async () => {
      assert.equal(await mail([`Content-Type: text/plain;\r\n ${type}`], [...body]), markdown);
    });

  it('have the lines of each part as that part says, and those that end with a blank otherwise', async () => {
    const part = (type: string, ...lines: string[]) => [`Content-Type: text/plain; charset=utf-8${type}`, '', ...lines];
    const list = [
      part('', 'One ', 'two', '> three ', '> four', '>> five'),
      part('; format=flowed', 'One ', 'two', '> three ', '> > four ', '>> five'),
      part('; format=flowed; delsp=yes', 'One ', 'two', ''),
      part('', utf8('Code: \u2028format=flowed '), 'end'),
    ];
    assert.equal(
      await mail([mixed], parts('o', ...list)),
      'One  \ntwo\n\n> three  \n> four\n>\n> > five\n\nOne two\n\n> three > four\n>\n> > five\n\nOnetwo\n\nCode: \u2028format=flowed  \nend',
    );
    const html = ['Content-Type: text/html', '', '<p>Hello</p>'];
    assert.equal(
      await mail([mixed], parts('o', html, part('; format=flowed', 'list ', 'footer'))),
      'Hello\n\nlist footer',
    );
  });

  it('have one of the alternatives of a text, with its images by their names', async () => {
    const related = parts(
      'i',
      ['Content-Type: text/html', '', '<p>Rich <b>words</b> <img src="cid:logo" alt="Logo"></p>'],
      ['Content-Type: image/png', 'Content-ID: <logo>', 'Content-Disposition: inline; filename=logo.png', '', 'x'],
    );
    const alternatives = parts(
      'o',
      [...plain, 'Plain words'],
      ['Content-Type: multipart/related; boundary=i', '', ...related],
    );
    assert.equal(await mail(['Content-Type: multipart/alternative; boundary=o'], alternatives), 'Rich **words** Logo');
  });

  it('have all text of their pages, wherever it stands, and links that lead from their base', async () => {
    const body = '<body><p>Two <img src="cid:a" alt="A"></p></body>';
    const page = `<p>One</p><html><head><base href="https://site.test/a/"></head>${body}<body><a href="b">Three</a></body></html><p>Four</p>`;
    assert.equal(
      await mail(['Content-Type: text/html'], page),
      'One\n\nTwo A\n\n[Three](https://site.test/a/b)\n\nFour',
    );
    assert.equal(
      await mail(['Content-Type: text/html'], `${'<div>'.repeat(1000)}deep${'</div>'.repeat(1000)}`),
      'deep',
    );
    assert.equal(await mail(['Content-Type: text/html'], '<p style="mso-hide:all">Button</p>'), 'Button');
  });

  it('that are plain text are not written as a page in them says', async () => {
    const quoted = '<meta charset="windows-1251"> <?xml version="1.0" encoding="windows-1251"?> caf\xe9';
    assert.match(await mail(['Content-Type: text/plain'], quoted), /café$/);
    assert.match(
      await mail(['Content-Type: text/plain'], `<?xml version="1.0" encoding="windows-1251"?> caf\xe9`),
      /café$/,
    );
    const japanese = '\x82\xa8\x90\xa2\x98b\x82\xc9\x82\xc8\x82\xc1\x82\xc4\x82\xa8\x82\xe8\x82\xdc\x82\xb7';
    assert.equal(await mail(['Content-Type: text/plain'], japanese), 'お世話になっております');
  });

  it('tell addresses apart whose names have commas', async () => {
    const to = 'To: "Low, Ada" <ada@site.test>, "Bo \\"B\\" Hill" <bo@site.test>, Cy D. <cy@site.test>, d@site.test';
    assert.equal(
      await mail([to, 'Cc: Team: "X, Y" <x@site.test>, y@site.test;, z@site.test'], 'Hello'),
      '**From:** a@site.test  \n**To:** "Low, Ada" \\<ada@site.test>, "Bo \\\\"B\\\\" Hill" \\<bo@site.test>, Cy D. \\<cy@site.test>, d@site.test  \n**Cc:** Team: "X, Y" \\<x@site.test>, y@site.test;, z@site.test\n\nHello',
    );
  });

  it('list files that are to be shown in the text', async () => {
    const report = ['Content-Type: application/pdf', 'Content-Disposition: inline; filename=report.pdf'];
    report.push('Content-Transfer-Encoding: base64', '', 'AAAA');
    assert.equal(
      await mail([mixed], parts('o', [...plain, 'See below.'], report)),
      'See below.\n\n## Attachments\n\n- report.pdf (application/pdf, 3 bytes)',
    );
  });

  it('have the messages that they forward, in the text or attached', async () => {
    const message = [
      'From: Bo <bo@site.test>',
      'Subject: Old news',
      'Date: Mon, 1 Jan 2024 10:00:00 +0000',
      ...plain,
      'Old text',
    ];
    for (const disposition of [[], ['Content-Disposition: attachment; filename=old.eml']])
      assert.equal(
        await mail(
          [mixed],
          parts('o', [...plain, 'FYI'], ['Content-Type: message/rfc822', ...disposition, '', ...message]),
        ),
        'FYI\n\n---\n\n## Old news\n\n**From:** Bo \\<bo@site.test>  \n**Date:** 2024-01-01T10:00:00.000Z\n\nOld text',
      );
  });

  it('are read in the charsets of their parts', async () => {
    const headers = [
      'Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=',
      'Content-Type: text/plain; charset=windows-1251',
      'Content-Transfer-Encoding: quoted-printable',
    ];
    assert.match(await mail(headers, ['=CF=F0=E8=E2=E5=F2 =', 'to all']), /^# 日本\n\nПривет to all$/);
    assert.equal(
      await mail(['Content-Type: text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: 8bit'], 'caf\xe9'),
      'café',
    );
  });

  it('are read as if they had no charset if theirs says nothing of the bytes that they have', async () => {
    for (const charset of ['us-ascii', '"US-ASCII"', 'unknown-8bit', 'x-unknown'])
      assert.equal(await mail([`Content-Type: text/plain; charset=${charset}`], utf8('café')), 'café');
    assert.equal(await mail(['Content-Type: text/plain; charset=us-ascii'], 'caf\xe9'), 'café');
  });

  it('are read as a page in them says, or as older text, if no part has a charset', async () => {
    const page = '<meta charset="windows-1251"><p>\xcf\xf0\xe8</p>';
    assert.equal(await mail(['Content-Type: text/html'], page), 'При');
    assert.equal(await mail(['Content-Type: text/html'], utf8('<p>café</p>')), 'café');
    assert.equal(await mail(['Content-Type: text/plain'], 'caf\xe9'), 'café');
    assert.equal(
      await mail(['Content-Type: text/plain'], `${utf8('Größe café')}\xc3`),
      'Größe café\ufffd',
      'also if it is cut within a character',
    );
    assert.match(
      await mail(['Content-Type: text/plain'], `${utf8('é')} ${'Gr\xf6\xdfe '.repeat(9)}`),
      /^\xc3\xa9 Größe/u,
    );
    assert.equal(
      await mail(['Content-Type: text/plain'], utf8('café <meta charset="koi8-r">')),
      'café \\<meta charset="koi8-r">',
    );
  });

  it('say which parts are encrypted or in a format of one program', async () => {
    const warningOf = async (headers: string, ...body: string[]) => {
      const message = ['From: a@site.test', 'MIME-Version: 1.0', headers, '', ...body].join('\r\n');
      return (await read(Buffer.from(message), { type: 'message/rfc822' })).warning;
    };
    const sealed = "The file has encrypted or sealed parts, which aren't read.";
    assert.equal(await warningOf('Content-Type: application/pkcs7-mime; name=smime.p7m', 'AAAA'), sealed);
    const pgp = parts('o', ['Content-Type: application/pgp-encrypted', '', 'Version: 1']);
    assert.equal(await warningOf('Content-Type: multipart/encrypted; boundary=o', ...pgp), sealed);
    assert.equal(
      await warningOf(
        mixed,
        ...parts('o', [
          'Content-Type: message/rfc822',
          '',
          'Subject: In',
          'Content-Type: multipart/encrypted; boundary=p',
          '',
          ...parts('p', ['Content-Type: application/pgp-encrypted', '', 'Version: 1']),
        ]),
      ),
      sealed,
    );
    const outlook = parts('o', [...plain, 'Hi'], ['Content-Type: application/ms-tnef; name=winmail.dat', '', 'x']);
    assert.equal(await warningOf(mixed, ...outlook), "The file has parts in a format of Outlook, which aren't read.");
    assert.equal(await warningOf(mixed, ...parts('o', [...plain, 'Hi'])), undefined);
  });

  it('have the events to which they invite', async () => {
    const calendar = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'SUMMARY:Meeting\\, the',
      ' second',
      'DTSTART;TZID="Europe/Oslo":20260305T143000',
      'DTEND;VALUE=DATE:20260306',
      'BEGIN:VALARM',
      'SUMMARY:Alarm',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
    ];
    const shown =
      '**Event:** Meeting, thesecond  \n**Start:** 2026-03-05T14:30:00 (Europe/Oslo)  \n**End:** 2026-03-06\n\n## Attachments\n\n- unnamed (text/calendar';
    const type = 'Content-Type: text/calendar; method=REQUEST';
    assert.ok((await mail([type], calendar)).startsWith(shown));
    const both = parts('o', [...plain, 'Come.'], [type, '', ...calendar]);
    assert.ok((await mail(['Content-Type: multipart/alternative; boundary=o'], both)).startsWith(`Come.\n\n${shown}`));
  });

  it('have the text that a list adds below theirs', async () => {
    assert.equal(
      await mail([mixed], parts('o', ['Content-Type: text/html', '', '<p>Hello</p>'], [...plain, 'list footer'])),
      'Hello\n\nlist footer',
    );
  });
});

describe('books', () => {
  const book = (chapters: Record<string, string>, spine: string) =>
    bookOf({
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      'b.opf': `<package><manifest>${Object.keys(chapters)
        .map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`)
        .join('')}</manifest><spine>${spine}</spine></package>`,
      ...Object.fromEntries(
        Object.entries(chapters).map(([id, body]) => [
          `${id}.xhtml`,
          `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`,
        ]),
      ),
    });

  it('have the chapters whose names differ from those in the file in case or in how letters are composed', async () => {
    const page = (text: string) => `<html><body><p>${text}</p></body></html>`;
    const items = ['Text/One.xhtml', 'text/caf\u00e9.xhtml', 'text/two.xhtml', 'text/Two.xhtml'].map(
      (href, index) => `<item id="c${index}" href="${href}" media-type="application/xhtml+xml"/>`,
    );
    const spine = items.map((_, index) => `<itemref idref="c${index}"/>`).join('');
    const file = bookOf({
      'META-INF/Container.xml': '<container><rootfiles><rootfile full-path="ops/book.opf"/></rootfiles></container>',
      'OPS/Book.opf': `<package><manifest>${items.join('')}</manifest><spine>${spine}</spine></package>`,
      'OPS/text/one.XHTML': page('One'),
      'OPS/text/cafe\u0301.xhtml': page('Caf\u00e9'),
      'ops/text/two.xhtml': page('Small'),
      'ops/text/Two.xhtml': page('Large'),
    });
    const result = await read(file);
    assert.equal(result.markdown, 'One\n\nCaf\u00e9\n\nSmall\n\nLarge');
    assert.equal(result.warning, undefined);
  });

  it('have the chapters whose names are not links, and that are packed as links or with backslashes', async () => {
    const page = (text: string) => `<html><body><p>${text}</p></body></html>`;
    const names = ['100% pure.xhtml', 'what?.xhtml', 'no#1.xhtml', 'text/as%20link.xhtml', 'text/a b.xhtml#start'];
    const items = names.map((href, at) => `<item id="c${at}" href="${href}" media-type="application/xhtml+xml"/>`);
    const spine = items.map((_, at) => `<itemref idref="c${at}"/>`).join('');
    const result = await read(
      bookOf({
        'META-INF/container.xml':
          '<container><rootfiles><rootfile full-path="a.pdf" media-type="application/pdf"/><rootfile full-path="ops/b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        'ops\\b.opf': `<package><manifest>${items.join('')}</manifest><spine>${spine}</spine></package>`,
        'ops/100% pure.xhtml': page('One'),
        'ops/what?.xhtml': page('Two'),
        'ops\\no#1.xhtml': page('Three'),
        'ops/text/as%20link.xhtml': page('Four'),
        'ops/text/a b.xhtml': page('Five'),
      }),
    );
    assert.equal(result.markdown, 'One\n\nTwo\n\nThree\n\nFour\n\nFive');
    assert.equal(result.warning, undefined);
  });

  it('say that they list no chapters', async () => {
    const result = await read(book({ a: '<p>One</p>' }, ''));
    assert.equal(result.warning, 'The book lists no chapters.');
  });

  it('have what all programs show, not also what only some do', async () => {
    const part =
      '<epub:switch xmlns:epub="http://www.idpf.org/2007/ops"><epub:case><p>Some</p></epub:case><epub:default><p>All</p></epub:default></epub:switch>';
    assert.equal(await markdownOf(epub([part])), 'All');
    const math =
      '<epub:case required-namespace="http://www.w3.org/1998/Math/MathML"><math><mi>x</mi></math></epub:case>';
    assert.equal(await markdownOf(epub([part.replace('<epub:case>', `${math}<epub:case>`)])), 'x');
    assert.equal(await markdownOf(epub([part.replace(/<epub:default>.*<\/epub:default>/, '')])), 'Some');
  });

  it('have what is beside the text after it', async () => {
    const file = book(
      { a: '<p>One</p>', n: '<p>Notes</p>', b: '<p>Two</p>' },
      '<itemref idref="a"/><itemref idref="n" linear="no"/><itemref idref="b" linear="yes"/>',
    );
    assert.equal(await markdownOf(file), 'One\n\nTwo\n\nNotes');
  });

  it('have the text that stands for a drawing', async () => {
    const items =
      '<item id="s" href="s.svg" media-type="image/svg+xml" fallback="a"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>';
    const file = bookOf({
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      'b.opf': `<package><manifest>${items}</manifest><spine><itemref idref="s"/></spine></package>`,
      's.svg': '<svg xmlns="http://www.w3.org/2000/svg"><path/></svg>',
      'a.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>A map</p></body></html>',
    });
    assert.equal(await markdownOf(file), 'A map');
  });

  it('have their contents as nested lists, and notes', async () => {
    const nav =
      '<nav epub:type="page-list"><ol><li><a href="a.xhtml#p1">1</a></li></ol></nav><nav><h1>Contents</h1><ol><li><a href="a.xhtml">One</a><ol><li><a href="a.xhtml#x">In one</a></li></ol></li></ol></nav>';
    const text = '<h1>One</h1><p>Text<a href="#n1">1</a></p><aside id="n1"><p>A note.</p></aside>';
    assert.equal(
      await markdownOf(book({ nav, a: text }, '<itemref idref="nav"/><itemref idref="a"/>')),
      '# Contents\n\n1. One\n   1. In one\n\n# One\n\nText1\n\nA note.',
    );
  });

  it('show nothing of elements with nothing in them', async () => {
    const empty =
      '<h2/><p>a</p><h1></h1><h3>\n</h3><blockquote/><pre/><p/><div/><table><tr><td/><td>c</td></tr><tr><td>d</td><td/></tr></table>';
    assert.equal(await markdownOf(epub([empty])), 'a\n\n| | c |\n| --- | --- |\n| d | |');
  });
});

describe('tables of separated values', () => {
  const cases: Record<string, [file: Buffer | string, markdown: string]> = {
    'a byte order mark, semicolons, and quotes over several lines': [
      '\ufeffName;Note\r\n"Ada";"two\r\nlines; and ""quotes"""\r\n',
      '| Name | Note |\n| --- | --- |\n| Ada | two<br>lines; and "quotes" |',
    ],
    'UTF-16 with a byte order mark': [
      Buffer.from('\ufeffName\tPrice\r\nTée\t4,50\r\n', 'utf16le'),
      '| Name | Price |\n| --- | --- |\n| Tée | 4,50 |',
    ],
    'UTF-16 without one': [
      Buffer.from('Name,Price\r\nTea,4\r\n', 'utf16le'),
      '| Name | Price |\n| --- | --- |\n| Tea | 4 |',
    ],
    'UTF-16, the larger byte first': [
      Buffer.from('Name,Price\nTea,4\n', 'utf16le').swap16(),
      '| Name | Price |\n| --- | --- |\n| Tea | 4 |',
    ],
    'letters of Windows': [
      Buffer.from('Name;Ort\nJürgen;Köln\n', 'latin1'),
      '| Name | Ort |\n| --- | --- |\n| Jürgen | Köln |',
    ],
    'lines that end as on old Macs': ['Name,Price\rTea,4', '| Name | Price |\n| --- | --- |\n| Tea | 4 |'],
    'a title above the head': [
      'Report of 2026\n\nName;Price;Qty\nTea;4,50;1\nCup;2,00;3\n',
      'Report of 2026\n\n| Name | Price | Qty |\n| --- | --- | --- |\n| Tea | 4,50 | 1 |\n| Cup | 2,00 | 3 |',
    ],
    'comments above the head': [
      '# Exported by Ada\n#\n# Prices in euros\nName;Price\nTea;4,50\n',
      '\\# Exported by Ada  \n\\#  \n\\# Prices in euros\n\n| Name | Price |\n| --- | --- |\n| Tea | 4,50 |',
    ],
    'a number sign at a head that is shorter': ['#Name,Age\nBob,3,\n', '| #Name | Age |\n| --- | --- |\n| Bob | 3 |'],
    'a number sign at a head that is shorter, with a comment above': [
      '# All\n#id,name,tags\n1,Bob,"a,b",extra\n',
      '\\# All\n\n| #id | name | tags | |\n| --- | --- | --- | --- |\n| 1 | Bob | a,b | extra |',
    ],
    'colors alone': [
      '#ff0000,red,1\n#00ff00,green\n',
      '| #ff0000 | red | 1 |\n| --- | --- | --- |\n| #00ff00 | green | |',
    ],
    'a number sign at a cell of two lines': [
      '"# of\nitems",Name\n3,Tea\n',
      '| # of<br>items | Name |\n| --- | --- |\n| 3 | Tea |',
    ],
    'a number sign at the name of one column': ['# Id\n1\n2\n', '| # Id |\n| --- |\n| 1 |\n| 2 |'],
    'more number signs than a head has': [
      `${'# a\n'.repeat(60)}b;c`,
      `| # a |\n| --- |\n${'| # a |\n'.repeat(59)}| b;c |`,
    ],
    'rows of one value above others': [
      'Ann\nBen\nCleo,singer,Oslo\nDan,cook,Rome\n',
      '| Ann | | |\n| --- | --- | --- |\n| Ben | | |\n| Cleo | singer | Oslo |\n| Dan | cook | Rome |',
    ],
    'a head that begins with a number sign': [
      '# Id,Price\n#1,4\n2,5\n',
      '| # Id | Price |\n| --- | --- |\n| #1 | 4 |\n| 2 | 5 |',
    ],
    'number signs alone': ['#1,Tea\n#2,Cup\n', '| #1 | Tea |\n| --- | --- |\n| #2 | Cup |'],
    'a head of which one name is missing': ['Name,\nTea,3\n', '| Name | |\n| --- | --- |\n| Tea | 3 |'],
    'blanks before quotes': [
      'Name, Note\n"Tea", "green, fresh"\n"Cup, ", "a ""b, "" c"\n',
      '| Name | Note |\n| --- | --- |\n| Tea | green, fresh |\n| Cup, | a "b, " c |',
    ],
    'one column': ['Name\nTea\nCup\n', '| Name |\n| --- |\n| Tea |\n| Cup |'],
    'semicolons, and commas in texts': [
      'Name;Text\nA;"x, y, z"\nB;"one, two, three"\n',
      '| Name | Text |\n| --- | --- |\n| A | x, y, z |\n| B | one, two, three |',
    ],
  };
  for (const [what, [file, markdown]] of Object.entries(cases))
    it(`with ${what}`, async () => assert.equal(await markdownOf(Buffer.from(file as string), 'text/csv'), markdown));
});
