import { type NextButton, nextRows, type StepResult } from '../../../browsers/page/next-rows.ts';
import { type Deadline, type Quietness, settle } from '../../../browsers/page/settle.ts';
import type { Tab } from '../../../browsers/page/tab.ts';

/** A button behind which a list goes on. */
export interface RestButton extends NextButton {
  isPressed: boolean;
}

/** What pressing the button of a list did. */
export interface NextPages {
  /** Whether the page has further rows now: if not, it may have changed in other ways. */
  hasAdded: boolean;
  /** Set if the list goes on. */
  button?: RestButton;
  /** The address of the next rows, if they have one. */
  leadsTo?: string;
}

/** Milliseconds for which a list's button is pressed at most, and how many buttons are tried. */
const maxMs = 6000;
const maxButtons = 3;

/**
 * Presses the button that puts the next rows of a list in the place of those that are shown, as long as there are new ones,
 * and gives the page the rows of all steps. Returns undefined if it has none.
 *
 * @param before called before anything is pressed
 */
export async function readNextPages(
  tab: Tab,
  quietness: Quietness,
  deadline: Deadline,
  before: () => Promise<void>,
): Promise<NextPages | undefined> {
  const look = <Step extends Parameters<typeof nextRows>[0]>(step: Step) => tab.look<StepResult<Step>>(nextRows(step));
  const until = performance.now() + Math.min(maxMs, deadline.left() / 2);
  for (let tries = 0; tries < maxButtons && performance.now() < until; tries++) {
    const found = await look('find');
    if (!found) return tries === 0 ? undefined : { hasAdded: false };
    const { isInForm, ...button } = found;
    if (isInForm) return { hasAdded: false, button: { ...button, isPressed: false } };
    if (tries === 0) await before();
    let hasAdded = false;
    while (await look('press')) {
      await settle(quietness, deadline);
      const { fresh, isFull, movedTo } = await look('keep');
      if (movedTo !== undefined) return { hasAdded: false, ...(/^https?:/.test(movedTo) && { leadsTo: movedTo }) };
      if (fresh === 0) break;
      hasAdded = true;
      if (!isFull && performance.now() < until) continue;
      const rest = await look('rest');
      await look('restore');
      return { hasAdded, ...(rest && { button: { ...rest, isPressed: true } }) };
    }
    if (!hasAdded) continue;
    await look('restore');
    return { hasAdded };
  }
  return { hasAdded: false };
}
