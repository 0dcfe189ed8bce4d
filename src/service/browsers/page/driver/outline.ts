import { createTurn } from '../../../platform/async.ts';
import { getOrAdd } from '../../../platform/maps.ts';
import type { Protocol } from '../../chrome/protocol.ts';
import type { Clickable } from './clickable.ts';
import { plain } from './plain.ts';

/** A node of Chrome's accessibility tree. */
export type AccessibilityNode = Protocol.Accessibility.AXNode;

/** The accessibility tree of one frame. */
export interface FrameTree {
  nodes: readonly AccessibilityNode[];
  /** Elements that respond to clicks. */
  clickable: Clickable;
  /** Returns the reference of an element. */
  refOf(backendNodeId: number): string;
  /** Returns the tree of the frame in an element, if it is known. */
  frameIn(backendNodeId: number): FrameTree | undefined;
}

/** Text, or an element with what is in it. */
type Item = string | { head: string; name: string; items: Item[]; kind: 'inline' | 'block' | 'row' | 'cell' };

/** Elements that people interact with. Their name is made from what is in them. */
const leaves = new Set([
  ...['button', 'link', 'checkbox', 'radio', 'switch', 'option', 'tab', 'treeitem', 'DisclosureTriangle'],
  ...['menuitem', 'menuitemcheckbox', 'menuitemradio'],
]);
/** Elements with a value. */
const fields = new Set([
  ...['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'ComboBoxMenuButton', 'ComboBoxSelect'],
  ...['Date', 'DateTime', 'InputTime', 'ColorWell', 'TextFieldWithComboBox', 'PopUpButton'],
]);
/** Roles that say what a part of the page is for, with the name they are shown under. */
const parts: Readonly<Record<string, string>> = {
  main: 'main',
  navigation: 'nav',
  banner: 'header',
  contentinfo: 'footer',
  complementary: 'aside',
  search: 'search',
  dialog: 'dialog',
  alertdialog: 'dialog',
  alert: 'alert',
  status: 'status',
  table: 'table',
  grid: 'table',
  treegrid: 'table',
  Iframe: 'iframe',
};
/** Roles that are shown only with a name. */
const named = new Set([
  ...['form', 'region', 'list', 'group', 'radiogroup', 'toolbar', 'menu', 'menubar', 'tablist', 'tree', 'tabpanel'],
  ...['progressbar', 'meter', 'math', 'Canvas', 'Video', 'Audio', 'figure'],
]);
const cells = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const blocks = new Set(['paragraph', 'listitem', 'LabelText', 'blockquote', 'caption', 'term', 'definition']);
const ignoredRoles = new Set(['InlineTextBox', 'LineBreak', 'ListMarker', 'separator', 'splitter']);
const states = ['checked', 'pressed', 'disabled', 'expanded', 'selected', 'required', 'invalid', 'focused'];

const nameLimit = 300;
const optionLimit = 20;
/** What is nested deeper isn't shown. */
const depthLimit = 1500;
/** Maximum number of items that are looked at, each once for every element around it. The rest of the page isn't shown; most pages need a few thousand. */
const workLimit = 2_000_000;
/** Maximum number of characters of a line that holds several elements. */
const lineLimit = 160;

/** Work whose parts are yielded, to be done before it goes on with their results. Pages can nest elements deeply: no part calls another. */
type Steps<Result> = Generator<Steps<Result>, Result, Result>;

/** Lines that are written between two steps. */
const stepLines = 500;

/** Describes a page in indented lines: its text, and its elements with their roles, names, states and references. In short turns. */
export async function outline(page: FrameTree): Promise<string> {
  const items = await inSteps(itemsOfFrame(page, 0, { left: workLimit }));
  const written: string[] = [];
  await inSteps(lines(items, 0, written));
  return written.join('\n');
}

async function inSteps<Result>(first: Steps<Result>): Promise<Result> {
  const turn = createTurn();
  const begun = [first];
  // What is passed to a part that begins is ignored.
  let result = undefined as Result;
  for (let current: Steps<Result> | undefined = first; current; current = begun.at(-1)) {
    const { done, value } = current.next(result);
    if (done) {
      result = value;
      begun.pop();
    } else begun.push(value);
    if (turn.isOver) await turn.end();
  }
  return result;
}

function* itemsOfFrame(frame: FrameTree, depth: number, work: { left: number }): Steps<Item[]> {
  const byId = new Map(frame.nodes.map((node) => [node.nodeId, node]));
  const childrenOf = (node: AccessibilityNode) =>
    (node.childIds ?? []).map((id) => byId.get(id)).filter((child) => child !== undefined);

  function* itemsIn(node: AccessibilityNode, level: number): Steps<Item[]> {
    if (level > depthLimit) return [];
    const items: Item[] = [];
    for (const child of childrenOf(node)) {
      const inside = yield itemsOf(child, level + 1);
      work.left -= inside.length + 1;
      if (work.left < 0) break;
      for (const item of inside) {
        const last = items.at(-1);
        // Parts of one sentence, such as words in bold.
        if (typeof item === 'string' && typeof last === 'string' && sameSentence(node, child)) {
          items[items.length - 1] = `${last} ${item}`;
        } else items.push(item);
      }
    }
    return withoutLabels(items);
  }

  function* itemsOf(node: AccessibilityNode, level: number): Steps<Item[]> {
    const role = String(node.role?.value ?? '');
    if (ignoredRoles.has(role)) return [];
    const whole = plain(node.name?.value);
    if (role === 'StaticText') return node.ignored || whole === '' ? [] : [whole];
    const name = whole.length > nameLimit ? `${whole.slice(0, nameLimit)}…` : whole;
    if (node.ignored) return mark(node, yield itemsIn(node, level));
    if (fields.has(role)) return yield field(node, role, name, level);
    if (leaves.has(role)) {
      const inside = yield itemsIn(node, level);
      return [{ ...element(node, shown(role), name), items: inside.filter(hasReference) }];
    }
    if (role === 'image' || role === 'img')
      return mark(node, name ? [{ ...plainElement('img', name), items: [] }] : []);
    if (role === 'heading') return mark(node, [heading(node, name, yield itemsIn(node, level))]);
    if (role === 'row') return mark(node, [{ head: '', name: '', items: yield itemsIn(node, level), kind: 'row' }]);
    if (cells.has(role)) return [{ head: '', name: '', items: mark(node, yield itemsIn(node, level)), kind: 'cell' }];
    const inner = yield role === 'Iframe' ? framed(node, level) : itemsIn(node, level);
    if (Object.hasOwn(parts, role)) {
      if (inner.length === 0 && !name) return [];
      return [{ ...plainElement(parts[role] ?? role, name), items: inner, kind: 'block' }];
    }
    if (named.has(role) && name) {
      const value = plain(node.value?.value);
      return mark(node, [
        { ...plainElement(role.toLowerCase(), name, value ? [`="${value}"`] : []), items: inner, kind: 'block' },
      ]);
    }
    const marked = mark(node, inner);
    if (role === 'listitem') return marked.length > 0 ? [{ head: '-', name: '', items: marked, kind: 'block' }] : [];
    if (blocks.has(role) && marked.length > 1) return [{ head: '', name: '', items: marked, kind: 'block' }];
    return marked;
  }

  /** Makes what responds to clicks a thing to click, unless something in it is. */
  function mark(node: AccessibilityNode, items: Item[]): Item[] {
    const id = node.backendDOMNodeId;
    if (id === undefined || !responds(id, items.length > 0) || items.some(hasReference)) return items;
    const text = items.flatMap(textsIn).join(' ').slice(0, nameLimit);
    return [{ ...element(node, 'clickable', text), items: [] }];
  }

  function responds(id: number, hasText: boolean): boolean {
    const { pointer, listener, focusable } = frame.clickable;
    // What has text may be focusable only to be scrolled.
    return pointer.has(id) || listener.has(id) || (focusable.has(id) && !hasText);
  }

  function framed(node: AccessibilityNode, level: number): Steps<Item[]> {
    const inside = node.backendDOMNodeId === undefined ? undefined : frame.frameIn(node.backendDOMNodeId);
    return inside ? itemsOfFrame(inside, level + 1, work) : itemsIn(node, level);
  }

  function* field(node: AccessibilityNode, role: string, name: string, level: number): Steps<Item[]> {
    const inside = yield itemsIn(node, level);
    const options = inside.flatMap(optionsIn);
    const isList = options.length > 0 && role !== 'listbox';
    const described = element(node, shown(role), name, shownValue(node, name));
    if (!isList) return [{ ...described, items: inside.filter(hasReference) }];
    const more = options.length > optionLimit ? ` | …${options.length - optionLimit} more` : '';
    return [
      { ...described, head: `${described.head} (${options.slice(0, optionLimit).join(' | ')}${more})`, items: [] },
    ];
  }

  /** An element with a reference. */
  function element(node: AccessibilityNode, role: string, name: string, more: string[] = []) {
    const id = node.backendDOMNodeId;
    const hint = name === '' && id !== undefined ? plain(frame.clickable.hintOf(id, role === 'clickable')) : '';
    return plainElement(role, name, [
      ...(hint === '' ? [] : [hint]),
      ...(id === undefined ? [] : [`[${frame.refOf(id)}]`]),
      ...more,
      ...statesOf(node),
    ]);
  }

  const roots = frame.nodes.filter(({ parentId }) => parentId === undefined);
  const all: Item[][] = [];
  for (const root of roots) all.push(yield itemsIn(root, depth));
  return all.flat();
}

function plainElement(role: string, name: string, more: string[] = []) {
  const head = [role, ...(name ? [`"${name}"`] : []), ...more].join(' ');
  return { head, name, items: [] as Item[], kind: 'inline' as const };
}

function heading(node: AccessibilityNode, name: string, items: Item[]): Item {
  const level = node.properties?.find((property) => property.name === 'level')?.value.value ?? 2;
  const inner = items.some((item) => typeof item !== 'string') ? items : [name];
  return { head: `h${level}`, name: '', items: inner, kind: 'block' };
}

function statesOf(node: AccessibilityNode): string[] {
  return (node.properties ?? []).flatMap(({ name, value: { value } }) => {
    if (!states.includes(name)) return [];
    if (name === 'expanded') return value === true ? [name] : [];
    if (value === true || value === 'true') return [name];
    return value === 'mixed' ? [`${name}=mixed`] : [];
  });
}

/** Returns a field's value. How long a password is isn't shown. */
function shownValue({ value }: AccessibilityNode, name: string): string[] {
  const text = plain(value?.value);
  if (text === '' || text === name) return [];
  return [/^[•*●]+$/.test(text) ? '="…"' : `="${text}"`];
}

function shown(role: string): string {
  if (role === 'DisclosureTriangle') return 'button';
  if (/^(ComboBox|PopUpButton|TextFieldWithComboBox)/.test(role)) return 'combobox';
  return role === 'ColorWell' ? 'color' : role.toLowerCase();
}

/** Whether text of this child continues the text before it. */
function sameSentence(parent: AccessibilityNode, child: AccessibilityNode): boolean {
  const role = String(child.role?.value ?? '');
  const around = String(parent.role?.value ?? '');
  return role === 'StaticText' || role === 'strong' || role === 'emphasis' || role === 'code' || blocks.has(around);
}

/** Removes text that repeats the name of the element beside it, as labels do. */
function withoutLabels(items: Item[]): Item[] {
  const repeats = (text: string, beside: Item | undefined) =>
    typeof beside === 'object' &&
    beside.name !== '' &&
    text.startsWith(beside.name) &&
    /^[:*\s]*$/.test(text.slice(beside.name.length));
  return items.filter(
    (item, at) => typeof item !== 'string' || !(repeats(item, items[at - 1]) || repeats(item, items[at + 1])),
  );
}

const reference = /\[e\d+\]/;
/** Whether there is a reference in an element: it is asked again for each element around it. */
const referring = new WeakMap<object, boolean>();

function hasReference(item: Item): boolean {
  if (typeof item === 'string') return false;
  return getOrAdd(referring, item, () => reference.test(item.head) || item.items.some(hasReference));
}

function textsIn(item: Item): string[] {
  if (typeof item === 'string') return [item];
  return item.name ? [item.name] : item.items.flatMap(textsIn);
}

function optionsIn(item: Item): string[] {
  if (typeof item === 'string') return [];
  return item.head.startsWith('option ') ? [item.name] : item.items.flatMap(optionsIn);
}

/** Writes items as lines: short ones that belong together on one line. */
function* lines(items: readonly Item[], depth: number, written: string[]): Steps<void> {
  const pad = ' '.repeat(Math.min(depth, 30));
  for (const [at, item] of items.entries()) {
    if (at % stepLines === stepLines - 1) yield lines([], depth, written);
    if (typeof item === 'string') written.push(pad + item);
    else if (item.kind === 'row') written.push(`${pad}| ${item.items.map(inline).join(' | ')}`);
    else {
      const joined = onOneLine(item);
      if (joined !== undefined) written.push(pad + joined);
      else if (item.head === '') yield lines(item.items, depth, written);
      else {
        written.push(pad + item.head);
        yield lines(item.items, depth + 1, written);
      }
    }
  }
}

/** Returns an element with what is in it, if that is little. Pages can nest elements deeply: only flat ones are joined. */
function onOneLine(item: Exclude<Item, string>): string | undefined {
  if (item.items.length === 0) return item.head;
  const isFlat = item.items.every(
    (part) => typeof part === 'string' || (part.kind === 'inline' && part.items.length === 0),
  );
  if (!isFlat) return undefined;
  const joined = [item.head, inline({ ...item, head: '' })]
    .filter((part) => part !== '')
    .join(item.kind === 'block' && item.name ? ': ' : ' ');
  return joined.length <= lineLimit || item.items.length === 1 ? joined : undefined;
}

function inline(item: Item): string {
  const parts: string[] = [];
  const add = (each: Item) => {
    if (typeof each === 'string') return void parts.push(each);
    parts.push(each.head);
    each.items.forEach(add);
  };
  add(item);
  return parts.filter((part) => part !== '').join(' ');
}
