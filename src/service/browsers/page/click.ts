import { isReadyScript, locateScript, moveMouse } from './point.ts';
import { pressMouse, unguardScript } from './press.ts';
import { type Deadline, type Quietness, settle } from './settle.ts';
import type { Tab } from './tab.ts';

/** The page that is acted on. */
export interface ActedOn {
  tab: Tab;
  quietness: Quietness;
  deadline: Deadline;
}

/** Clicks the element that an expression finds, and waits for what that does. Returns false if there is none. */
export async function clickOn({ tab, quietness, deadline }: ActedOn, found: string): Promise<boolean> {
  let point: { x: number; y: number } | undefined;
  let isClicked = false;
  // It may no longer match once the mouse is over it, or be replaced by its like.
  const aimed = "globalThis[Symbol.for('aimed')]";
  const element = () => (point ? `(${aimed}?.isConnected ? ${aimed} : ${aimed} = ${found})` : `(${aimed} = ${found})`);
  // What has no size, as a part of an image map, is at no place; what lies over the page, such as a question for consent, takes
  // the clicks on all of it.
  const locate = () =>
    tab.look<{ x: number; y: number } | 'clicked' | null>(`(() => {
      const element = ${element()};
      if (!element) return null;
      const { x, y, covered } = (${locateScript}).call(element) ?? {};
      let over = covered === undefined ? null : document.elementFromPoint(x, y);
      while (over && getComputedStyle(over).position !== 'fixed') over = over.parentElement;
      if (x !== undefined && (!over || over.contains(element))) return { x, y };
      element.focus?.();
      if (element.click) element.click();
      else element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
      return 'clicked';
    })()`);
  const goThere = async () => {
    const located = await locate();
    isClicked = located === 'clicked';
    if (located && located !== 'clicked') point = located;
    if (point && !isClicked) await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...point });
  };
  const move = async (guards: boolean) => {
    const isThere = async (isPatient: boolean) =>
      !point ||
      isClicked ||
      tab.look<boolean>(`(() => {
        const element = ${element()};
        return element ? (${isReadyScript}).call(element, ${isPatient && JSON.stringify(point)}, ${guards}) : ${!isPatient};
      })()`);
    await moveMouse(goThere, isThere, deadline);
    return isClicked ? undefined : point;
  };
  const wasBlocked = () => tab.look<boolean>(`(${unguardScript})()`);
  if (!(await pressMouse(tab, { move, wasBlocked }, deadline)) && !isClicked) return false;
  await settle(quietness, deadline);
  return true;
}
