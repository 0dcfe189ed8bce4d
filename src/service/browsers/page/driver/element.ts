import { shorten } from '../../../../contract/shorten.ts';
import type { Tab } from '../tab.ts';
import type { Frame } from './frames.ts';
import { plain } from './plain.ts';

/** An element of a page, for functions that run in a world that the page's scripts can't change. */
export interface Handle {
  frame: Frame;
  objectId: string;
}

/** Something can't be done on a page. The message never contains what the page says. */
export class PageProblem extends Error {
  /** What the page says about it, on one line. */
  readonly said: string | undefined;

  constructor(message: string, said?: string) {
    super(message);
    this.said = said === undefined ? undefined : plain(said);
  }
}

/** The element is gone, or its page is. */
export class StaleReference extends PageProblem {
  constructor(ref: string) {
    super(`${ref} is stale: the page has changed, and this element is no longer on it. Take a new snapshot.`);
  }
}

const world = 'web-data';

/** Finds an element by its node. Throws a StaleReference. */
export async function handleOf(tab: Tab, frame: Frame, backendNodeId: number, ref: string): Promise<Handle> {
  const { frameId, sessionId } = frame;
  const { client } = tab;
  const { executionContextId } = await client.send(
    'Page.createIsolatedWorld',
    { frameId, worldName: world },
    sessionId,
  );
  const resolved = await client
    .send('DOM.resolveNode', { backendNodeId, executionContextId }, sessionId)
    .catch(() => undefined);
  const objectId = (resolved?.object as { objectId?: string } | undefined)?.objectId;
  if (!objectId) throw new StaleReference(ref);
  const handle = { frame, objectId };
  if (!(await call<boolean>(tab, handle, 'function () { return this.isConnected; }'))) throw new StaleReference(ref);
  return handle;
}

/** Returns the element of a frame that has the focus; undefined if it has none, or if a frame within it has. */
export async function activeElement(tab: Tab, frame: Frame): Promise<Handle | undefined> {
  const { frameId, sessionId } = frame;
  const { executionContextId } = await tab.client.send(
    'Page.createIsolatedWorld',
    { frameId, worldName: world },
    sessionId,
  );
  const { result } = (await tab.client.send(
    'Runtime.evaluate',
    { expression: focusExpression, contextId: executionContextId },
    sessionId,
  )) as { result?: { objectId?: string; subtype?: string } };
  return result?.objectId && result.subtype === 'node' ? { frame, objectId: result.objectId } : undefined;
}

/** Whether a frame shows an element that matches a CSS selector. Throws a PageProblem if it isn't one. */
export async function isShown(tab: Tab, { frameId, sessionId }: Frame, selector: string): Promise<boolean> {
  const { executionContextId } = await tab.client.send(
    'Page.createIsolatedWorld',
    { frameId, worldName: world },
    sessionId,
  );
  const { result, exceptionDetails } = (await tab.client.send(
    'Runtime.evaluate',
    {
      expression: `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.checkVisibility({ visibilityProperty: true }) && each.getClientRects().length > 0)`,
      contextId: executionContextId,
      returnByValue: true,
    },
    sessionId,
  )) as { result?: { value?: unknown }; exceptionDetails?: unknown };
  if (exceptionDetails) throw new PageProblem('"selector" is not a CSS selector, such as "#total" or ".row".');
  return result?.value === true;
}

const focusExpression = `(() => {
  let active = document.activeElement;
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
  return active && active !== document.body && !/^I?FRAME$/.test(active.tagName) ? active : null;
})()`;

/** Calls a function with the element as `this`. Throws a PageProblem with the first line of what it throws; what follows is what the page says. */
export async function call<Value>(tab: Tab, { frame, objectId }: Handle, source: string, ...values: unknown[]) {
  const { result, exceptionDetails } = (await tab.client.send(
    'Runtime.callFunctionOn',
    {
      objectId,
      functionDeclaration: source,
      arguments: values.map((value) => ({ value })),
      returnByValue: true,
      awaitPromise: true,
      userGesture: true,
    },
    frame.sessionId,
  )) as unknown as {
    result: { value: Value };
    exceptionDetails?: { text: string; exception?: { description?: string } };
  };
  if (!exceptionDetails) return result.value;
  const text = exceptionDetails.exception?.description ?? exceptionDetails.text;
  const [message = '', ...more] = text.split('\n');
  const end = more.findIndex((line) => /^ {4}at /.test(line));
  const said = more.slice(0, end === -1 ? more.length : end).join('\n');
  throw new PageProblem(shorten(message.replace(/^\w*Error: /, ''), 500), said || undefined);
}

export interface Point {
  x: number;
  y: number;
  /** The same point in the window of its frame. */
  aim: { x: number; y: number };
  /** What is in front of the element there. */
  covered?: string;
}

/** Returns how far the frame of an element is from the corner of the window, in CSS pixels, and scrolls it into view. */
async function offsetOf(tab: Tab, { frame }: Handle, ref: string): Promise<{ x: number; y: number }> {
  const offset = { x: 0, y: 0 };
  for (let { owner } = frame; owner; { owner } = owner.frame) {
    const element = await handleOf(tab, owner.frame, owner.backendNodeId, ref);
    const corner = await call<{ x: number; y: number }>(tab, element, cornerScript);
    offset.x += corner.x;
    offset.y += corner.y;
  }
  return offset;
}

/** A part of a page, in CSS pixels from the start of the page. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Scrolls an element into view and returns the part of the page that it covers; in a frame, only what the frame shows of it. */
export async function boxOf(tab: Tab, handle: Handle, ref: string): Promise<Box> {
  const box = await call<Box | null>(tab, handle, boxScript, handle.frame.owner !== undefined);
  if (!box) throw new PageProblem(`${ref} isn't visible, so it can't be captured.`);
  const offset = await offsetOf(tab, handle, ref);
  // Read last: finding the box has scrolled the page.
  const { cssLayoutViewport } = await tab.send<{ cssLayoutViewport: { pageX: number; pageY: number } }>(
    'Page.getLayoutMetrics',
  );
  return { ...box, x: box.x + offset.x + cssLayoutViewport.pageX, y: box.y + offset.y + cssLayoutViewport.pageY };
}

const boxScript = `function (isFramed) {
  const element = this.nodeType === 1 ? this : this.parentElement;
  if (!element) return null;
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  let { left, top, right, bottom } = element.getBoundingClientRect();
  if (isFramed) {
    left = Math.max(0, left);
    top = Math.max(0, top);
    right = Math.min(innerWidth, right);
    bottom = Math.min(innerHeight, bottom);
  }
  if (right <= left || bottom <= top) return null;
  return { x: left, y: top, width: right - left, height: bottom - top };
}`;

/** Scrolls an element into view and returns its middle in the window, in CSS pixels. Throws if it has no size there. */
export async function pointOf(tab: Tab, handle: Handle, ref: string): Promise<Point> {
  const point = await call<Omit<Point, 'aim'> | null>(tab, handle, pointScript);
  if (!point) throw new PageProblem(`${ref} isn't visible, so it can't be clicked.`);
  const offset = await offsetOf(tab, handle, ref);
  const { x, y } = point;
  return { ...point, aim: { x, y }, x: x + offset.x, y: y + offset.y };
}

/** Finds the middle of what is visible of an element, and what is in front there. */
const middle = `const element = this.nodeType === 1 ? this : this.parentElement;
  const boxes = element ? [...element.getClientRects()].filter(({ width, height }) => width > 0 && height > 0) : [];
  const box = boxes[0];
  const left = box && Math.max(0, box.left), top = box && Math.max(0, box.top);
  const x = box && (left + Math.min(innerWidth, box.right)) / 2, y = box && (top + Math.min(innerHeight, box.bottom)) / 2;
  const root = element && element.getRootNode();
  const front = box && (root.elementFromPoint ? root : document).elementFromPoint(x, y);`;

const pointScript = `function () {
  (this.nodeType === 1 ? this : this.parentElement)?.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  ${middle}
  if (!box) return null;
  const labels = element.labels ? [...element.labels] : [];
  const isOwn = (other) => other === element || element.contains(other) || other.contains(element);
  if (!front || isOwn(front) || labels.some((label) => label.contains(front))) return { x, y };
  const text = (front.getAttribute('aria-label') || front.innerText || '').replace(/\\s+/g, ' ').trim().slice(0, 60);
  return { x, y, covered: front.tagName.toLowerCase() + (front.id ? '#' + front.id : '') + (text ? ' "' + text + '"' : '') };
}`;

/** Returns whether the mouse is over an element and, if it is given, whether the element's middle is still at `aim` in the next frame. */
export const isHoveredScript = `async function (aim) {
  const find = () => {
    ${middle}
    return { x, y, isHovered: [element, front].some((each) => each && each.matches(':is(:hover)')) };
  };
  if (!aim || !find().isHovered) return find().isHovered;
  // Tabs in the background have no frames.
  await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 50))]);
  const { x, y } = find();
  return Math.abs(x - aim.x) + Math.abs(y - aim.y) < 1;
}`;

const cornerScript = `function () {
  this.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { left, top } = this.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(this);
  return { x: left + this.clientLeft + parseFloat(paddingLeft), y: top + this.clientTop + parseFloat(paddingTop) };
}`;

/** Returns the text of an element. */
export const textScript = 'function () { return this.innerText ?? this.textContent ?? ""; }';

/** Focuses a field and selects what is in it. Returns whether text can be typed into it; other fields are set at once. */
export const fillScript = `function (text) {
  if (this.disabled) throw new Error('The element is disabled.');
  if (this.readOnly) throw new Error('The element is read-only.');
  this.focus();
  if (this.isContentEditable) {
    getSelection().selectAllChildren(this);
    if (text === '') document.execCommand('delete');
    return text !== '';
  }
  if (!/^(INPUT|TEXTAREA)$/.test(this.tagName)) {
    if (this.matches('[role=textbox], [role=searchbox], [role=combobox]')) return true;
    throw new Error('The element is not a text field' + (this.tagName === 'SELECT' ? '; select an option instead.' : '.'));
  }
  if (/^(checkbox|radio|submit|button|image|reset)$/.test(this.type)) throw new Error('The element is not a text field; click it instead.');
  if (this.type === 'file') throw new Error("A file field can't be typed into; set its files with Playwright: page.setInputFiles.");
  if (/^(date|datetime-local|month|week|time|color|range)$/.test(this.type)) {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    set.call(this, text);
    if (this.value !== text) throw new Error('"' + text.slice(0, 60) + '" isn\\'t a valid value for a field of type ' + this.type + '.');
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    this.dispatchEvent(new Event('change', { bubbles: true }));
    return false;
  }
  this.select();
  if (text === '') document.execCommand('delete');
  return text !== '';
}`;

/** Chooses options of a list by their labels or values. */
export const selectScript = `function (choices) {
  if (this.tagName !== 'SELECT') throw new Error('The element is not a list to select from; click it to open it.');
  if (this.disabled) throw new Error('The list is disabled.');
  const options = [...this.options];
  const chosen = choices.map((choice) => {
    const text = choice.trim();
    const option = options.find((each) => each.label.trim() === text) ?? options.find((each) => each.value === choice);
    if (!option) throw new Error('The list has no option "' + text.slice(0, 80) + '".\\nIts options: ' + options.slice(0, 30).map((each) => each.label.replace(/\\s+/g, ' ').trim()).join(' | '));
    if (option.disabled) throw new Error('The option "' + text.slice(0, 80) + '" is disabled.');
    return option;
  });
  if (!this.multiple && chosen.length !== 1) throw new Error('Exactly one option of this list can be selected.');
  for (const option of options) option.selected = chosen.includes(option);
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}`;
