import type { Element, ParentNode } from 'domhandler';
import { equationText } from '../../equations.ts';
import type { Archive } from '../archive.ts';
import { UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import { createBlocks, escaped, linked, slideHtml, tableHtml } from '../html.ts';
import { descendants, elementAt, elementsOf, isOn, nameOf, parseXml, textOf } from '../xml.ts';
import { coreProperties, type Relations, relationshipsOf, unreadWarnings } from './properties.ts';

/**
 * Reads the slides of a PowerPoint presentation in their order, each with its notes. Throws an UnreadableFile.
 * @param main the name of its main part
 */
export function readSlides(archive: Archive, main: string): FileReading {
  const presentation = elementAt(archive.xml(main), 'presentation');
  if (!presentation) throw new UnreadableFile('The presentation is damaged: it has no list of slides.');
  const relations = relationshipsOf(archive, main);
  const slides: string[] = [];
  for (const slide of elementsOf(elementAt(presentation, 'sldIdLst'), 'sldId')) {
    const name = relations.get(slide.attribs['r:id'] ?? '')?.target;
    const text = name === undefined ? undefined : archive.text(name);
    if (name === undefined || text === undefined) continue;
    const own = relationshipsOf(archive, name);
    const notes = [...own.values()].find(({ type }) => type === 'notesSlide');
    slides.push(readSlide(parseXml(text), own, slides.length + 1, notes && archive.xml(notes.target)));
  }
  const warnings = unreadWarnings(archive);
  return { html: slides.join('\n'), metadata: coreProperties(archive), warnings };
}

function readSlide(slide: ParentNode, relations: Relations, number: number, notes: ParentNode | undefined): string {
  const tree = elementAt(slide, 'sld', 'cSld', 'spTree');
  let title = '';
  const parts: string[] = [];
  const open = elementsOf(tree).reverse();
  for (let shape = open.pop(); shape; shape = open.pop()) {
    const name = nameOf(shape);
    if (name === 'grpSp') open.push(...elementsOf(shape).reverse());
    else if (name === 'AlternateContent') open.push(...elementsOf(elementsOf(shape)[0]).reverse());
    else if (name === 'graphicFrame')
      parts.push(...descendants(shape, 'tbl').map((table) => readTable(table, relations)));
    else if (name === 'pic') parts.push(alternativeText(shape));
    else if (name === 'sp') {
      const kind = placeholderOf(shape);
      const text = readBody(elementAt(shape, 'txBody'), relations, kind === 'body');
      if (kind === 'title' && title === '') title = text.replaceAll(/<\/?p>/g, ' ').trim();
      else if (kind !== 'none') parts.push(text);
    }
  }
  return slideHtml(number, title, parts.join(''), readNotes(notes));
}

/** Returns a shape's part in the layout; `none` for slide numbers, dates and footers. */
function placeholderOf(shape: Element): 'title' | 'body' | 'text' | 'none' {
  const placeholder = elementAt(shape, 'nvSpPr', 'nvPr', 'ph');
  if (!placeholder) return 'text';
  const type = placeholder.attribs.type ?? 'body';
  if (type === 'title' || type === 'ctrTitle') return 'title';
  if (type === 'subTitle') return 'text';
  return type === 'sldNum' || type === 'dt' || type === 'ftr' || type === 'hdr' ? 'none' : 'body';
}

/** Reads paragraphs; those of the body in a layout are list items, nested by their level. */
function readBody(body: Element | undefined, relations: Relations, listed: boolean): string {
  const blocks = createBlocks();
  /** How many items have a number, for each level of the list that is open. */
  let counts: number[] = [];
  for (const paragraph of elementsOf(body, 'p')) {
    const text = readRuns(paragraph, relations);
    if (text === '') continue;
    const properties = elementAt(paragraph, 'pPr');
    const has = (name: string) => elementAt(properties, name) !== undefined;
    const numbered = elementAt(properties, 'buAutoNum');
    if (has('buChar') || numbered || (listed && !has('buNone'))) {
      const level = Math.min(8, Number(properties?.attribs.lvl ?? 0) || 0);
      const before = numbered ? (counts[level] ?? 0) : -1;
      counts.length = level + 1;
      counts[level] = before + 1;
      blocks.item(text, level, numbered && Number(numbered.attribs.startAt ?? 1) + before);
    } else {
      counts = [];
      blocks.add(`<p>${text}</p>`);
    }
  }
  return blocks.end();
}

function readRuns(paragraph: Element, relations: Relations): string {
  let html = '';
  for (const run of elementsOf(paragraph)) {
    const name = nameOf(run);
    if (name === 'br') html += '<br>';
    if (name === 'AlternateContent' || name === 'm')
      html += escaped(descendants(run, 'm:oMath').map(equationText).join(' '));
    if (name !== 'r' && name !== 'fld') continue;
    const properties = elementAt(run, 'rPr');
    let text = elementsOf(run, 't').map(textOf).map(escaped).join('');
    if (text.trim() === '') {
      html += text;
      continue;
    }
    if (isOn(properties?.attribs.b)) text = `<strong>${text}</strong>`;
    if (isOn(properties?.attribs.i)) text = `<em>${text}</em>`;
    const link = elementAt(properties, 'hlinkClick');
    html += linked(relations.get(link?.attribs['r:id'] ?? '')?.target, text);
  }
  return html.trim();
}

function readTable(table: Element, relations: Relations): string {
  const rows = elementsOf(table, 'tr').map((row) =>
    elementsOf(row, 'tc').map((cell) => {
      const lines = elementsOf(elementAt(cell, 'txBody'), 'p').map((each) => readRuns(each, relations));
      return { html: lines.filter(Boolean).join('<br>') };
    }),
  );
  return tableHtml(rows);
}

function alternativeText(picture: Element): string {
  const text = elementAt(picture, 'nvPicPr', 'cNvPr')?.attribs.descr?.trim();
  return text ? `<p>${escaped(text)}</p>` : '';
}

function readNotes(notes: ParentNode | undefined): string {
  return descendants(notes, 'sp')
    .filter((shape) => elementAt(shape, 'nvSpPr', 'nvPr', 'ph')?.attribs.type === 'body')
    .map((shape) => readBody(elementAt(shape, 'txBody'), new Map(), false))
    .join('');
}
