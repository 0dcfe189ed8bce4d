import { type Deadline, delay } from './settle.ts';

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
