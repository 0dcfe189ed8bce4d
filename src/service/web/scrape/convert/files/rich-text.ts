import { decodeText } from '../../../../platform/network/charset.ts';
import { ownNames } from '../../../../platform/own-names.ts';
import { needsPassword, UnreadableFile } from './file-errors.ts';
import type { FileReading } from './files.ts';
import { escaped } from './markup.ts';

/** Groups that aren't part of the document's text. */
const skipped = new Set(
  `fonttbl colortbl stylesheet listtable listoverridetable revtbl rsidtbl generator filetbl xmlnstbl themedata
   colorschememapping datastore latentstyles pict object fldinst header headerf headerl headerr footer footerf footerl
   footerr pntext listtext bkmkstart bkmkend annotation atnid atnauthor atndate comment nonshppict wgrffmtfilter mmathPr`.split(
    /\s+/,
  ),
);
const maxDepth = 1000;
/** Code pages by the numbers in `\ansicpg`, where the name isn't `windows-` and the number. */
const codePages: Record<number, string> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};
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
});

interface State {
  bold: boolean;
  italic: boolean;
  hidden: boolean;
  /** Whether the group isn't part of the document's text. */
  skip: boolean;
  /** Field of the document's properties that the group holds. */
  property: string;
  /** How many characters after `\u` are its fallback. */
  fallback: number;
}

/** Reads a document in Rich Text Format. Throws an UnreadableFile. */
export function readRichText(file: Uint8Array): FileReading {
  const source = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1');
  if (/\\(password|passwordhash)\b/.test(source.slice(0, 100_000))) throw needsPassword('document');
  const writer = createWriter();
  const metadata: Record<string, string> = {};
  const open: State[] = [];
  let state: State = { bold: false, italic: false, hidden: false, skip: false, property: '', fallback: 1 };
  let charset = 'windows-1252';
  /** Bytes of `\'xx`, decoded together: some code pages have characters of two bytes. */
  let bytes: number[] = [];
  /** How many more characters after `\u` to drop. */
  let drop = 0;

  function emit(text: string): void {
    if (state.property !== '') metadata[state.property] = (metadata[state.property] ?? '') + text;
    else if (!state.skip && !state.hidden) writer.text(text, state);
  }
  function flush(): void {
    if (bytes.length === 0) return;
    const piece = Uint8Array.from(bytes);
    bytes = [];
    emit(decodeText(piece, `text/plain; charset=${charset}`));
  }

  const token = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/g;
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, text] = match;
    if (hex !== undefined) {
      if (drop > 0) drop--;
      else bytes.push(Number.parseInt(hex, 16));
      continue;
    }
    flush();
    if (text !== undefined) {
      emit(text.slice(drop));
      drop = Math.max(0, drop - text.length);
    } else if (brace === '{') {
      if (open.length >= maxDepth) throw new UnreadableFile('The document is nested too deeply.');
      open.push(state);
      state = { ...state };
    } else if (brace === '}') {
      state = open.pop() ?? state;
      drop = 0;
    } else if (symbol !== undefined) {
      if (symbol === '*') state.skip = true;
      else if (symbol === '\\' || symbol === '{' || symbol === '}') emit(symbol);
      else if (symbol in symbols) emit(symbols[symbol] ?? '');
      else if (symbol === '\n' || symbol === '\r') writer.endParagraph();
    } else if (word !== undefined) control(word, number === undefined ? undefined : Number(number));
  }
  flush();

  function control(word: string, value: number | undefined): void {
    const on = value !== 0;
    if (word === 'u') {
      emit(String.fromCharCode(((value ?? 0) + 0x10000) % 0x10000));
      drop = state.fallback;
    } else if (word === 'uc') state.fallback = Math.min(20, Math.max(0, value ?? 1));
    else if (word === 'bin') token.lastIndex += Math.max(0, value ?? 0);
    else if (word === 'ansicpg') charset = codePages[value ?? 0] ?? `windows-${value}`;
    else if (word === 'mac') charset = 'macintosh';
    else if (word === 'b') state.bold = on;
    else if (word === 'i') state.italic = on;
    else if (word === 'v') state.hidden = on;
    else if (word === 'plain') Object.assign(state, { bold: false, italic: false, hidden: false });
    else if (word === 'info') state.skip = true;
    else if (state.skip && (word === 'title' || word === 'author') && state.property === '') state.property = word;
    else if (skipped.has(word)) state.skip = true;
    else if (word === 'shptxt' || word === 'footnote') state.skip = false;
    else if (!state.skip) write(word, value);
  }

  function write(word: string, value: number | undefined): void {
    if (word in symbols) emit(symbols[word] ?? '');
    else if (word === 'par' || word === 'sect' || word === 'page') writer.endParagraph();
    else if (word === 'pard') writer.startParagraph();
    else if (word === 'outlinelevel') writer.setLevel(value ?? 9);
    else if (word === 'intbl') writer.enterTable();
    else if (word === 'trowd') writer.startRow();
    else if (word === 'cell' || word === 'nestcell') writer.endCell();
    else if (word === 'row' || word === 'nestrow') writer.endRow();
  }

  const html = writer.end();
  const trimmed = Object.entries(metadata).map(([name, text]) => [name, text.trim().slice(0, 2000)]);
  return { html, metadata: Object.fromEntries(trimmed.filter(([, text]) => text !== '')), warnings: [] };
}

/** Writes paragraphs and tables as HTML. */
function createWriter() {
  const done: string[] = [];
  let rows: string[][] = [];
  let row: string[] = [];
  let paragraph = '';
  let level = 9;
  let inTable = false;

  function takeParagraph(): string {
    const html = paragraph.replaceAll('</strong><strong>', '').replaceAll('</em><em>', '').trim();
    paragraph = '';
    return html;
  }
  function endTable(): void {
    if (rows.length > 0) {
      const lines = rows.map((cells, index) => {
        const tag = index === 0 ? 'th' : 'td';
        return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
      });
      done.push(`<table>${lines.join('')}</table>`);
    }
    rows = [];
  }
  function endParagraph(): void {
    // Within a table, a paragraph ends with its cell.
    if (inTable) {
      if (paragraph !== '') paragraph += '<br>';
      return;
    }
    endTable();
    const html = takeParagraph();
    if (html !== '') done.push(level < 6 ? `<h${level + 1}>${html}</h${level + 1}>` : `<p>${html}</p>`);
  }

  return {
    text(text: string, { bold, italic }: State) {
      let html = escaped(text).replaceAll('\n', '<br>');
      if (text.trim() !== '' && italic) html = `<em>${html}</em>`;
      if (text.trim() !== '' && bold) html = `<strong>${html}</strong>`;
      paragraph += html;
    },
    startParagraph() {
      level = 9;
      inTable = false;
    },
    endParagraph,
    setLevel(value: number) {
      level = value;
    },
    enterTable() {
      inTable = true;
    },
    startRow() {
      if (!inTable && paragraph.trim() !== '') endParagraph();
    },
    endCell() {
      row.push(takeParagraph().replace(/(<br>)+$/, ''));
    },
    endRow() {
      if (row.length > 0) rows.push(row);
      row = [];
      inTable = false;
    },
    end() {
      inTable = false;
      endParagraph();
      endTable();
      return done.join('\n');
    },
  };
}
