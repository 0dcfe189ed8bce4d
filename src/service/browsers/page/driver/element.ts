import { shorten } from '../../../../contract/shorten.ts';
import type { Protocol } from '../../chrome/protocol.ts';
import { type Tab, worldName } from '../tab.ts';
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

/** Finds an element by its node. Throws a StaleReference. */
export async function handleOf(tab: Tab, frame: Frame, backendNodeId: number, ref: string): Promise<Handle> {
  const executionContextId = await worldOf(tab, frame);
  const resolved = await tab.client
    .send('DOM.resolveNode', { backendNodeId, executionContextId }, frame.sessionId)
    .catch(() => undefined);
  const objectId = resolved?.object.objectId;
  if (!objectId) throw new StaleReference(ref);
  const handle = { frame, objectId };
  if (!(await call<boolean>(tab, handle, 'function () { return this.isConnected; }'))) throw new StaleReference(ref);
  return handle;
}

/** Returns the element that has the focus, in the innermost of a page's frames that has it. */
export async function focusedElement(tab: Tab, frames: readonly Frame[]): Promise<Handle | undefined> {
  let found: Handle | undefined;
  for (const frame of frames) {
    const active = await evaluateIn(tab, frame, { expression: focusExpression }).catch(() => undefined);
    const { objectId, subtype } = active?.result ?? {};
    if (objectId && subtype === 'node') found = { frame, objectId };
  }
  return found;
}

/** Whether one of a page's frames shows an element that matches a CSS selector. Throws a PageProblem if it isn't one. */
export async function isShown(tab: Tab, frames: readonly Frame[], selector: string): Promise<boolean> {
  const expression = `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.checkVisibility({ visibilityProperty: true }) && each.getClientRects().length > 0)`;
  for (const frame of frames) {
    const { result, exceptionDetails } = await evaluateIn(tab, frame, { expression, returnByValue: true });
    if (exceptionDetails) throw new PageProblem('"selector" is not a CSS selector, such as "#total" or ".row".');
    if (result.value === true) return true;
  }
  return false;
}

const focusExpression = `(() => {
  let active = document.activeElement;
  while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
  return active && active !== document.body && !/^I?FRAME$/.test(active.tagName) ? active : null;
})()`;

/** Calls a function with the element as `this`. Throws a PageProblem with the first line of what it throws; what follows is what the page says. */
export async function call<Value>(
  tab: Tab,
  { frame, objectId }: Handle,
  source: string,
  ...values: unknown[]
): Promise<Value> {
  const { result, exceptionDetails } = await tab.client.send(
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
  );
  if (!exceptionDetails) return result.value;
  const text = exceptionDetails.exception?.description ?? exceptionDetails.text;
  const [message = '', ...more] = text.split('\n');
  const end = more.findIndex((line) => /^ {4}at /.test(line));
  const said = more.slice(0, end === -1 ? more.length : end).join('\n');
  throw new PageProblem(shorten(message.replace(/^\w*Error: /, ''), 500), said || undefined);
}

type Box = Protocol.DOM.Rect;
export type Place = Pick<Box, 'x' | 'y'>;

/** Returns the elements that contain the frames around an element, the innermost first. */
export async function framesAround(tab: Tab, { frame }: Handle, ref: string): Promise<Handle[]> {
  const elements: Handle[] = [];
  for (let { owner } = frame; owner; { owner } = owner.frame)
    elements.push(await handleOf(tab, owner.frame, owner.backendNodeId, ref));
  return elements;
}

/** Returns where points in the window of an element's frame are in the window of the tab, in CSS pixels, and scrolls the frame into view. */
export async function inWindow(tab: Tab, handle: Handle, ref: string, points: Place[]): Promise<Place[]> {
  const owners: { element: Handle; zoom: number }[] = [];
  for (const element of await framesAround(tab, handle, ref))
    owners.push({ element, zoom: await call<number>(tab, element, scrollScript) });
  let [frame, found] = [handle.frame, points];
  for (const [index, { element }] of owners.entries()) {
    const { frame: around, objectId } = element;
    if (frame.owner?.frame !== around) continue;
    const size = await windowSize(tab, frame);
    const { model } = await tab.client.send('DOM.getBoxModel', { objectId }, around.sessionId);
    // It is in the window of the outermost frame of the process, but in units of the frame, which may be zoomed.
    let unit = 1;
    for (frame = around; frame.owner?.frame.sessionId === around.sessionId; frame = frame.owner.frame)
      unit *= owners.find((other, at) => at > index && other.element.frame === frame.owner?.frame)?.zoom ?? 1;
    found = found
      .map(({ x, y }) => within(model.content, x / size.width, y / size.height))
      .map(({ x, y }) => ({ x: x * unit, y: y * unit }));
  }
  return found;
}

/**
 * Returns the point at these shares of the width and height of a box.
 * @param quad its corners, clockwise from its upper left one, wherever transforms have moved them
 */
function within(quad: number[], across: number, down: number): Place {
  const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0, dx = 0, dy = 0] = quad;
  const at = (a: number, b: number, c: number, d: number) =>
    (1 - down) * (a + (b - a) * across) + down * (d + (c - d) * across);
  return { x: at(ax, bx, cx, dx), y: at(ay, by, cy, dy) };
}

async function windowSize(tab: Tab, frame: Frame): Promise<{ width: number; height: number }> {
  const expression = '({ width: innerWidth, height: innerHeight })';
  return (await evaluateIn(tab, frame, { expression, returnByValue: true })).result.value;
}

/** Evaluates an expression in a frame, where its page doesn't see it. */
async function evaluateIn(tab: Tab, frame: Frame, options: { expression: string; returnByValue?: boolean }) {
  const contextId = await worldOf(tab, frame);
  return await tab.client.send('Runtime.evaluate', { ...options, contextId }, frame.sessionId);
}

async function worldOf(tab: Tab, { frameId, sessionId }: Frame): Promise<number> {
  const created = await tab.client.send('Page.createIsolatedWorld', { frameId, worldName }, sessionId);
  return created.executionContextId;
}

/** Scrolls an element into view and returns the part of the page that it covers, in CSS pixels from its start; in a frame, only what the frame shows of it. */
export async function boxOf(tab: Tab, handle: Handle, ref: string): Promise<Box> {
  const box = await call<Box | null>(tab, handle, boxScript, handle.frame.owner !== undefined);
  if (!box) throw new PageProblem(`${ref} isn't visible, so it can't be captured.`);
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  const corners = [box, { x: right, y: box.y }, { x: right, y: bottom }, { x: box.x, y: bottom }];
  const places = await inWindow(tab, handle, ref, corners);
  // Read last: finding the box has scrolled the page.
  const { cssLayoutViewport } = await tab.send('Page.getLayoutMetrics');
  const [x, y] = [Math.min(...places.map((place) => place.x)), Math.min(...places.map((place) => place.y))];
  return {
    x: x + cssLayoutViewport.pageX,
    y: y + cssLayoutViewport.pageY,
    width: Math.max(...places.map((place) => place.x)) - x,
    height: Math.max(...places.map((place) => place.y)) - y,
  };
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

/** Scrolls an element into view and returns by how much it and all around it in its frame are zoomed. */
const scrollScript = `function () {
  this.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  return this.currentCSSZoom ?? 1;
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
