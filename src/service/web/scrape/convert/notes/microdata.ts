import type { Attributes } from '../page-tree/page-tree.ts';

/** An item with its properties, in the form of JSON-LD. */
export type Item = Record<string, unknown>;

/** A list of many products isn't the page of one. */
const maxItems = 100;
const maxText = 10_000;
/** Where the value of an element is, if not in its text. */
const values: Readonly<Record<string, string>> = {
  meta: 'content',
  a: 'href',
  area: 'href',
  link: 'href',
  time: 'datetime',
  data: 'value',
  meter: 'value',
  img: 'src',
  audio: 'src',
  video: 'src',
  source: 'src',
  iframe: 'src',
  embed: 'src',
  object: 'data',
};

/** Collects a page's microdata (the HTML standard, section 5) in the pass that reads the page. */
export function readMicrodata() {
  const items: Item[] = [];
  const open: { depth: number; item: Item }[] = [];
  const texts: { depth: number; item: Item; names: string; text: string }[] = [];

  function openItem({ itemtype = '', itemprop }: Attributes, depth: number): void {
    const item: Item = { '@type': itemtype.trim().split(/\s+/) };
    const parent = open.at(-1)?.item;
    if (itemprop !== undefined && parent) put(parent, itemprop, item);
    else if (items.length < maxItems) items.push(item);
    open.push({ depth, item });
  }

  return {
    /** The items of the page that are no property of another. */
    items: items as readonly Item[],
    open(name: string, attributes: Attributes, depth: number): void {
      const { itemscope, itemprop, content } = attributes;
      if (itemscope !== undefined) return openItem(attributes, depth);
      const item = open.at(-1)?.item;
      if (item === undefined || itemprop === undefined) return;
      const value = content ?? attributes[values[name] ?? ''];
      if (value === undefined) texts.push({ depth, item, names: itemprop, text: '' });
      else put(item, itemprop, value);
    },
    close(depth: number): void {
      if (open.at(-1)?.depth === depth) open.pop();
      if (texts.at(-1)?.depth !== depth) return;
      const property = texts.pop();
      if (property) put(property.item, property.names, property.text);
    },
    text(text: string): void {
      for (const property of texts) if (property.text.length < maxText) property.text += text;
    },
  };
}

/** Several values of a property are a list. */
function put(item: Item, names: string, value: unknown): void {
  for (const name of names.trim().split(/\s+/)) {
    if (name === '__proto__') continue;
    const before = Object.hasOwn(item, name) ? [item[name]].flat() : [];
    item[name] = before.length === 0 ? value : [...before, value];
  }
}
