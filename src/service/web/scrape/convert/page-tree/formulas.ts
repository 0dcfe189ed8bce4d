import { Element, Text } from 'domhandler';
import { decodeHTML } from 'entities';
import { equationText } from '../equations.ts';
import { blocks } from '../markdown/elements.ts';
import { elementsIn, isBlank, type PageElement } from './page-tree.ts';

/** How far around a formula what else shows it is searched, and among how many others at most. */
const searched = { around: 4, among: 12 };

/**
 * Keeps one of the forms in which a page has the same formula: TeX, MathML and what a library draws from them.
 * @param found the `math` elements and TeX scripts of a page
 */
export function completeFormulas(found: readonly PageElement[]): void {
  const scripts = new Set<PageElement | string>();
  const holders = new Set<PageElement>();
  for (const formula of found) {
    const { type = '' } = formula.attributes;
    if (!/^math\/tex\b/i.test(type)) showInPlace(formula);
    else {
      takeScript(formula, /;\s*mode=display\b/i.test(type));
      scripts.add(formula);
      if (formula.parent) holders.add(formula.parent);
    }
  }
  for (const holder of holders) dropDrawn(holder, scripts);
}

/**
 * A formula that is there for reading aloud or for copying, beside one that is only looked at, stands for both, unless that is a
 * picture with its source: browsers show the picture.
 */
function showInPlace(formula: PageElement): void {
  let inner = formula;
  let [before, after] = ['', ''];
  for (let around = 0; around < searched.around; around++) {
    const holder = inner.parent;
    if (!holder || holder.children.length > searched.among || !/^(span|div|.+-.+)$/.test(holder.name)) return;
    const others = holder.children.filter((child) => child !== inner && !isBlank(child));
    if (!others.every(isOnlyLookedAt)) return;
    const at = holder.children.indexOf(inner);
    if (holder.children.slice(0, at).some(isBlank)) before = ' ';
    if (holder.children.slice(at).some(isBlank)) after = ' ';
    if (others.length > 0) {
      const shown = others.some(isPicture) ? others : [formula];
      holder.children.splice(0, holder.children.length, before, ...shown, after);
      return;
    }
    inner = holder;
  }
}

/** A script with TeX becomes what it shows. */
function takeScript(script: PageElement, isDisplayed: boolean): void {
  const tex = ownText(script).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  script.attributes = { alttext: tex, display: isDisplayed ? 'block' : 'inline' };
  script.children.splice(0, script.children.length, tex);
}

/** MathJax 2 puts what it draws before its script. */
function dropDrawn({ children }: PageElement, scripts: ReadonlySet<PageElement | string>): void {
  for (const child of children.splice(0)) {
    if (scripts.has(child)) {
      let from = children.length;
      while (from > 0 && (isBlank(children[from - 1]) || isDrawn(children[from - 1]))) from--;
      while (isBlank(children[from])) from++;
      children.splice(from);
    }
    children.push(child);
  }
}

/** Whether a part is hidden from those who listen. Pages do this to all their content while a dialog is open. */
function isOnlyLookedAt(child: PageElement | string): boolean {
  return (
    typeof child !== 'string' &&
    child.attributes['aria-hidden'] === 'true' &&
    child.name !== 'math' &&
    !blocks.has(child.name)
  );
}

function isPicture(child: PageElement | string): boolean {
  return typeof child !== 'string' && child.name === 'img' && (child.attributes.alt ?? '') !== '';
}

function isDrawn(child: PageElement | string | undefined): boolean {
  return typeof child === 'object' && /^MathJax/.test(child.attributes.class ?? '');
}

/** Returns the TeX that a formula was made from, as its source text. */
export function texOf(element: PageElement): string | undefined {
  for (const child of elementsIn(element)) {
    if (child.name === 'annotation' && child.attributes.encoding === 'application/x-tex') return ownText(child);
    const inner = texOf(child);
    if (inner !== undefined) return inner;
  }
  return element.name === 'math' ? element.attributes.alttext : undefined;
}

function ownText({ children }: PageElement): string {
  const texts = children.filter((child) => typeof child === 'string');
  return texts.join('').trim();
}

/** Writes MathML on one line, as one writes it in a plain text. */
export function plainFormula(math: PageElement): string {
  return equationText(elementFrom(math));
}

function elementFrom({ name, attributes, children }: PageElement): Element {
  const inner = children.map((child) => (typeof child === 'string' ? new Text(decodeHTML(child)) : elementFrom(child)));
  return new Element(name, attributes, inner);
}
