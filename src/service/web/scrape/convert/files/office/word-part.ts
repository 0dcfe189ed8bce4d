import { type ChildNode, type Element, isTag, type ParentNode } from 'domhandler';
import { equationText } from '../../equations.ts';
import { escaped, targetOfField } from '../html.ts';
import { attributeOf, descendants, elementAt, elementsOf, isOn, nameOf, parseXml, textOf, valOf } from '../xml.ts';
import { maxBases, type WordLists } from './word-lists.ts';

const namespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
/** What tells that a part has something to rewrite. */
const telling =
  /\b(?:oMath|fldSimple|instrText|vanish|gridBefore|AlternateContent|outlineLvl|pStyle|numPr|cr|ptab|ruby|softHyphen|rStyle|dropCap|ddList|showingPlcHdr|dir|bdo|dstrike)\b/;
/** What a paragraph has besides text that is shown. */
const notPlain = new Set(
  'del moveFrom vanish footnoteReference endnoteReference commentReference drawing pict object'.split(' '),
);
/** The deepest heading. */
const maxLevel = 6;

/**
 * Returns the levels of styles that are headings, from 1, by their ids: by their outline level, by a name of Word's own, or by the
 * style that they are based on.
 */
export function outlineLevels(styles: ParentNode): ReadonlyMap<string, number> {
  // A style that is based on a heading's may say that it is none.
  const levels = ofStyles(styles, (style) => {
    const [, named] = /^heading ([1-6])$/i.exec(valOf(elementAt(style, 'name'))) ?? [];
    return levelOf(elementAt(style, 'pPr')) ?? (named === undefined ? undefined : Number(named));
  });
  return new Map([...levels].map(([id, level]) => [id, level ?? maxLevel + 1]));
}

/** Returns what each style says, or else the one that it is based on, by their ids. */
function ofStyles<Value>(
  styles: ParentNode,
  own: (style: Element) => Value | undefined,
): Map<string, Value | undefined> {
  const all = new Map(descendants(styles, 'style').map((style) => [attributeOf(style, 'styleId') ?? '', style]));
  const found = (style: Element | undefined, depth = 0): Value | undefined =>
    !style || depth > maxBases
      ? undefined
      : (own(style) ?? found(all.get(valOf(elementAt(style, 'basedOn'))), depth + 1));
  return new Map([...all].map(([id, style]) => [id, found(style)]));
}

/** Returns rules of mammoth for text whose style says that it is bold or italic. */
export function looksOfStyles(styles: ParentNode): string[] {
  return descendants(styles, 'style').flatMap((style) => {
    const looks = elementAt(style, 'rPr');
    const has = (name: string) => isOn(valOf(elementAt(looks, name)) || (elementAt(looks, name) && '1'));
    const tags = [has('b') && 'strong', has('i') && 'em'].filter(Boolean);
    if (attributeOf(style, 'type') !== 'character' || tags.length === 0) return [];
    const name = valOf(elementAt(style, 'name')).replaceAll(/[\\']/g, '\\$&');
    return [`r[style-name='${name}'] => ${tags.join(' > ')}`];
  });
}

/** Returns the ids of styles that hide their text. */
export function hidingStyles(styles: ParentNode): ReadonlySet<string> {
  return new Set([...ofStyles(styles, isHiding)].flatMap(([id, hides]) => (hides ? [id] : [])));
}

/** Whether a style or a run hides text; undefined if it doesn't say. */
function isHiding(element: Element): boolean | undefined {
  const vanish = elementAt(element, 'rPr', 'vanish');
  return vanish && isOn(valOf(vanish));
}

/**
 * Rewrites what mammoth leaves out of a part, or shows otherwise than Word, in elements that it reads.
 * @param hiding the ids of styles that hide their text
 */
export function rewritePart(
  xml: string,
  outline: ReturnType<typeof outlineLevels>,
  lists: WordLists,
  hiding: ReadonlySet<string>,
): string {
  if (!telling.test(xml)) return xml;
  let text = '';
  let from = 0;
  /** Whether the style of the paragraph hides its text. */
  let isParagraphHidden = false;
  /** Whether the text of a content control is that which asks for some. */
  let isPrompt = false;
  /** The initial that hangs over the lines of the next paragraph. */
  let initial = '';
  const replace = (start: number, end: number, by: string) => {
    text += xml.slice(from, start) + by;
    from = end;
  };
  visit(parseXml(xml));
  return text + xml.slice(from);

  function visit(parent: ParentNode): void {
    for (const child of parent.children) if (isTag(child)) rewrite(child);
  }

  function rewrite(element: Element): void {
    const name = nameOf(element);
    const start = element.startIndex ?? 0;
    const end = (element.endIndex ?? start) + 1;
    if (element.name === 'm:oMathPara' || element.name === 'm:oMath')
      return replace(start, end, runOf(escaped(equationText(element))));
    if (name === 'r') return isHidden(element) ? replace(start, end, '') : run(element, end);
    if (name === 'dir' || name === 'bdo') return unwrapped(element, start, end);
    if (name === 'dstrike') return replace(start, end, isOn(valOf(element)) ? wordElement('strike', '') : '');
    if (name === 'AlternateContent') return alternative(element, end);
    if (name === 'fldSimple') return field(element, start, end);
    if (name === 'instrText') return instruction(element, start, end);
    if (name === 'cr') return replace(start, end, wordElement('br', ''));
    if (name === 'ptab') return replace(start, end, wordElement('tab', ''));
    if (name === 'softHyphen') return replace(start, end, '');
    if (name === 'ruby') return replace(start, end, wordElement('t', escaped(rubyText(element))));
    if (name === 'p') return paragraph(element);
    if (name === 'sdt') return control(element);
    const isBox = name === 'tc' || name === 'txbxContent';
    if (isBox) lists.interrupt();
    visit(element);
    if (isBox) lists.interrupt();
    if (name === 'trPr') emptyCells(element, end);
  }

  function isHidden(run: Element): boolean {
    const style = valOf(elementAt(run, 'rPr', 'rStyle'));
    // Prompts have a style of their own: programs that fill in a control may leave its mark.
    return (isPrompt && style !== '') || (isHiding(run) ?? (isParagraphHidden || hiding.has(style)));
  }

  function control(element: Element): void {
    const outer = isPrompt;
    const prompt = elementAt(element, 'sdtPr', 'showingPlcHdr');
    isPrompt = prompt !== undefined && isOn(valOf(prompt) || '1');
    visit(element);
    isPrompt = outer;
  }

  /** What is chosen of a list may stand only in the field's properties. */
  function run(element: Element, end: number): void {
    visit(element);
    const list = elementAt(element, 'fldChar', 'ffData', 'ddList');
    const chosen = Number(valOf(elementAt(list, 'result') ?? elementAt(list, 'default')));
    const entry = elementsOf(list, 'listEntry')[chosen];
    if (entry && !hasResult(element)) replace(end, end, runOf(escaped(valOf(entry))));
  }

  /** Text has its direction in its letters. */
  function unwrapped(element: Element, start: number, end: number): void {
    replace(start, element.children[0]?.startIndex ?? end, '');
    visit(element);
    replace((element.children.at(-1)?.endIndex ?? end - 1) + 1, end, '');
  }

  /** The URL of a link alone: places in pages and tips have parameters of their own. */
  function instruction(element: Element, start: number, end: number): void {
    const url = targetOfField(textOf(element));
    if (url !== '') replace(start, end, wordElement('instrText', ` HYPERLINK "${escaped(url)}" `));
  }

  /** A field in one element has the form of one whose parts are runs. */
  function field(element: Element, start: number, end: number): void {
    const [first] = element.children;
    const last = element.children.at(-1);
    const mark = (type: string) => `<x:r xmlns:x="${namespace}"><x:fldChar x:fldCharType="${type}"/></x:r>`;
    const instruction = `<x:r xmlns:x="${namespace}"><x:instrText>${escaped(attributeOf(element, 'instr') ?? '')}</x:instrText></x:r>`;
    if (!first || !last) return replace(start, end, '');
    replace(start, first.startIndex ?? end, mark('begin') + instruction + mark('separate'));
    visit(element);
    replace((last.endIndex ?? end) + 1, end, mark('end'));
  }

  /** Without a fallback, the text in a box is that of the first choice. */
  function alternative(element: Element, end: number): void {
    const fallback = elementAt(element, 'Fallback');
    if (fallback) return visit(fallback);
    const boxes = descendants(elementAt(element, 'Choice'), 'txbxContent').map((box) =>
      xml.slice(box.startIndex ?? 0, (box.endIndex ?? 0) + 1),
    );
    const close = xml.lastIndexOf('</', end - 1);
    const prefix = element.name.slice(0, -'AlternateContent'.length);
    if (close > from && boxes.length > 0)
      replace(close, close, `<${prefix}Fallback>${wordElement('pict', boxes.join(''))}</${prefix}Fallback>`);
  }

  /** Cells before the first of a row. */
  function emptyCells(properties: Element, end: number): void {
    const count = Math.min(100, Number(valOf(elementAt(properties, 'gridBefore'))) || 0);
    if (count > 0) replace(end, end, wordElement('tc', '<p/>').repeat(count));
  }

  /** Whether a paragraph is plain text before another one of the same part. */
  function isInitial(element: Element): boolean {
    let next: ChildNode | null = element.next;
    while (next && !isTag(next)) next = next.next;
    const isBeforeText = next !== null && nameOf(next) === 'p' && textOf(next).trim() !== '';
    const isPlain = !descendants(element).some((each) => notPlain.has(nameOf(each)));
    return isBeforeText && isPlain && !elementsOf(element, 'r').some(isHidden);
  }

  function paragraph(element: Element): void {
    const properties = elementAt(element, 'pPr');
    const style = elementAt(properties, 'pStyle');
    const outer = isParagraphHidden;
    isParagraphHidden = hiding.has(valOf(style));
    const cap = elementAt(properties, 'framePr');
    if (cap && /^(drop|margin)$/.test(attributeOf(cap, 'dropCap') ?? '') && isInitial(element)) {
      initial += textOf(element);
      isParagraphHidden = outer;
      return replace(element.startIndex ?? 0, (element.endIndex ?? 0) + 1, '');
    }
    const isEmpty = isPrompt || textOf(element).trim() === '';
    const item = lists.take(properties, valOf(style), isEmpty);
    if (properties && !isEmpty) {
      const level = levelOf(properties) ?? outline.get(valOf(style)) ?? maxLevel + 1;
      const isHeading = level <= maxLevel;
      const start = style?.startIndex ?? xml.indexOf('>', properties.startIndex ?? 0) + 1;
      const afterStyle = style ? (style.endIndex ?? 0) + 1 : start;
      if (isHeading) replace(start, afterStyle, `<x:pStyle xmlns:x="${namespace}" x:val="Heading${level}"/>`);
      else if (item?.ofStyle) replace(afterStyle, afterStyle, numPr(item.ofStyle));
      const numbering = elementAt(properties, 'numPr');
      if (!item && numbering) replace(numbering.startIndex ?? 0, (numbering.endIndex ?? 0) + 1, '');
      const end = (properties.endIndex ?? 0) + 1;
      const before = isHeading ? item?.label && `${escaped(item.label)} ` : item?.mark;
      if (before) replace(end, end, runOf(before));
    }
    if (initial !== '' && !isEmpty) {
      const at = properties ? (properties.endIndex ?? 0) + 1 : xml.indexOf('>', element.startIndex ?? 0) + 1;
      replace(at, at, runOf(escaped(initial)));
      initial = '';
    }
    visit(element);
    isParagraphHidden = outer;
  }
}

function numPr({ number, level }: { number: string; level: number }): string {
  return `<x:numPr xmlns:x="${namespace}"><x:ilvl x:val="${level}"/><x:numId x:val="${escaped(number)}"/></x:numPr>`;
}

/** Whether a field that begins in a run is followed by its result. */
function hasResult(begin: Element): boolean {
  let hasText = false;
  let next = after(elementAt(begin, 'fldChar'));
  for (let node = next; node; node = next) {
    next = (isTag(node) && node.firstChild) || after(node);
    if (!isTag(node)) continue;
    const type = attributeOf(node, 'fldCharType');
    if (type === 'begin' || type === 'end') return type === 'end' && hasText;
    hasText ||= nameOf(node) === 't' && textOf(node) !== '';
  }
  return false;
}

/** Returns the node that follows one and what is in it, up to the end of its paragraph. */
function after(node: ChildNode | undefined): ChildNode | undefined {
  let at: ChildNode | null | undefined = node;
  while (at && !at.next && !(isTag(at) && nameOf(at) === 'p')) at = at.parent;
  return at && nameOf(at as Element) !== 'p' ? (at.next ?? undefined) : undefined;
}

/** A text and how it is read. */
function rubyText(ruby: Element): string {
  const reading = textOf(elementAt(ruby, 'rt'));
  return textOf(elementAt(ruby, 'rubyBase')) + (reading === '' ? '' : `(${reading})`);
}

function wordElement(name: string, content: string): string {
  return `<${name} xmlns="${namespace}">${content}</${name}>`;
}

function runOf(text: string): string {
  return wordElement('r', `<t xml:space="preserve">${text}</t>`);
}

/** Returns the level of a heading, from 1, that paragraph properties set. */
function levelOf(properties: Element | undefined): number | undefined {
  const outline = elementAt(properties, 'outlineLvl');
  const level = Number(valOf(outline)) + 1;
  // The lowest of Word's ten levels is that of text.
  return outline && (level > 9 ? level : Math.min(maxLevel, level));
}
