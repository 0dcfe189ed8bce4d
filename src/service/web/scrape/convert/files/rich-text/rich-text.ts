import { ownNames } from '../../../../../platform/own-names.ts';
import { needsPassword, UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import { notesHtml, propertyText, targetOfField } from '../html.ts';
import { notRead } from '../office/properties.ts';
import { type Charset, charsetOfFont, charsetOfPage, decoded, isUnfinished, symbolsOf } from './code-pages.ts';
import { readListTables } from './lists.ts';
import { createWriter, type Look, type Writer } from './writer.ts';

/** Groups that aren't part of the document's text. */
const skipped = new Set(
  `colortbl revtbl rsidtbl generator filetbl xmlnstbl themedata colorschememapping datastore latentstyles pict object header headerf
   headerl headerr footer footerf footerl footerr bkmkstart bkmkend annotation atnid atnauthor atndate comment shppict nonshppict wgrffmtfilter mmathPr
   ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn xe tc upr shprslt`.split(/\s+/),
);
/** What of them a reader misses. */
const unreadGroups: Record<string, string> = ownNames({
  pict: 'images',
  shppict: 'images',
  object: 'embedded objects',
  annotation: 'comments',
});
/** Groups whose control words are read, and not their text. */
const tables = new Set(['fonttbl', 'stylesheet', 'listtable', 'listoverridetable']);
const equationProperties = /^m[a-zA-Z]+Pr$/;
const maxDepth = 1000;
const symbols: Record<string, string> = ownNames({
  tab: ' ',
  line: '\n',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
  '~': '\u00a0',
  _: '-',
  emspace: ' ',
  enspace: ' ',
  // Parts of an equation.
  mden: '/',
  msup: '^',
  msub: '_',
});

/** Control words that are on unless they are 0. */
const looks: Record<string, 'bold' | 'italic' | 'struck' | 'hidden' | 'deleted'> = ownNames({
  b: 'bold',
  i: 'italic',
  strike: 'struck',
  striked: 'struck',
  v: 'hidden',
  deleted: 'deleted',
});
const scripts: Record<string, Look['script']> = ownNames({ sub: 'sub', super: 'sup', nosupersub: '' });

/** A field: its instruction, such as `HYPERLINK "https://…"`, comes before its result. */
interface Field {
  instruction: string;
}

interface ItemMarks {
  list: number;
  level: number;
  mark: string;
}

interface State extends Look {
  hidden: boolean;
  deleted: boolean;
  /** Whether the group isn't part of the document's text. */
  skip: boolean;
  /** What its text is instead: a field's instruction, or the mark of a list's item. */
  part: '' | 'instruction' | 'mark';
  /** The table that the group is in. */
  table: string;
  /** The style that the group defines. */
  style: number;
  field: Field | undefined;
  /** Field of the document's properties that the group holds. */
  property: string;
  /** How many characters after `\u` are its fallback. */
  fallback: number;
  font: number;
  /** Where the group's text goes: notes and boxes have a writer of their own. */
  writer: Writer;
  /** What has such a writer, and the item of the paragraph around it. */
  aside: { isNote: boolean; item: ItemMarks } | undefined;
}

/** Reads a document in Rich Text Format. Throws an UnreadableFile. */
export function readRichText(file: Uint8Array): FileReading {
  const source = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1');
  if (/\\(password|passwordhash)\b/.test(source.slice(0, 100_000))) throw needsPassword('document');
  const main = createWriter();
  const metadata: Record<string, string> = {};
  const notes: string[] = [];
  const fonts = new Map<number, Charset>();
  /** Names of fonts with symbols in the place of letters. */
  const names = new Map<number, string>();
  const unread = new Set<string>();
  const lists = readListTables();
  const open: State[] = [];
  /** Levels of headings, from 0, by the numbers of styles. */
  const levels = new Map<number, number>();
  const plain = { bold: false, italic: false, struck: false, script: '' as const, hidden: false, deleted: false };
  const outside = { href: '', skip: false, part: '' as const, table: '', style: -1, field: undefined, property: '' };
  let state: State = { ...plain, ...outside, fallback: 1, font: -1, writer: main, aside: undefined };
  let documentCharset = 'windows-1252';
  let usualFont = 0;
  /** The item that the paragraph is. */
  let item: ItemMarks = { list: 0, level: 0, mark: '' };
  /** Bytes of `\'xx`, decoded together: some code pages have characters of two bytes. */
  let bytes: number[] = [];
  /** How many more characters after `\u` to drop. */
  let drop = 0;

  const fontNumber = () => (state.font < 0 ? usualFont : state.font);
  const charset = () => fonts.get(fontNumber()) ?? documentCharset;
  function emit(text: string): void {
    if (state.property !== '') metadata[state.property] = (metadata[state.property] ?? '') + text;
    else if (state.part === 'instruction') (state.field ?? { instruction: '' }).instruction += text;
    else if (state.part === 'mark') item.mark += text;
    else if (state.table === 'stylesheet') nameStyle(text);
    else if (state.table === 'fonttbl') names.set(state.font, (names.get(state.font) ?? '') + text);
    else if (!state.skip && !state.hidden && !state.deleted) state.writer.text(text, state);
  }
  function nameStyle(name: string): void {
    const [, level] = /^\s*heading ([1-6])\s*[;,]/i.exec(name) ?? [];
    if (state.style >= 0 && level !== undefined) levels.set(state.style, Number(level) - 1);
  }
  function flush(): void {
    if (bytes.length === 0) return;
    const piece = bytes;
    bytes = [];
    emitBytes(piece);
  }
  function emitBytes(piece: readonly number[]): void {
    const of = charset();
    emit(of === 'symbol' ? symbolsOf(piece, names.get(fontNumber()) ?? '') : decoded(piece, of));
  }
  /** Text may have bytes of the code page as they are. */
  function emitText(text: string): void {
    const hasBytes = /[\x80-\xff]/.test(text) || charset() === 'symbol';
    if (hasBytes && state.table === '' && state.part !== 'instruction') emitBytes([...Buffer.from(text, 'latin1')]);
    else emit(text);
  }

  const token = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/g;
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, text] = match;
    if (hex !== undefined) {
      if (drop > 0) drop--;
      else bytes.push(Number.parseInt(hex, 16));
      continue;
    }
    let rest = text;
    if (rest !== undefined && isUnfinished(bytes, charset())) {
      bytes.push(rest.charCodeAt(0));
      rest = rest.slice(1);
    }
    flush();
    if (rest !== undefined) {
      emitText(rest.slice(drop));
      drop = Math.max(0, drop - rest.length);
    } else if (brace === '{') {
      if (open.length >= maxDepth) throw new UnreadableFile('The document is nested too deeply.');
      open.push(state);
      state = { ...state };
    } else if (brace === '}') {
      const outer = open.pop() ?? state;
      if (outer.writer !== state.writer) {
        if (state.aside?.isNote) notes.push(state.writer.end());
        else outer.writer.follow(state.writer.end());
        item = state.aside?.item ?? item;
      }
      state = outer;
      drop = 0;
    } else if (symbol !== undefined) {
      if (symbol === '*') state.skip = true;
      else if (symbol === '\\' || symbol === '{' || symbol === '}') emit(symbol);
      else if (symbol in symbols) emit(symbols[symbol] ?? '');
      else if (symbol === '\n' || symbol === '\r') endParagraph();
    } else if (word !== undefined) control(word, number === undefined ? undefined : Number(number));
  }
  flush();

  function control(word: string, value: number | undefined): void {
    if (state.table !== '') {
      if (word === 'f') state.font = value ?? 0;
      else if (word === 'fcharset') fonts.set(state.font, charsetOfFont(value ?? 0));
      else if (word === 'cpg') fonts.set(state.font, charsetOfPage(value ?? 0));
      else if (state.table === 'stylesheet') {
        if (word === 's') state.style = value ?? 0;
        else if (word === 'outlinelevel' && state.style >= 0) levels.set(state.style, value ?? 9);
      } else lists.control(word, value ?? 0);
    } else if (word === 'u') {
      const code = ((value ?? 0) + 0x10000) % 0x10000;
      // Symbols may be written in the private use area.
      if (code >> 8 === 0xf0 && charset() === 'symbol') emitBytes([code & 0xff]);
      else emit(String.fromCharCode(code));
      drop = state.fallback;
    } else if (word === 'uc') state.fallback = Math.min(20, Math.max(0, value ?? 1));
    else if (word === 'bin') token.lastIndex += Math.max(0, value ?? 0);
    else if (word === 'ansicpg') documentCharset = charsetOfPage(value ?? 0);
    else if (word === 'mac') documentCharset = 'macintosh';
    else if (word === 'deff') usualFont = value ?? 0;
    else if (word === 'f') state.font = value ?? 0;
    else if (word in looks) state[looks[word] as 'bold'] = value !== 0;
    else if (word in scripts) state.script = scripts[word] ?? '';
    else if (word === 'plain') Object.assign(state, plain, { font: -1 });
    else if (word === 'info') state.skip = true;
    else if (state.skip && (word === 'title' || word === 'author') && state.property === '') state.property = word;
    else if (tables.has(word)) Object.assign(state, { table: word, skip: true });
    else if (skipped.has(word)) {
      if (word in unreadGroups && !open.at(-1)?.skip) unread.add(unreadGroups[word] ?? '');
      state.skip = true;
    } else if (word === 'moMath' || word === 'ud') state.skip = false;
    else if (word === 'shptxt') startAside(false);
    else if (equationProperties.test(word)) state.skip = true;
    else if (word === 'field') state.field = { instruction: '' };
    else if (word === 'fldinst') state.part = 'instruction';
    else if (word === 'fldrslt') state.href = targetOfField(state.field?.instruction ?? '') || state.href;
    else if (word === 'footnote') startNote();
    else if (word === 'listtext' || word === 'pntext') state.part = 'mark';
    else if (!state.skip && state.part !== 'instruction') write(word, value);
  }

  /** Writes the number of a note, which follows in its group. */
  function startNote(): void {
    if (state.deleted || state.hidden) return;
    state.writer.reference(notes.length + 1);
    startAside(true);
  }

  /** Writes what follows in its group elsewhere. */
  function startAside(isNote: boolean): void {
    if (state.deleted || state.hidden) return;
    Object.assign(state, plain, outside, { writer: createWriter(), aside: { isNote, item } });
    item = { list: 0, level: 0, mark: '' };
  }

  function write(word: string, value: number | undefined): void {
    const { writer } = state;
    if (word in symbols) emit(symbols[word] ?? '');
    // The properties in the mark of an item are its own.
    else if (state.part === 'mark') return;
    else if (word === 'par' || word === 'sect' || word === 'page') endParagraph();
    else if (word === 'pard') {
      // The mark of an item may stand before its paragraph's properties.
      item = { list: 0, level: 0, mark: item.mark };
      writer.startParagraph();
    } else if (word === 's') writer.setLevel(levels.get(value ?? 0) ?? 9);
    else if (word === 'outlinelevel') writer.setLevel(value ?? 9);
    else if (word === 'ls') item.list = value ?? 0;
    else if (word === 'ilvl') item.level = Math.min(8, Math.max(0, value ?? 0));
    else if (word === 'intbl') writer.enterTable();
    else if (word === 'trowd') writer.startRow();
    else if (word === 'cellx') writer.endOfCell(value ?? 0);
    else if (word === 'cell') {
      setItem();
      writer.endCell();
    } else if (word === 'nestcell') endParagraph();
    else if (word === 'row') writer.endRow();
  }

  function setItem(): void {
    const { list, level, mark } = item;
    const [written = 1] = /\d+/.exec(mark) ?? [];
    const marked = /^\W*(\d+|[a-z]{1,4})[.)]/i.test(mark.trim()) ? Number(written) : undefined;
    const isItem = list > 0 || mark.trim() !== '';
    const number = mark.trim() === '' ? lists.firstNumber(list, level) : marked;
    state.writer.setItem(isItem ? { level, number } : undefined);
    item = { list, level, mark: '' };
  }

  function endParagraph(): void {
    setItem();
    state.writer.endParagraph();
  }

  const shown = Object.entries(metadata).map(([name, text]) => [name, propertyText(text)]);
  return {
    html: main.end() + notesHtml(notes),
    metadata: Object.fromEntries(shown.filter(([, text]) => text !== '')),
    warnings: notRead([...unread]),
  };
}
