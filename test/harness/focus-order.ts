import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { eventually } from './eventually.ts';

/** A control that the Tab key reaches, as the test sees it. */
interface Control {
  name: string;
  top: number;
  bottom: number;
  /** What its looks depend on; they have to change with the focus. */
  looks: string;
  /** Whether the view draws it only if there is room for it, or no room for something else. */
  dependsOnSize: boolean;
}

const MAX_STEPS = 150;

/**
 * Goes through a webview with the Tab key, from its first control to its last. Fails if a control is left out, comes in
 * another order than it is read, or doesn't show that it has the focus.
 */
export async function assertFocusOrder(frame: Frame): Promise<void> {
  // A view may be drawn again meanwhile.
  await eventually(() => focusInOrder(frame));
}

async function focusInOrder(frame: Frame): Promise<void> {
  const controls = await frame.evaluate(controlsOf);
  assert.ok(controls.length > 0, 'no control can be reached with the Tab key');
  const seen = controls.filter(({ top, bottom }) => bottom > top);
  for (const [index, { name, bottom }] of seen.entries()) {
    const above = seen.slice(0, index).find(({ top }) => top >= bottom);
    assert.equal(above?.name, undefined, `"${name}" is above the control that comes before it`);
  }
  await frame.evaluate(focusControl, 0);
  const reached: number[] = [];
  const hidden: string[] = [];
  for (let step = 0; step < MAX_STEPS && reached.at(-1) !== controls.length - 1; step++) {
    if (step > 0) await frame.page().keyboard.press('Tab');
    const { index, looks } = await frame.evaluate(focusedControl);
    // A part that scrolls has the focus too, to be scrolled with the keyboard.
    if (index < 0) continue;
    reached.push(index);
    if (looks === controls[index]?.looks) hidden.push(controls[index]?.name ?? '');
  }
  const names = (indices: Iterable<number>) =>
    [...indices].map((index) => controls[index]).flatMap((one) => (one && !one.dependsOnSize ? [one.name] : []));
  assert.deepEqual(names(reached), names(controls.keys()));
  assert.deepEqual(hidden, [], 'controls that look the same with the focus');
}

/** The controls of a webview that can be reached with the Tab key at any size, by name. */
export async function controlNames(frame: Frame): Promise<string[]> {
  return (await frame.evaluate(controlsOf)).filter(({ dependsOnSize }) => !dependsOnSize).map(({ name }) => name);
}

/** Names of the controls that can't be brought into view, or are covered there. */
export async function unreachableControls(frame: Frame): Promise<string[]> {
  return await frame.evaluate(() => {
    const { list, nameOf } = (window as unknown as { webdataControls: ControlTools }).webdataControls;
    return list()
      .filter((control) => control.checkVisibility({ opacityProperty: true }))
      .filter((control) => {
        control.scrollIntoView({ block: 'center', inline: 'center' });
        const { left, top, width, height } = control.getBoundingClientRect();
        const [x, y] = [left + Math.min(width, 16) / 2, top + height / 2];
        const seen = document.elementFromPoint(x, y);
        return !(seen && (control.contains(seen) || seen.contains(control)));
      })
      .map(nameOf);
  });
}

/** What runs in the webview. */
interface ControlTools {
  list(): HTMLElement[];
  /** Those that were shown when the controls were read: scrolling may draw others. */
  read: HTMLElement[];
  nameOf(control: HTMLElement): string;
  looksOf(control: HTMLElement): string;
}

/** Runs in the webview. */
function controlsOf(): Control[] {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const tools: ControlTools = {
    read: [],
    list: () =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter(
        (one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility({ visibilityProperty: true }),
      ),
    nameOf: (one) =>
      [one.tagName.toLowerCase(), one.getAttribute('aria-label') ?? one.textContent?.trim().slice(0, 40)].join(' '),
    // A box around a field may show the focus for it.
    looksOf: (one) =>
      [one, one.parentElement ?? one]
        .map((shown) => getComputedStyle(shown))
        .map(({ outline, borderColor, boxShadow, backgroundColor }) => [
          outline,
          borderColor,
          boxShadow,
          backgroundColor,
        ])
        .join(' '),
  };
  (window as unknown as { webdataControls: ControlTools }).webdataControls = tools;
  (document.activeElement as HTMLElement | null)?.blur();
  // Heads that stay at the top while their part is scrolled would be below what follows them.
  for (const one of document.querySelectorAll('*')) if (one.scrollTop > 0) one.scrollTop = 0;
  tools.read = tools.list();
  return tools.read.map((one) => {
    let { top, bottom } = one.getBoundingClientRect();
    // What a part that scrolls doesn't show is at its edge.
    for (let part = one.parentElement; part; part = part.parentElement) {
      if (getComputedStyle(part).overflowY === 'visible') continue;
      const shown = part.getBoundingClientRect();
      top = Math.min(Math.max(top, shown.top), shown.bottom);
      bottom = Math.min(Math.max(bottom, shown.top), shown.bottom);
    }
    const dependsOnSize = one.matches('.jump, [role="tree"] *');
    return { name: tools.nameOf(one), top, bottom, looks: tools.looksOf(one), dependsOnSize };
  });
}

/** Runs in the webview. */
function focusControl(index: number): void {
  const { read } = (window as unknown as { webdataControls: ControlTools }).webdataControls;
  read[index]?.focus({ focusVisible: true } as FocusOptions);
}

/** Runs in the webview: which control has the focus, and how it looks then. */
function focusedControl(): { index: number; looks: string } {
  const { read, looksOf } = (window as unknown as { webdataControls: ControlTools }).webdataControls;
  const focused = document.activeElement as HTMLElement;
  return { index: read.indexOf(focused), looks: looksOf(focused) };
}
