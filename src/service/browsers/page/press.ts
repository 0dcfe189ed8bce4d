import { setTimeout as wait } from 'node:timers/promises';
import type { Deadline } from './deadline.ts';
import type { Tab } from './tab.ts';

/** How many presses may be blocked: those that follow come through, as a page that changes with each of them can't be awaited. */
const maxBlocked = 2;
/** Milliseconds to wait for whether a press was blocked: a page that is busy got it. */
const maxUnguardMs = 1000;

/** Removes the guard. Not named by a string: elements of the page with that ID would be taken for it. */
const unguard = "globalThis[Symbol.for('unguard')]";

/**
 * Defines `guard`, for function bodies: until `unguardScript` runs, a press whose first event isn't as `isRight` says reaches no
 * listener but those in the capture phase of the window that came first. That event decides once, because pages change with it,
 * as by `:active`; if such a listener stops it, the press passes.
 */
export const guarding = `const guard = (isRight) => {
    ${unguard}?.();
    let passes;
    const check = (event) => {
      if (!event.isTrusted || (passes === undefined && !/down$/.test(event.type))) return;
      passes ??= event.type === 'mousedown' || isRight(event);
      if (passes) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick'];
    for (const type of types) addEventListener(type, check, { capture: true, passive: false });
    const timer = setTimeout(() => ${unguard}?.(), 5000);
    ${unguard} = () => {
      clearTimeout(timer);
      for (const type of types) removeEventListener(type, check, { capture: true });
      delete ${unguard};
      return passes === false;
    };
  };`;

/** Guards the document around a frame: what it gets itself isn't for the frame. */
export const guardAroundScript = `function () { ${guarding} guard(() => false); }`;

/** Removes the guard, and returns whether it blocked a press. */
export const unguardScript = `function () { return ${unguard}?.() ?? false; }`;

interface Press {
  button?: 'left' | 'right';
  /** 2 for a double click. */
  times?: number;
  /** Moves the mouse to where it presses, and guards the press if it is told to. Returns undefined if there is nothing to press. */
  move(guards: boolean): Promise<{ x: number; y: number } | undefined>;
  /** Runs `unguardScript`. */
  wasBlocked(): Promise<boolean>;
}

/** Presses a button of the mouse and lets it go, again elsewhere if the press was blocked. Returns false if there was nothing to press. */
export async function pressMouse(
  { send }: Pick<Tab, 'send'>,
  { button = 'left', times = 1, move, wasBlocked }: Press,
  deadline: Deadline,
): Promise<boolean> {
  for (let left = maxBlocked; ; left--) {
    const point = await move(left > 0);
    if (!point) return false;
    let isBlocked = false;
    try {
      for (let clickCount = 1; clickCount <= times; clickCount++) {
        deadline.check();
        const event = { ...point, button, clickCount };
        // Not before the press is answered: while a dialog that it opens is open, Chrome drops the release.
        await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...event }).finally(() =>
          send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...event }),
        );
      }
    } finally {
      // Its frame may be gone with the press.
      const asked = left > 0 && wasBlocked().catch(() => false);
      isBlocked = (await Promise.race([asked, wait(maxUnguardMs, false, { ref: false })])) === true;
    }
    if (!isBlocked) return true;
  }
}
