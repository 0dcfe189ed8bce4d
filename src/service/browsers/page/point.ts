import { guarding } from './press.ts';
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
  let front;
  const locate = (scrolls) => {
    let covered;
    const targets = element ? [element, ...labels] : [];
    // What is around an element gets its clicks only if it lets them through itself.
    for (const isOwn of [(front, target) => [target, ...labels].some((each) => holds(each, front)), (front, target) => holds(front, target)])
      for (const target of targets) {
        if (scrolls) target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        for (const point of pointsOf(target)) {
          front = frontAt(point);
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

/**
 * Returns whether the mouse is over an element and, if it is given, whether the element still receives clicks at `aim`. If it
 * is and `guards` is set, a press that something else would get is blocked from now on.
 */
export const isReadyScript = `function (aim, guards) {
  ${locating}
  ${guarding}
  const point = locate(false);
  const shown = point && frontAt(point);
  // What a frame gets, the document around it doesn't see.
  const isFrame = shown && /^(I?FRAME|OBJECT|EMBED)$/.test(shown.tagName);
  const isHovered = isFrame || [element, shown, ...labels].some((each) => each && each.matches(':is(:hover)'));
  if (!isHovered || (aim && (!point || Math.abs(point.x - aim.x) + Math.abs(point.y - aim.y) >= 1))) return false;
  // As for the point: what takes the clicks of an element is what is in front of it there, the element itself or what is in it.
  const isRight = (event) => {
    const path = event.composedPath();
    // What is in a closed shadow tree isn't in the path.
    const reached = root.host && !path.includes(root) ? frontAt({ x: event.clientX, y: event.clientY }) : path[0];
    const isFront = reached === front || path.find((each) => each.getRootNode?.() === root) === front;
    return isFront || [element, ...labels].some((each) => path.includes(each) || holds(each, reached));
  };
  if (guards && point && point.covered === undefined && front) guard(isRight);
  return true;
}`;

/** Milliseconds that Chrome has to redraw a page. */
const maxDrawMs = 5000;

/** Milliseconds that menus, dialogs and what loads may take to open, close or arrive, while they move an element or are in front of it. */
export const maxMovingMs = 1000;

/**
 * Moves the mouse again until it is where it should be, and returns whether it is. While a page is drawn or scrolled, Chrome
 * sends the mouse to the frame that was at that place before: a click there would act on another frame, such as an advertisement.
 * @param isThere called with whether what moves is still waited for
 */
export async function moveMouse(
  move: () => Promise<unknown>,
  isThere: (isPatient: boolean) => Promise<boolean>,
  deadline: Deadline,
): Promise<boolean> {
  const start = performance.now();
  for (; ; await delay(30, deadline)) {
    await move();
    const ms = performance.now() - start;
    if (await isThere(ms < maxMovingMs)) return true;
    if (ms > maxDrawMs) return false;
  }
}
