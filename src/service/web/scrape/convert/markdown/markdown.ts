import { decodeHTML } from 'entities';
import { ownNames } from '../../../../platform/own-names.ts';
import type { ContentUrls } from '../page-tree/content-urls.ts';
import { plainFormula, texOf } from '../page-tree/formulas.ts';
import { elementsIn, type PageElement } from '../page-tree/page-tree.ts';
import { isDataTable, rowsOf } from '../page-tree/tables.ts';
import { Blocks, type List } from './blocks.ts';
import {
  captionsOf,
  codeBesideNumbers,
  codeText,
  hasCodeInRow,
  isCodeTable,
  isOfCode,
  languageOf,
  spanText,
} from './code.ts';
import {
  blocks,
  decoded,
  hasBlock,
  hasItem,
  hasStyle,
  isBlock,
  isEmpty,
  keepsForm,
  lineKeeping,
  linkIn,
  numberOf,
  styledMarks,
} from './elements.ts';
import { delimiters, destination, escapeText, fencedLines, titlePart } from './escapes.ts';
import { InlineRun, type Mark } from './inline-run.ts';
import { writeInline } from './write-inline.ts';
import { tableLines } from './write-table.ts';

/** Called when all in an element has been written. */
type End = () => void;

/** Begins an element; without a result, nothing in it remains to be written. */
type Begin = (element: PageElement) => End | undefined;

/** Elements that become a mark. */
const marks: Readonly<Record<string, Mark['kind']>> = ownNames({
  strong: 'strong',
  b: 'strong',
  dfn: 'strong',
  em: 'em',
  i: 'em',
  cite: 'em',
  del: 'del',
  s: 'del',
  strike: 'del',
  sub: 'tag',
  sup: 'tag',
  mark: 'tag',
  ins: 'tag',
  u: 'tag',
  dt: 'strong',
  summary: 'strong',
  legend: 'strong',
  figcaption: 'em',
});
/** Elements beside each other that look apart without white space. */
const apart = new Set(['button', 'select', 'option', 'textarea', 'label']);
const nothing = () => {};
/** The list of an item that has none. */
const loose: List = { sign: '-', isTight: true, interrupts: true };

/**
 * Writes a page's content as Markdown (CommonMark, with the tables, task lists and strikethrough of GFM) in one pass,
 * without what is left out.
 */
export function writeMarkdown(content: readonly PageElement[], urls: ContentUrls): string {
  const text = new Blocks();
  let run = new InlineRun();
  /** Where blocks have no lines of their own: what separates them. */
  let flat: 'no' | 'spaces' | 'breaks' = 'no';
  let list: { of: PageElement; list: List; number: number; step: number; depth: number } | undefined;
  /** Whether line feeds in a text break lines. */
  let keepsLines = false;
  /** The link around a heading. */
  let card: Mark | undefined;
  /** Whether the last link is around a block of code. */
  let linksCode = false;

  const code: Begin = (element) => {
    if (hasBlock(element)) return beginOther(element);
    return isBlock(element) && (lineKeeping(element) ?? keepsLines) ? writeCode(element) : writeCodeSpan(element);
  };
  const begins: Readonly<Record<string, Begin>> = ownNames({
    h1: beginHeading,
    h2: beginHeading,
    h3: beginHeading,
    h4: beginHeading,
    h5: beginHeading,
    h6: beginHeading,
    ul: beginList,
    ol: beginList,
    menu: beginList,
    dir: beginList,
    li: beginItem,
    blockquote: beginQuote,
    table: beginTable,
    tr: beginRow,
    td: beginLooseCell,
    th: beginLooseCell,
    pre: writeCode,
    code,
    kbd: code,
    samp: code,
    tt: code,
    var: code,
    math: writeFormula,
    a: beginLink,
    img: writeImage,
    source: writeImage,
    input: writeCheckbox,
    br: breakLine,
    hr: writeRule,
    q: () => enclosed('"', '"'),
    rt: () => enclosed('(', ')'),
    rp: () => undefined,
  });

  for (const each of content) {
    write(each);
    endParagraph();
  }
  return text.end();

  function write(element: PageElement): void {
    if (element.leftOut !== '') return;
    const end = (begins[element.name] ?? beginOther)(element);
    if (!end) return;
    writeChildren(element);
    end();
  }

  function writeChildren(element: PageElement): void {
    const { children } = element;
    const outer = keepsLines;
    keepsLines = lineKeeping(element) ?? outer;
    let codes = 0;
    for (const child of children) if (typeof child !== 'string' && child.name === 'pre') codes++;
    for (const child of children) {
      if (typeof child === 'string') writeText(child.includes('&') ? decodeHTML(child) : child);
      else if (codes === 0 || !isOfCode(child, codes)) write(child);
    }
    keepsLines = outer;
  }

  function writeText(text: string): void {
    if (!keepsLines) return run.text(text);
    for (const [at, line] of text.split('\n').entries()) {
      // What stands at the start, as a checkbox does, has its line.
      if (at > 0 && !run.isAtStart) breakLine();
      run.text(line);
    }
  }

  function beginOther(element: PageElement): End {
    const { name } = element;
    const kind = marks[name];
    if (kind && hasStyle(element, kind) !== false)
      return blocks.has(name) ? beginMarkedBlock(kind, name) : beginMark(kind, name);
    if (isBlock(element)) return beginBlock();
    if (!apart.has(name)) return beginStyled(element);
    run.space();
    return () => run.space();
  }

  function beginStyled(element: PageElement): End {
    const ends = styledMarks(element).map((kind) => beginMark(kind, kind));
    return () => {
      for (const end of ends.toReversed()) end();
    };
  }

  /** Ends the line: the paragraph, or the part of a cell or link. */
  function separate(): void {
    if (flat === 'no') endParagraph();
    else if (flat === 'breaks') run.break();
    else run.space();
  }

  function beginBlock(): End {
    separate();
    return separate;
  }

  function endParagraph(): void {
    const pieces = run.take();
    if (pieces.length > 0) text.add('text', writeInline(pieces, 'paragraph'));
    endBlock();
  }

  /** The sign of a task stands before all of it or not at all. */
  function endBlock(): void {
    if (!text.isAtStart) run.dropSign();
  }

  /** Writes what has one line into a run of its own, with the marks around it. */
  function beginRun(kind: 'heading' | 'cell', outer: readonly Mark[], use: (line: string) => void): End {
    const before = { run, flat };
    run = new InlineRun(outer);
    flat = kind === 'cell' ? 'breaks' : 'spaces';
    return () => {
      const pieces = run.take();
      ({ run, flat } = before);
      use(pieces.length > 0 ? writeInline(pieces, kind) : '');
    };
  }

  function beginMark(kind: Mark['kind'], name: string): End {
    const mark: Mark = { kind, name, open: `<${name}>`, close: `</${name}>` };
    if (!run.takes(mark)) return nothing;
    run.open(mark);
    return closeMark;
  }

  function closeMark(): void {
    run.close();
  }

  function beginMarkedBlock(kind: Mark['kind'], name: string): End {
    separate();
    const end = beginMark(kind, name);
    return () => {
      end();
      separate();
    };
  }

  function enclosed(before: string, after: string): End {
    run.text(before);
    return () => run.text(after);
  }

  function breakLine(): undefined {
    if (flat === 'no' && run.isBroken) endParagraph();
    else run.break();
  }

  function writeRule(): undefined {
    separate();
    if (flat !== 'no') return;
    text.addRule();
    endBlock();
  }

  function linkOf({ attributes }: PageElement): Mark | undefined {
    const shown = urls.link(attributes);
    if (shown === undefined) return undefined;
    return { kind: 'link', name: 'a', open: '[', close: `]${targetPart(shown, attributes.title)}` };
  }

  /** The part of a link or image that says where it leads. */
  function targetPart(url: string, title: string | undefined): string {
    const inCell = flat === 'breaks';
    return `(${destination(url, inCell)}${titlePart(decoded(title), inCell)})`;
  }

  function beginLink(element: PageElement): End {
    const link = linkOf(element);
    // Markdown has no link around a heading, but headings with a link in them.
    if (element.has.headings > 0 && flat === 'no') {
      const outer = card;
      card = link;
      separate();
      text.open();
      return () => {
        separate();
        text.addOpen('group');
        card = outer;
      };
    }
    const hasLines = hasBlock(element);
    if (hasLines) separate();
    const isLink = link !== undefined && run.takes(link);
    // What has a class or name may be an icon; this one is all that the page says.
    const isBare = element.children.length === 0 || (run.isAtStart && isEmpty(element));
    if (isLink && isBare && Object.keys(element.attributes).length === 1) run.raw(link.open + link.close);
    const before = flat;
    if (isLink) {
      // Around items, it's a link in each.
      if (hasLines && flat === 'no' && !hasItem(element) && !keepsForm(element)) flat = 'spaces';
      run.open(link);
      linksCode = false;
    }
    return () => {
      // No link can be around code or in it: it stands below.
      if (isLink && linksCode && !link.isWritten) run.text(urls.link(element.attributes) ?? '');
      if (isLink) run.close();
      flat = before;
      if (hasLines) separate();
    };
  }

  /** The marks around a heading or table. In a summary or term, these are mark enough. */
  function outerMarks(): Mark[] {
    return run.marks.filter(({ name }) => !blocks.has(name));
  }

  function beginHeading(element: PageElement): End {
    if (flat !== 'no') return beginMarkedBlock('strong', element.name);
    separate();
    const link = card;
    card = undefined;
    const sign = '#'.repeat(Number(element.name[1]));
    const outer = outerMarks();
    return beginRun('heading', link ? [...outer, link] : outer, (line) => {
      if (line !== '' || element.children.length === 0) text.add('heading', `${sign} ${line}`.trimEnd());
      endBlock();
      card = link;
    });
  }

  function beginQuote(element: PageElement): End {
    separate();
    if (flat !== 'no' || text.isFull) return separate;
    run.dropSign();
    text.open();
    return () => {
      separate();
      text.addOpen('quote', '> ', undefined, isEmpty(element));
    };
  }

  function beginList(element: PageElement): End {
    separate();
    const outer = list;
    const { name, attributes } = element;
    const isOrdered = name === 'ol';
    const items = elementsIn(element).filter((each) => each.name === 'li');
    const start = numberOf(attributes.start) ?? (attributes.reversed === undefined ? 1 : items.length);
    const first = items[0] && isOrdered ? (numberOf(items[0].attributes.value) ?? start) : 1;
    const above = flat === 'no' ? text.listAbove : undefined;
    // A list that is a child of a list belongs to the item above it.
    const item = above && above === outer?.list && element.parent === outer.of && !text.isFull ? above : undefined;
    if (item) text.open();
    const beside = item ? undefined : above?.sign;
    list = {
      of: element,
      list: {
        sign: isOrdered ? (beside === '.' ? ')' : '.') : beside === '-' ? '*' : '-',
        isTight: !items.some((item) => elementsIn(item).some((child) => child.name === 'p')),
        interrupts: first === 1 && items[0] !== undefined && !isEmpty(items[0]),
      },
      number: start,
      step: attributes.reversed === undefined ? 1 : -1,
      depth: (outer?.depth ?? -1) + 1,
    };
    return () => {
      separate();
      if (item) text.addToItem(item);
      list = outer;
    };
  }

  function beginItem(element: PageElement): End {
    separate();
    const own = list;
    if (own) own.number = numberOf(element.attributes.value) ?? own.number;
    const number = Math.min(999_999_999, Math.max(0, own?.number ?? 0));
    const { sign: bullet } = own?.list ?? loose;
    const sign = bullet === '.' || bullet === ')' ? `${number}${bullet} ` : `${bullet} `;
    if (own) own.number += own.step;
    if (flat === 'spaces' || text.isFull) return separate;
    if (flat === 'breaks') {
      run.addSign('  '.repeat(own?.depth ?? 0) + sign);
      return () => {
        run.dropSign();
        separate();
      };
    }
    run.dropSign();
    text.open();
    return () => {
      separate();
      run.dropSign();
      text.addOpen('item', sign, own?.list ?? loose, isEmpty(element));
    };
  }

  function writeCheckbox({ attributes }: PageElement): undefined {
    if (attributes.type === 'checkbox' && list) run.addSign(`[${attributes.checked === undefined ? ' ' : 'x'}] `);
  }

  function writeImage({ name, attributes }: PageElement): undefined {
    const shown = urls.image(name, attributes);
    if (name === 'source') return;
    const alt = decoded(attributes.alt)?.replace(/\s+/g, ' ').trim() ?? '';
    // Without the image, its alternative text is still content.
    if (shown === undefined) return run.text(alt) as undefined;
    const signs = `${delimiters}[${flat === 'breaks' ? '|' : ''}`;
    const escaped = escapeText(alt, { signs, before: '[', after: ']' });
    run.raw(`![${escaped}]${targetPart(shown, attributes.title)}`);
  }

  function writeFormula(element: PageElement): End | undefined {
    const tex = texOf(element);
    if (tex === undefined) return writePlainFormula(element);
    const sign = element.attributes.display === 'block' ? '$$' : '$';
    const line = decodeHTML(tex).replace(/\s+/g, ' ');
    run.raw(sign + (flat === 'breaks' ? line.replaceAll('|', '\\|') : line) + sign);
    return undefined;
  }

  function writePlainFormula(math: PageElement): End | undefined {
    const text = plainFormula(math);
    if (text === '') return nothing;
    run.text(text);
    return undefined;
  }

  function writeCodeSpan(element: PageElement): undefined {
    const link = linkIn(element);
    const mark = link && linkOf(link);
    const isLink = mark !== undefined && run.takes(mark);
    if (isLink) run.open(mark);
    const lines = spanText(element, (each) => each !== link && urls.link(each.attributes)).split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) breakLine();
      run.code(line);
    }
    if (isLink) run.close();
  }

  function writeCode(element: PageElement): undefined {
    separate();
    const { captions, code } = captionsOf(element);
    for (const each of captions) write(each);
    const source = codeText(code);
    if (flat !== 'no') {
      for (const line of source.split('\n')) {
        run.code(line);
        separate();
      }
    } else if (source !== '' || isEmpty(elementsIn(element)[0] ?? element)) {
      text.add('code', fencedLines(source, languageOf(element)).join('\n'));
      endBlock();
      linksCode = true;
    }
  }

  /** The row of a table that isn't one. Numbers of lines are left out beside their code. */
  function beginRow(row: PageElement): End | undefined {
    const code = codeBesideNumbers(row);
    if (!code) return beginBlock();
    write(code);
    return undefined;
  }

  /** The cell of such a table, or of one in a cell, where each row is a line. */
  function beginLooseCell(): End {
    if (flat === 'no') return beginBlock();
    run.space();
    const outer = flat;
    flat = 'spaces';
    return () => {
      flat = outer;
    };
  }

  function beginTable(table: PageElement): End | undefined {
    separate();
    if (flat !== 'no') return separate;
    if (isCodeTable(table)) return writeCode(table);
    if (!isDataTable(table) || hasCodeInRow(table)) return separate;
    for (const part of rowsOf(table)) if (part.name !== 'tr') write(part);
    separate();
    const outer = list;
    list = undefined;
    const written = tableLines(table, (cell) => {
      let line = '';
      const end = beginRun('cell', outerMarks(), (found) => {
        line = found;
      });
      writeChildren(cell);
      end();
      return line;
    });
    list = outer;
    if (written.length > 0) text.add('table', written.join('\n'));
    endBlock();
    return undefined;
  }
}
