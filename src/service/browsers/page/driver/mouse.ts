import { isReadyScript, locateScript, maxMovingMs, moveMouse } from '../point.ts';
import { guardAroundScript, pressMouse, unguardScript } from '../press.ts';
import type { Deadline } from '../settle.ts';
import type { Tab } from '../tab.ts';
import { call, framesAround, type Handle, inWindow, PageProblem, type Place } from './element.ts';

interface Point extends Place {
  /** The same point in the window of its frame. */
  aim: Place;
  /** What is in front of the element there. */
  covered?: string;
}

/** Scrolls an element into view and returns where it receives a click in the window, in CSS pixels. Throws if it has no size there. */
async function pointOf(tab: Tab, handle: Handle, ref: string): Promise<Point> {
  const aim = await call<(Place & { covered?: string }) | null>(tab, handle, locateScript);
  if (!aim) throw new PageProblem(`${ref} isn't visible, so it can't be clicked.`);
  const [place = aim] = await inWindow(tab, handle, ref, [aim]);
  return { ...aim, ...place, aim: { x: aim.x, y: aim.y } };
}

/**
 * Moves the mouse to an element and returns the point, once nothing that opens or closes moves it or is in front of it. Throws
 * if another element would get a click there.
 */
export async function moveMouseTo(
  tab: Tab,
  handle: Handle,
  ref: string,
  deadline: Deadline,
  guards = false,
): Promise<Place> {
  let point = { x: 0, y: 0 };
  let seen: Point | undefined;
  const end = performance.now() + maxMovingMs;
  const move = async () => {
    seen = await pointOf(tab, handle, ref);
    const { covered } = seen;
    if (covered !== undefined && performance.now() < end) return;
    if (covered !== undefined) {
      throw new PageProblem(
        `${ref} is covered by another element, which would get the click. Close or click that first.`,
        `In front: ${covered}`,
      );
    }
    point = { x: seen.x, y: seen.y };
    deadline.check();
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...point });
  };
  const isThere = async (isPatient: boolean) =>
    seen?.covered === undefined && (await call<boolean>(tab, handle, isReadyScript, isPatient && seen?.aim, guards));
  if (await moveMouse(move, isThere, deadline)) return point;
  throw new PageProblem(`${ref} doesn't receive the mouse. Take a new snapshot and try again.`);
}

/** Clicks an element. Throws as `moveMouseTo`. */
export async function clickElement(
  tab: Tab,
  handle: Handle,
  ref: string,
  deadline: Deadline,
  kind: { button?: 'right'; times?: number } = {},
): Promise<void> {
  const around = await framesAround(tab, handle, ref);
  const move = async (guards: boolean) => {
    const point = await moveMouseTo(tab, handle, ref, deadline, guards);
    if (guards) for (const frame of around) await call(tab, frame, guardAroundScript).catch(() => undefined);
    return point;
  };
  const wasBlocked = async () => {
    const blocked = [handle, ...around].map((each) => call<boolean>(tab, each, unguardScript).catch(() => false));
    return (await Promise.all(blocked)).includes(true);
  };
  await pressMouse(tab, { ...kind, move, wasBlocked }, deadline);
}
