import type { CdpSend } from '../chrome/protocol.ts';
import { type Deadline, delay } from './settle.ts';

/**
 * Finds where an element receives a click: a function body that expects the element as `this` and defines `element` and
 * `locate`, which returns `x` and `y` in the window of its frame; with `covered` if another element is in front of it there, and
 * undefined if the element has no size. What is invisible but has a label, as styled checkboxes do, is clicked on its label.
 */
const locating = `const element = this.nodeType === 1 ? this : this.parentElement;
  const root = element && element.getRootNode();
  const labels = element && element.labels ? [...element.labels] : [];
  const around = (node) => node.assignedSlot || node.parentNode || node.host;
  const slots = element ? [...element.querySelectorAll('slot')] : [];
  const holds = (outer, inner) => {
    for (let at = inner; at; at = around(at)) if (at === outer) return true;
    return outer === element && slots.some((slot) => slot.assignedNodes({ flatten: true }).some((node) => node.contains(inner)));
  };
  const sized = (list) => [...list].filter(({ width, height }) => width > 0 && height > 0);
  const boxesOf = (target) => {
    const own = sized(target.getClientRects());
    if (own.length > 0 || getComputedStyle(target).display !== 'contents') return own;
    const range = document.createRange();
    range.selectNodeContents(target);
    return sized(range.getClientRects());
  };
  const frontAt = ({ x, y }) => (root.elementFromPoint ? root : document).elementFromPoint(x, y);
  const pointsOf = (target) => boxesOf(target).slice(0, 3).flatMap((box) => {
    const left = Math.max(0, box.left), top = Math.max(0, box.top);
    const width = Math.min(innerWidth, box.right) - left, height = Math.min(innerHeight, box.bottom) - top;
    const at = (across, down) => ({ x: left + width * across, y: top + height * down });
    return width > 0 && height > 0 ? [at(0.5, 0.5), at(0.2, 0.2), at(0.8, 0.2), at(0.2, 0.8), at(0.8, 0.8)] : [];
  });
  const textOf = (front) => {
    const text = (front.getAttribute('aria-label') || front.innerText || '').replace(/\\s+/g, ' ').trim().slice(0, 60);
    return front.tagName.toLowerCase() + (front.id ? '#' + front.id : '') + (text ? ' "' + text + '"' : '');
  };
  const locate = (scrolls) => {
    let covered;
    const targets = element ? [element, ...labels] : [];
    // What is around an element gets its clicks only if it lets them through itself.
    for (const isOwn of [(front, target) => [target, ...labels].some((each) => holds(each, front)), (front, target) => holds(front, target)])
      for (const target of targets) {
        if (scrolls) target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        for (const point of pointsOf(target)) {
          const front = frontAt(point);
          if (!front || isOwn(front, target)) return point;
          covered ??= { ...point, covered: textOf(front) };
        }
      }
    return covered;
  };`;

/** Scrolls an element into view and returns where it receives a click, or null. */
export const locateScript = `function () {
  ${locating}
  return locate(true) ?? null;
}`;

/** Returns whether the mouse is over an element and, if it is given, whether the element still receives clicks at `aim` in the next frame. */
export const isHoveredScript = `async function (aim) {
  ${locating}
  const isHovered = () => {
    const point = aim || locate(false);
    return [element, point && frontAt(point), ...labels].some((each) => each && each.matches(':is(:hover)'));
  };
  if (!aim || !isHovered()) return isHovered();
  // Tabs in the background have no frames.
  await Promise.race([new Promise(requestAnimationFrame), new Promise((resolve) => setTimeout(resolve, 50))]);
  const point = locate(false);
  return !!point && Math.abs(point.x - aim.x) + Math.abs(point.y - aim.y) < 1;
}`;

/** Milliseconds that Chrome has to redraw a page. */
const maxDrawMs = 5000;

/**
 * Moves the mouse again until it is where it should be, and returns whether it is. While a page is drawn or scrolled, Chrome
 * sends the mouse to the frame that was at that place before: a click there would act on another frame, such as an advertisement.
 */
export async function moveMouse(
  move: () => Promise<unknown>,
  isThere: () => Promise<boolean>,
  deadline: Deadline,
): Promise<boolean> {
  for (const end = performance.now() + maxDrawMs; ; await delay(30, deadline)) {
    await move();
    if (await isThere()) return true;
    if (performance.now() > end) return false;
  }
}

/** Presses a button of the mouse where it is, and lets it go; as a double click, twice. */
export async function clickMouse(
  send: CdpSend,
  { x, y }: { x: number; y: number },
  button: 'left' | 'right' = 'left',
  times = 1,
): Promise<void> {
  for (let clickCount = 1; clickCount <= times; clickCount++) {
    for (const type of ['mousePressed', 'mouseReleased'] as const)
      await send('Input.dispatchMouseEvent', { type, x, y, button, clickCount });
  }
}
