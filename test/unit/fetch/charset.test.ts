import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decodeText } from '../../../src/service/platform/network/charset.ts';

const latin = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf8 = (text: string) => Uint8Array.from(Buffer.from(text));

describe('charsets (CRW-07)', () => {
  it('use a byte order mark first', () => {
    const meta = '<meta charset="shift_jis">é';
    assert.equal(decodeText(utf8(`\ufeff${meta}`), 'text/html; charset=windows-1252'), meta);
    assert.equal(decodeText(Uint8Array.of(0xff, 0xfe, 0x41, 0x00), 'text/html; charset=utf-8'), 'A');
    assert.equal(decodeText(Uint8Array.of(0xfe, 0xff, 0x00, 0x41), undefined), 'A');
  });

  it('use the header before the page', () => {
    assert.equal(
      decodeText(latin('<meta charset=utf-8>caf\xe9'), 'text/html; charset=iso-8859-1'),
      '<meta charset=utf-8>café',
    );
    assert.equal(decodeText(latin('\x80'), 'text/html; Charset="Windows-1252"'), '€');
  });

  const declared: [string, Uint8Array, string][] = [
    ['a meta charset', Buffer.from('<meta charset="shift_jis">\x83\x65', 'latin1'), 'テ'],
    ['an unquoted meta charset', Buffer.from('<meta charset=gbk>\xc4\xe3', 'latin1'), '你'],
    [
      'a meta http-equiv',
      Buffer.from("<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>\xcf", 'latin1'),
      'П',
    ],
    ['an XML declaration', Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?>\xb1', 'latin1'), 'ą'],
  ];
  for (const [what, bytes, expected] of declared) {
    it(`are read from ${what}`, () => assert.ok(decodeText(bytes, 'text/html').endsWith(expected)));
  }

  it('ignore a meta in a comment, and an impossible one', () => {
    assert.ok(decodeText(utf8('<!-- <meta charset=gbk> -->é'), undefined).endsWith('é'));
    assert.ok(decodeText(utf8('<meta charset="utf-16">é'), undefined).endsWith('é'));
    assert.ok(decodeText(utf8('<meta charset="evil">é'), undefined).endsWith('é'));
  });

  it('default to UTF-8 if it is valid, otherwise windows-1252', () => {
    assert.equal(decodeText(utf8('naïve €'), undefined), 'naïve €');
    assert.equal(decodeText(latin('na\xefve \x80'), undefined), 'naïve €');
    assert.equal(decodeText(latin('na\xefve'), 'text/html; charset=evil'), 'naïve');
  });

  it('are known by their words where a text of East Asia declares none', () => {
    for (const [text, bytes] of [
      ['東京の天気,晴れ', '\x93\x8c\x8b\x9e\x82\xcc\x93V\x8bC,\x90\xb0\x82\xea'],
      ['東京の天気,晴れ', '\xc5\xec\xb5\xfe\xa4\xce\xc5\xb7\xb5\xa4,\xc0\xb2\xa4\xec'],
      [
        '编号,产品名称,单价,北京',
        '\xb1\xe0\xba\xc5,\xb2\xfa\xc6\xb7\xc3\xfb\xb3\xc6,\xb5\xa5\xbc\xdb,\xb1\xb1\xbe\xa9',
      ],
      ['編號,產品名稱,單價,臺北', '\xbds\xb8\xb9,\xb2\xa3\xab~\xa6W\xba\xd9,\xb3\xe6\xbb\xf9,\xbbO\xa5_'],
      ['번호,제품명,가격,서울', '\xb9\xf8\xc8\xa3,\xc1\xa6\xc7\xb0\xb8\xed,\xb0\xa1\xb0\xdd,\xbc\xad\xbf\xef'],
    ] as const)
      assert.equal(decodeText(latin(bytes), 'text/csv'), text);
    for (const text of ['ÄÖÜ ÜÖÄ', 'créée, agréée', 'São João, pães', 'GROSSE ÀÉ', 'a····b', '»»»»', 'Þór, Ægir, bær'])
      assert.equal(decodeText(latin(text), 'text/csv'), text);
  });

  it("replace what can't be decoded", () => {
    assert.equal(decodeText(Uint8Array.of(0x61, 0xff, 0x62), 'text/html; charset=utf-8'), 'a\ufffdb');
    assert.equal(decodeText(Uint8Array.of(0x41, 0x00, 0x42), 'text/html; charset=utf-16le').length, 2);
  });

  it('never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.option(fc.string(), { nil: undefined }), (body, type) => {
        assert.equal(typeof decodeText(body, type), 'string');
        assert.equal(typeof decodeText(body, `text/html; charset=${type}`), 'string');
      }),
    );
  });

  it('are read as the HTML standard says', () => {
    const cyrillic = Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2);
    const ends = (html: string, bytes: Uint8Array, text: string, contentType = 'text/html') =>
      assert.ok(decodeText(Buffer.concat([Buffer.from(html), bytes]), contentType).endsWith(text), html.slice(-60));
    const utf8 = Buffer.from('Привет');
    ends('<meta name="description" content="How to write charset=iso-8859-1"><meta charset="utf-8">', utf8, 'Привет');
    ends(`<!--${'x'.repeat(2000)}--><meta charset=windows-1251>`, cyrillic, 'Привет');
    ends('<meta charset="bogus"><meta charset=windows-1251>', cyrillic, 'Привет');
    ends('', cyrillic, 'Привет', "text/html; charset='windows-1251'");
    ends('<meta charset=x-user-defined>', Uint8Array.of(0xe9), 'é');
    // What isn't a declaration for browsers, further down in a script, changes nothing.
    ends(`<!--${'x'.repeat(2000)}--><script>'<meta charset=koi8-r>'</script>`, utf8, 'Привет');
    ends('', utf8, 'Привет', 'text/html; charset=iso-2022-kr');
  });
});
