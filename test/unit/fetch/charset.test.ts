import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decodeInTurns, decodeText } from '../../../src/service/platform/network/charset.ts';

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

  /** Writes a text in an older encoding. */
  const written = (text: string, encoding: string) => {
    const decoder = new TextDecoder(encoding);
    const bytes = new Map<string, number[]>();
    for (let one = 0xff; one >= 0; one--) {
      for (let two = encoding.startsWith('windows') ? 0 : 0xfe; two >= 0x40 && one > 0x80; two--)
        bytes.set(decoder.decode(Uint8Array.of(one, two)), [one, two]);
      bytes.set(decoder.decode(Uint8Array.of(one)), [one]);
    }
    return Uint8Array.from([...text].flatMap((letter) => bytes.get(letter) ?? assert.fail(`${letter} in ${encoding}`)));
  };

  it('are known by frequent letters where a text of East Asia declares none', () => {
    for (const [encoding, ...texts] of [
      ['shift_jis', '東京の天気,晴れ\n大阪の天気,雨が降る', 'お世話になっております。ご注文の件でご連絡いたします。'],
      [
        'euc-jp',
        '東京の天気,晴れ\n大阪の天気,雨が降る',
        '商品コード,商品名,価格\n1001,りんご,120\n1002,みかんジュース,240',
      ],
      [
        'gb18030',
        '编号,产品名称,单价,数量,日期\n1,苹果手机,20,3,今天',
        '您好，我们已经收到您的订单，将在三天之内发货。',
      ],
      ['big5', '編號,產品名稱,單價,數量,日期\n1,蘋果手機,20,3,今天', '所有的人都生而自由，在尊嚴和權利上一律平等。'],
      ['euc-kr', '번호,제품명,가격,서울\n1,사과와 배,1200,부산', '안녕하세요. 주문하신 상품이 오늘 발송되었습니다.'],
    ] as const)
      for (const text of texts) assert.equal(decodeText(written(text, encoding), 'text/csv'), text, encoding);
    // A long text is cut within a letter.
    const long = `a${'吾輩は猫である。名前はまだ無い。'.repeat(3000)}`;
    assert.equal(decodeText(written(long, 'shift_jis'), 'text/plain'), long);
  });

  it('are not those of East Asia for other texts', () => {
    const texts = [
      ...['Menu;Pris\nBLÅBÆR;10', '“Yes”—“No”', 'temp ±½°C ', 'ÀÁÂÃÄÅÆÇ', 'ÅÄÖåäö', 'PÅLÆG', 'HÄMÄLÄISET', 'BÅTÄGARE'],
      ...['ÄÖÜ ÜÖÄ', 'créée, agréée', 'São João, pães', 'GROSSE ÀÉ', 'a····b', '»»»»', 'Þór, Ægir, bær', 'SMÖRGÅSAR'],
      ...['ÆØÅ;ÆØÅ;ÆØÅ;ÆØÅ;ÆØÅ;ÆØÅ', '————————————————————', '«Où êtes-vous?» — «Là-bas»', '•• £¥ ©®™©®™©®™©®™©®™'],
      ...['ÉÈÊËÉÈÊËÉÈÊËÉÈÊËÉÈÊË', 'äöäöäöäöåäåöäöäöäöäöåäåö', '10 °C ± 0,5 µm² ×½ ¼ ¾'],
    ];
    for (const text of texts) assert.equal(decodeText(written(text, 'windows-1252'), 'text/csv'), text);
    for (const [encoding, ...others] of [
      ['windows-1250', 'Žluťoučký kůň úpěl ďábelské ódy', 'ŘÍČÁNÍ;ŽĎÁR', 'Zażółć gęślą jaźń', 'ÁRVÍZTŰRŐ TÜKÖRFÚRÓGÉP'],
      [
        'windows-1251',
        'привет',
        'ДОСТОПРИМЕЧАТЕЛЬНОСТИ',
        'Наименование;Количество',
        'рентгеноэлектрокардиографического',
      ],
      ['windows-1253', 'Καλημέρα κόσμε', 'ΗΛΕΚΤΡΟΕΓΚΕΦΑΛΟΓΡΑΦΗΜΑΤΑ', 'ηλεκτροεγκεφαλογραφήματα'],
      ['windows-1254', 'Pijamalı hasta yağız şoföre', 'ÇĞİÖŞÜ çğıöşü', 'ŞİŞLİ ÖĞÜN'],
      ['windows-1255', 'שלום עולם', 'העולםהזההואמקוםיפהמאודלחיות'],
      ['windows-1256', 'السلام عليكم', 'والمستشفيات;والمستوصفات'],
      ['windows-1258', 'ĐƯƠNG ÂU CƠ', 'Đêm đông, hôm qua tôi ăn cơm'],
      ['windows-874', 'ยินดีต้อนรับสู่ประเทศไทย', 'รายการสินค้าราคาจำนวนรวมทั้งหมด'],
    ] as const) {
      for (const text of others) {
        const bytes = written(text, encoding);
        assert.equal(decodeText(bytes, 'text/csv'), new TextDecoder('windows-1252').decode(bytes), text);
      }
    }
  });

  it('are decoded to the same in turns (CRW-09)', async () => {
    const long = `${'日本語と漢字、'.repeat(40_000)}${'あ'.repeat(7)}`;
    for (const [bytes, type] of [
      [written(long, 'shift_jis'), 'text/xml; charset=shift_jis'],
      [Buffer.from(long), undefined],
      [Buffer.from(`\ufeff${long}`, 'utf16le'), 'text/xml'],
      [Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('é'.repeat(70_000))]), 'text/xml'],
      [Buffer.alloc(200_000, 0x81), 'text/xml; charset=shift_jis'],
      [Buffer.alloc(0), undefined],
    ] as const)
      assert.equal(await decodeInTurns(bytes, type), decodeText(bytes, type), type);
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
