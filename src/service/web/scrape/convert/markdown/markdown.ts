import { decodeHTML } from 'entities';
import { ownNames } from '../../../../platform/own-names.ts';
import type { ContentUrls } from '../content/content-urls.ts';
import { isHeading } from '../content/measure.ts';
import { elementsIn, type PageElement } from '../content/page-tree.ts';
import { isDataTable } from '../content/tables.ts';
import { BlockLines, type List } from './block-lines.ts';
import { blocks } from './block-names.ts';
import { codeText, isBesideCode, isGutter, languageOf } from './code.ts';
import {
  decoded,
  hasBlock,
  hasParagraph,
  hasPre,
  isBlockByStyle,
  isCodeTable,
  isEmpty,
  linkIn,
  numberOf,
  texOf,
} from './elements.ts';
import { destination, escapeText, everyMeaning, titlePart } from './escapes.ts';
import { InlineRun, type Mark } from './inline-run.ts';
import { type Place, writeInline } from './write-inline.ts';
import { tableLines } from './write-table.ts';

/** Called when all in an element has been written. */
type End = () => void;

/** Elements that become a mark of another name. */
const marks: Readonly<Record<string, Mark['kind']>> = ownNames({
  ...{ strong: 'strong', b: 'strong', dfn: 'strong', em: 'em', i: 'em', cite: 'em' },
  ...{ del: 'del', s: 'del', strike: 'del', sub: 'tag', sup: 'tag', mark: 'tag', ins: 'tag', u: 'tag' },
});
/** Blocks whose text has a mark. */
const marked: Readonly<Record<string, Mark['kind']>> = ownNames({
  ...{ dt: 'strong', summary: 'strong', legend: 'strong', figcaption: 'em' },
});
const codes = new Set(['code', 'kbd', 'samp', 'tt', 'var']);
const lists = new Set(['ul', 'ol', 'menu', 'dir']);
/** Elements beside each other that look apart without white space. */
const apart = new Set(['button', 'select', 'option', 'textarea', 'label']);
const nothing = () => {};

/**
 * Writes a page's content as Markdown (CommonMark, with the tables, task lists and strikethrough of GFM) in one pass,
 * without what is left out.
 */
export function writeMarkdown(content: readonly PageElement[], urls: ContentUrls): string {
  const lines = new BlockLines();
  let run = new InlineRun();
  /** Where blocks have no lines of their own: what separates them. */
  let flat: 'no' | 'spaces' | 'breaks' = 'no';
  let list: { of: PageElement; list: List; number: number; step: number; items: number; depth: number } | undefined;
  /** The link around a heading. */
  let card: Mark | undefined;

  for (const each of content) {
    write(each);
    endParagraph();
  }
  return lines.markdown;

  function write(element: PageElement): void {
    if (element.leftOut !== '') return;
    const end = begin(element);
    if (end === undefined) return;
    for (const child of element.children) {
      if (typeof child === 'string') run.text(child.includes('&') ? decodeHTML(child) : child);
      else write(child);
    }
    end();
  }

  /** Begins an element; undefined: nothing in it remains to be written. */
  function begin(element: PageElement): End | undefined {
    const { name, attributes } = element;
    switch (name) {
      case '':
      case 'span':
      case 'div':
      case 'p':
        break;
      case 'a':
        return beginLink(element);
      case 'br':
        return breakLine();
      case 'img':
      case 'source':
        return writeImage(element);
      case 'hr':
        separate();
        if (flat === 'no') lines.rule();
        return undefined;
      case 'pre':
        return writeCode(element);
      case 'table':
        return beginTable(element);
      case 'tr':
        return beginRow(element);
      case 'td':
      case 'th':
        // Of a table in a cell.
        if (flat === 'no') break;
        run.space();
        return nothing;
      case 'li':
        return beginItem(element);
      case 'blockquote':
        return beginQuote(element);
      case 'math':
        return writeFormula(element);
      case 'input':
        if (attributes.type === 'checkbox' && list) run.addSign(`[${attributes.checked === undefined ? ' ' : 'x'}] `);
        return undefined;
      case 'q':
        run.text('"');
        return () => run.text('"');
      case 'rt':
        run.text('(');
        return () => run.text(')');
      case 'rp':
        return undefined;
      default:
        if (isHeading(name)) return beginHeading(element);
        if (lists.has(name)) return beginList(element);
        if (codes.has(name) && !hasBlock(element)) return writeCodeSpan(element);
    }
    const mark = marks[name];
    if (mark !== undefined) return beginMark(mark, name);
    const blockMark = marked[name];
    if (blockMark !== undefined) {
      separate();
      const end = beginMark(blockMark, name);
      return () => {
        end();
        separate();
      };
    }
    if (blocks.has(name) || isBlockByStyle(attributes.style)) return beginBlock();
    if (!apart.has(name)) return nothing;
    run.space();
    return () => run.space();
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
    const text = inlineText('paragraph');
    if (text !== '') lines.write('text', text);
  }

  function inlineText(kind: Place['kind']): string {
    const pieces = run.take();
    if (!pieces) return '';
    const lineBreak = kind === 'cell' ? '<br>' : kind === 'heading' ? ' ' : `  \n${lines.prefix}`;
    return writeInline(pieces, { kind, lineBreak });
  }

  /** Writes what has one line into a run of its own, with the marks around it. */
  function beginRun(kind: Place['kind'], outer: readonly Mark[], use: (text: string) => void): End {
    const before = { run, flat };
    run = new InlineRun(outer);
    flat = kind === 'cell' ? 'breaks' : 'spaces';
    return () => {
      const text = inlineText(kind);
      ({ run, flat } = before);
      use(text);
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

  function breakLine(): undefined {
    if (flat === 'no' && run.isBroken) endParagraph();
    else run.break();
  }

  function linkOf(element: PageElement): Mark | undefined {
    const shown = urls.link(element.attributes);
    if (shown === undefined) return undefined;
    const inCell = flat === 'breaks';
    const title = decoded(element.attributes.title);
    const close = `](${destination(shown, inCell)}${titlePart(title, inCell)})`;
    return { kind: 'link', name: 'a', open: '[', close };
  }

  function beginLink(element: PageElement): End {
    const link = linkOf(element);
    // Markdown has no link around a heading, but headings with a link in them.
    if (element.has.headings > 0 && flat === 'no') {
      const outer = card;
      card = link;
      separate();
      const end = lines.apart();
      return () => {
        separate();
        end();
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
      if (hasLines && flat === 'no') flat = 'spaces';
      run.open(link);
    }
    return () => {
      if (isLink) run.close();
      flat = before;
      if (hasLines) separate();
    };
  }

  function beginHeading(element: PageElement): End {
    separate();
    if (flat !== 'no') {
      const end = beginMark('strong', element.name);
      return () => {
        end();
        separate();
      };
    }
    const link = card;
    card = undefined;
    const sign = '#'.repeat(Number(element.name[1]));
    return beginRun('heading', link ? [...run.marks, link] : run.marks, (text) => {
      if (text !== '') lines.write('heading', `${sign} ${text}`);
      else if (element.children.length === 0) lines.write('heading', sign);
      card = link;
    });
  }

  function beginQuote(element: PageElement): End {
    separate();
    if (flat !== 'no' || lines.isFull) return separate;
    const end = lines.within('> ', undefined, isEmpty(element));
    return () => {
      separate();
      end();
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
    // A list that is a child of a list belongs to the item above it.
    const isInItem = flat === 'no' && outer !== undefined && outer.items > 0 && element.parent === outer.of;
    const end = isInItem && !lines.isFull ? lines.again(outer.list) : nothing;
    const above = flat === 'no' ? lines.listAbove?.sign : undefined;
    list = {
      of: element,
      list: {
        sign: isOrdered ? (above === '.' ? ')' : '.') : above === '-' ? '*' : '-',
        isTight: !items.some(hasParagraph),
        interrupts: first === 1 && items[0] !== undefined && !isEmpty(items[0]),
        indent: '',
      },
      number: start,
      step: attributes.reversed === undefined ? 1 : -1,
      items: 0,
      depth: (outer?.depth ?? -1) + 1,
    };
    return () => {
      separate();
      end();
      list = outer;
    };
  }

  function beginItem(element: PageElement): End {
    separate();
    const own = list;
    if (own) own.number = numberOf(element.attributes.value) ?? own.number;
    const isOrdered = own?.list.sign === '.' || own?.list.sign === ')';
    const number = Math.min(999_999_999, Math.max(0, own?.number ?? 0));
    const sign = isOrdered ? `${number}${own.list.sign} ` : `${own?.list.sign ?? '-'} `;
    if (own) own.number += own.step;
    if (own) own.items++;
    if (flat === 'spaces' || lines.isFull) return separate;
    if (flat === 'breaks') {
      run.addSign('  '.repeat(own?.depth ?? 0) + sign);
      return () => {
        run.dropSign();
        separate();
      };
    }
    const end = lines.within(sign, own?.list ?? loose, isEmpty(element));
    return () => {
      separate();
      end();
    };
  }

  function writeImage({ name, attributes }: PageElement): undefined {
    const shown = urls.image(name, attributes);
    if (name === 'source') return;
    const alt = decoded(attributes.alt)?.replace(/\s+/g, ' ').trim() ?? '';
    // Without the image, its alternative text is still content.
    if (shown === undefined) return run.text(alt) as undefined;
    const inCell = flat === 'breaks';
    const escaped = escapeText(alt, { ...everyMeaning, inCell }, { before: '[', after: ']', inLink: true });
    run.raw(`![${escaped}](${destination(shown, inCell)}${titlePart(decoded(attributes.title), inCell)})`);
  }

  function writeFormula(element: PageElement): End | undefined {
    const tex = texOf(element);
    if (tex === undefined) return nothing;
    const sign = element.attributes.display === 'block' ? '$$' : '$';
    const text = decodeHTML(tex).replace(/\s+/g, ' ');
    run.raw(sign + (flat === 'breaks' ? text.replaceAll('|', '\\|') : text) + sign);
    return undefined;
  }

  function writeCodeSpan(element: PageElement): undefined {
    const link = linkIn(element);
    const mark = link && linkOf(link);
    const isLink = mark !== undefined && run.takes(mark);
    if (isLink) run.open(mark);
    spanText(element, link)
      .split('\n')
      .forEach((line, at) => {
        if (at > 0) breakLine();
        run.code(line);
      });
    if (isLink) run.close();
  }

  /** The text of code in a line, in which only `br` breaks lines. */
  function spanText({ children }: PageElement, link: PageElement | undefined): string {
    let text = '';
    for (const child of children) {
      if (typeof child === 'string') text += decodeHTML(child).replace(/[ \t\f\r]*\n[ \t\n\f\r]*/g, ' ');
      else if (child.name === 'br') text += '\n';
      else if (child.name === 'img') text += decoded(child.attributes.alt) ?? '';
      else if (!isBesideCode(child)) {
        if (child.name === 'a' && child !== link) urls.link(child.attributes);
        text += spanText(child, link);
      }
    }
    return text;
  }

  function writeCode(element: PageElement): undefined {
    const text = codeText(element);
    separate();
    if (flat !== 'no') {
      for (const line of text.split('\n')) {
        run.code(line);
        separate();
      }
    } else if (text !== '' || isEmpty(elementsIn(element)[0] ?? element)) {
      const longest = (text.match(/^ {0,3}`{3,}/gm) ?? []).reduce((most, run) => Math.max(most, run.trim().length), 2);
      const fence = '`'.repeat(longest + 1);
      lines.writeLines('code', [fence + languageOf(element), ...(text === '' ? [] : text.split('\n')), fence]);
    }
  }

  /** The row of a table that isn't one. Numbers of lines are left out beside their code. */
  function beginRow(row: PageElement): End | undefined {
    const [first, second, ...others] = elementsIn(row);
    if (!first || !second || others.length > 0 || !hasPre(second) || !isGutter(first)) return beginBlock();
    write(second);
    return undefined;
  }

  function beginTable(table: PageElement): End | undefined {
    separate();
    if (flat !== 'no') return separate;
    if (isCodeTable(table)) return writeCode(table);
    if (!isDataTable(table)) return separate;
    for (const part of elementsIn(table)) if (part.name === 'caption') write(part);
    const written = tableLines(table, (cell) => {
      let text = '';
      const end = beginRun('cell', [], (found) => {
        text = found;
      });
      const outer = list;
      list = undefined;
      for (const child of cell.children) {
        if (typeof child === 'string') run.text(child.includes('&') ? decodeHTML(child) : child);
        else write(child);
      }
      list = outer;
      end();
      return text;
    });
    if (written.length > 0) lines.writeLines('table', written);
    return undefined;
  }
}

/** The list of an item that has none. */
const loose: List = { sign: '-', isTight: true, interrupts: true, indent: '' };
