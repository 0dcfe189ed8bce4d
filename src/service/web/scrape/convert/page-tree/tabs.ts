import {
  around,
  elementOf,
  elementsIn,
  isTabByName,
  nextIn,
  type PageElement,
  some,
  textOf,
  walk,
} from './page-tree.ts';

/** Longer texts, in characters, are no labels. */
const longestLabel = 60;
/** How far from a row of labels its panels may be: levels of boxes around it. */
const boxes = 3;
const boxNames = new Set(['div', 'section', 'article', 'figure', 'li', 'pre']);
const chosenNames = /(^|[\s_-])(active|selected|current|checked)($|[\s_-])/i;

/** A row of labels: each shows another panel. */
interface Row {
  labels: readonly PageElement[];
  /** Whether roles or radio buttons say that these are tabs. */
  isSure: boolean;
}

/**
 * Puts the label of each tab at the beginning of its panel, if all panels of the row are in the page: there, all of them are shown.
 * @param switches the elements of the page that may be labels
 */
export function labelTabs(root: PageElement, switches: readonly PageElement[]): void {
  const rows = [...Map.groupBy(switches, rowOf)].filter(
    ([, labels]) => labels.length > 1 && labels.every(hasLabel) && (labels.some(isChosen) || labels.every(mayBeTab)),
  );
  if (rows.length === 0) return;
  const ids = new Map<string, PageElement>();
  const labelled = new Map<string, PageElement>();
  walk(root, (each) => {
    const { id, 'aria-labelledby': by, role } = each.attributes;
    if (id !== undefined) ids.set(id, each);
    if (by !== undefined && role === 'tabpanel') labelled.set(by, each);
  });
  for (const [box, labels] of rows) {
    const row: Row = { labels, isSure: labels.every((label) => isTab(label, ids)) };
    if (!row.isSure && !labels.some(isChosen)) continue;
    const panels = labels.map((label) => labelled.get(label.attributes.id ?? '') ?? ids.get(targetOf(label)));
    const found = panels.every((panel) => panel !== undefined) ? panels : besideOf(box, row);
    if (!found || new Set(found).size < labels.length) continue;
    for (const [at, label] of labels.entries()) move(label, found[at] as PageElement);
  }
}

function mayBeTab({ name, attributes }: PageElement): boolean {
  return name === 'label' || isTabByName(attributes);
}

function isTab(label: PageElement, ids: ReadonlyMap<string, PageElement>): boolean {
  if (label.name !== 'label') return mayBeTab(label);
  const button = ids.get(label.attributes.for ?? '');
  return button?.attributes.type === 'radio' && !around(button).some(({ name }) => name === 'form');
}

function isChosen({ attributes }: PageElement): boolean {
  const { 'aria-selected': selected, 'aria-pressed': pressed = selected, class: classes = '' } = attributes;
  return pressed === 'true' || chosenNames.test(classes);
}

function hasLabel(label: PageElement): boolean {
  const { length } = textOf(label).trim();
  return length > 0 && length <= longestLabel;
}

/** The id of the panel that a tab names. */
function targetOf({ attributes }: PageElement): string {
  const { 'aria-controls': id, 'data-bs-target': target = attributes['data-target'], href = '' } = attributes;
  return id ?? (target ?? href).replace(/^#/, '');
}

/** The list that a tab is in, or the box that holds all labels of a row. */
function rowOf(label: PageElement): PageElement | undefined {
  let box = label.parent;
  for (let outer = box, level = 0; outer && level < boxes; outer = outer.parent, level++)
    if (outer.attributes.role === 'tablist') return outer;
  while (box?.parent && hasOne(box)) box = box.parent;
  return box;
}

/** Counts no further: a box can have thousands of labels. */
function hasOne({ children }: PageElement): boolean {
  const first = nextIn(children, -1);
  return first !== undefined && nextIn(children, children.indexOf(first)) === undefined;
}

/** The panels of a row in their order: beside its labels, in the box after it, or each after it. */
function besideOf(row: PageElement | undefined, { labels, isSure }: Row): PageElement[] | undefined {
  // Panels that have names which aren't there are perhaps not in the page.
  const isNamed = labels.some((label) => targetOf(label) !== '');
  const arePanels = (found: readonly PageElement[], isExact: boolean) =>
    found.length === labels.length &&
    found.every((each) => isPanel(each) || (isExact && isSure && !isNamed && isBox(each)));
  const own = new Set(labels);
  let inner: PageElement | undefined;
  let box = row;
  for (let level = 0; box && level <= (isSure ? boxes : 1); inner = box, box = box.parent, level++) {
    const elements = elementsIn(box);
    const after = elements
      .slice(inner ? elements.indexOf(inner) + 1 : 0)
      .filter((each) => each.name !== 'input' && !own.has(each));
    if (!inner && arePanels(after, true)) return after;
    if (!inner || after[0] === undefined) continue;
    const inBox = elementsIn(after[0]);
    if (arePanels(inBox, true)) return inBox;
    const next = after.slice(0, labels.length);
    if ((isSure || next.length === after.length) && arePanels(next, false)) return next;
  }
  return undefined;
}

/** Whether an element is a panel, whatever is beside it: by its role, or as it has code. */
function isPanel(element: PageElement): boolean {
  return element.attributes.role === 'tabpanel' || some(element, isPre);
}

function isBox(element: PageElement): boolean {
  return boxNames.has(element.name) && textOf(element).trim() !== '';
}

function isPre({ name }: PageElement): boolean {
  return name === 'pre';
}

/** Code can't hold its own label. */
function move(label: PageElement, panel: PageElement): void {
  label.leftOut = 'tab';
  panel.attributes = { ...panel.attributes, role: 'tabpanel' };
  const text = textOf(label).trim();
  if (beginsWith(panel, text)) return;
  const box = isPre(panel) && panel.parent ? panel.parent : panel;
  const paragraph = elementOf('p', {}, box);
  const strong = elementOf('strong', {}, paragraph);
  strong.children.push(text);
  paragraph.children.push(strong);
  box.children.splice(box === panel ? 0 : box.children.indexOf(panel), 0, paragraph);
}

/** Whether an element begins with a block that has this text, such as a heading. */
function beginsWith(element: PageElement, text: string): boolean {
  const first = element.children.find((child) => (typeof child === 'string' ? child : textOf(child)).trim() !== '');
  if (first === undefined || typeof first === 'string' || isPre(first)) return false;
  return textOf(first).trim() === text || beginsWith(first, text);
}
