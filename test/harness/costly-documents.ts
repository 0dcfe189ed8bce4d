import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { epub, pdf } from './documents.ts';

/** A document that costs far more to convert than its size suggests. */
export interface CostlyDocument {
  contentType: string;
  body: Buffer;
  /** Whether it is to be converted, not refused, by a machine that nobody else uses. */
  isRead?: boolean;
}

const html = (text: string): CostlyDocument => ({ contentType: 'text/html; charset=utf-8', body: Buffer.from(text) });
const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
/** Just below the largest body of a page. */
const most = 9_900_000;

/** Documents by what is special about them. They are generated when they are needed: together they are large. */
export const costlyDocuments: Readonly<Record<string, () => CostlyDocument>> = {
  'bytes that are 0': () => ({ contentType: 'text/html; charset=utf-8', body: Buffer.alloc(most) }),
  'entities without end': () => html(`<p>${repeated('&amp;&lt;&#x41;&notit;', most)}`),
  'unfinished entities': () => html(`<p>${repeated('&a', most)}`),
  'one element with endless attributes': () => html(`<p ${repeated('a=1 b ', most)}>x`),
  'elements with many attributes': () => html(repeated(`<p ${'a="b" '.repeat(20)}>x</p>`, most)),
  'emphasis without end': () => html(repeated('<b><i>', most)),
  'emphasis that is closed in the wrong order': () => html(repeated('<b><i>x</b></i>', most)),
  'asterisks and underscores': () => html(`<p>${repeated('*_', most)}`),
  'nested tables': () => html(repeated('<table><tr><td>', most)),
  'nested lists': () => html(repeated('<ul><li>', most)),
  'nested quotes': () => html(repeated('<blockquote>x', most)),
  'unfinished tags': () => html(repeated('<', most)),
  'a table with many cells': () => html(`<table>${repeated('<tr><td>1<td>2<td>3<td>4', most)}`),
  'links without end': () => html(repeated('<a href="x">y</a> ', most)),
  'a PDF with one page of text': () => ({
    contentType: 'application/pdf',
    isRead: true,
    body: pdf([
      Array.from({ length: 100_000 }, (_, index) => ({ x: index % 600, y: (index * 7) % 780, text: `word ${index}` })),
    ]),
  }),
  'an e-mail whose base64 is padded everywhere': () => ({
    contentType: 'message/rfc822',
    isRead: true,
    body: Buffer.from(`Content-Transfer-Encoding: base64\r\n\r\n${repeated('A=', most)}`),
  }),
  'a book with endless pictures': () => ({
    contentType: 'application/epub+zip',
    isRead: true,
    body: epub([`<p>${'<img alt="a"/>'.repeat(200_000)}</p>`]),
  }),
  'a PDF with a stream that decompresses to a gigabyte': () => ({
    contentType: 'application/pdf',
    body: pdf([{ texts: [], drawn: gigabyte().toString('latin1'), filter: '/Filter [/FlateDecode /FlateDecode]' }]),
  }),
};

/** A gigabyte of spaces, compressed twice. */
function gigabyte(): Buffer {
  const part = deflateRawSync(Buffer.alloc(2 ** 24, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  return deflateSync(Buffer.concat([Buffer.of(0x78, 0x9c), ...Array(64).fill(part), Buffer.of(3, 0)]));
}
