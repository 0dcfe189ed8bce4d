import { type ChildNode, DomHandler, Element, isTag, isText, type ParentNode } from 'domhandler';
import { Parser } from 'htmlparser2';
import { ownNames } from '../../../../platform/own-names.ts';

/** How names are written here, by the namespace that they are in, where others have the same names. Files choose their own prefixes. */
const prefixes: Readonly<Record<string, string>> = ownNames({
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm:',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm:',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r:',
  'http://purl.oclc.org/ooxml/officeDocument/relationships': 'r:',
  'http://www.w3.org/1999/xhtml': '',
  'http://www.w3.org/1998/Math/MathML': '',
  'http://www.w3.org/2000/svg': '',
});
const reserved = new Set(Object.values(prefixes));

/** Resolves the prefixes of names while XML is read (Namespaces in XML 1.0). */
export function createNamespaces() {
  const scopes: Record<string, string>[] = [Object.create(null)];
  const resolved = (name: string, isAttribute = false): string => {
    const colon = name.indexOf(':') + 1;
    const prefix = name.slice(0, colon);
    const namespace = isAttribute && prefix === '' ? undefined : scopes.at(-1)?.[prefix];
    // Some programs declare nothing.
    if (namespace === undefined) return name;
    const known = prefixes[namespace] ?? (reserved.has(prefix) && prefix !== '' ? 'other:' : prefix);
    return known + name.slice(colon);
  };
  return {
    open(attributes: Readonly<Record<string, string>>): void {
      let scope = scopes.at(-1);
      for (const name in attributes) {
        if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
        if (scope === scopes.at(-1)) scope = Object.create(scope ?? null) as Record<string, string>;
        if (scope) scope[name === 'xmlns' ? '' : `${name.slice('xmlns:'.length)}:`] = attributes[name] ?? '';
      }
      scopes.push(scope ?? {});
    },
    resolved,
    close: () => void scopes.pop(),
  };
}

class Handler extends DomHandler {
  readonly #names = createNamespaces();

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#names.open(attributes);
    const entries = Object.entries(attributes).map(([each, value]) => [this.#names.resolved(each, true), value]);
    super.onopentag(this.#names.resolved(name), Object.fromEntries(entries));
  }

  override onclosetag(): void {
    this.#names.close();
    super.onclosetag();
  }
}

/** Parses XML. Entities that the document itself declares aren't expanded. */
export function parseXml(xml: string): ParentNode {
  const options = { xmlMode: true, withStartIndices: true, withEndIndices: true };
  const handler = new Handler(undefined, options);
  new Parser(handler, options).end(xml);
  return handler.root;
}

/** Returns an element's name without its namespace prefix. */
export function nameOf(element: Element): string {
  return element.name.slice(element.name.indexOf(':') + 1);
}

/** Whether an element has a name; one without a prefix is of any namespace. */
function isNamed(element: Element, name: string): boolean {
  return name === (name.includes(':') ? element.name : nameOf(element));
}

/** Returns an attribute's value by its name, with any namespace prefix. */
export function attributeOf(element: Element, name: string): string | undefined {
  if (name in element.attribs) return element.attribs[name];
  const found = Object.keys(element.attribs).find((each) => each.endsWith(`:${name}`));
  return found === undefined ? undefined : element.attribs[found];
}

/** Returns the number in an attribute of OpenDocument, 1 without one. */
export function countOf(element: Element | undefined, name: string): number {
  return Math.max(1, Math.floor(Number((element && attributeOf(element, name)) ?? 1)) || 1);
}

/** Returns the `val` of an element of Office, empty without one. */
export function valOf(element: Element | undefined): string {
  return (element && attributeOf(element, 'val')) ?? '';
}

/** Whether a switch of Office is on, by its value. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(0|false|off)$/.test(value);
}

/** Returns the child elements, of one name if given. */
export function elementsOf(parent: ParentNode | undefined, name?: string): Element[] {
  const all = (parent?.children ?? []).filter(isTag);
  return name === undefined ? all : all.filter((each) => isNamed(each, name));
}

/** Returns the first child element of each name in turn; undefined if one is missing. */
export function elementAt(parent: ParentNode | undefined, ...path: string[]): Element | undefined {
  let current: ParentNode | undefined = parent;
  for (const name of path) current = elementsOf(current, name)[0];
  return current instanceof Element ? current : undefined;
}

/** Returns the elements below a node, of one name if given, in document order. */
export function descendants(parent: ParentNode | undefined, name?: string): Element[] {
  const found: Element[] = [];
  for (const node of nodesIn(parent)) if (isTag(node) && (name === undefined || isNamed(node, name))) found.push(node);
  return found;
}

/** Returns the text below a node. */
export function textOf(parent: ParentNode | undefined): string {
  let text = '';
  for (const node of nodesIn(parent)) if (isText(node)) text += node.data;
  return text;
}

/** All nodes below a node, in document order. */
function* nodesIn(parent: ParentNode | undefined): Generator<ChildNode> {
  const open = (parent?.children ?? []).toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    if (!('children' in node)) continue;
    for (let at = node.children.length - 1; at >= 0; at--) open.push(node.children[at] as ChildNode);
  }
}
