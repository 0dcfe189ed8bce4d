import assert from 'node:assert/strict';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Frame, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { controlNames, unreachableControls } from './focus-order.ts';
import type { Workbench } from './workbench.ts';
import { runCommand } from './workbench-actions.ts';

/** A light, a dark and both high contrast themes of VS Code: id and name. */
const themes = {
  'Light Modern': 'Light Modern',
  'Dark Modern': 'Dark Modern',
  'Default High Contrast': 'Dark High Contrast',
  'Default High Contrast Light': 'Light High Contrast',
};
/** Elements that are shown of those that break one rule. */
const shownNodes = 3;
/** Where pictures for a person go, when they are asked for. */
const pictures = process.env.WEBDATA_PICTURES;

/**
 * Runs every rule of axe on a webview, in each theme, and fails with what they find. At a zoom of 200 % it has to fit its
 * width, with all its controls.
 * @param frame the innermost frame, which holds the view's own document
 * @param state of a view that is tested in each theme elsewhere: tested in the dark high contrast theme alone
 */
export async function assertAccessible({ page }: Workbench, frame: Frame, name: string, state?: string): Promise<void> {
  const found: string[] = [];
  const shown = state === undefined ? Object.entries(themes) : Object.entries(themes).slice(2, 3);
  for (const [id, title] of shown) {
    await useTheme(page, frame, { id, title });
    if (pictures)
      await page.screenshot({ path: join(pictures, `axe-${[name, state, id].filter(Boolean).join('-')}.png`) });
    found.push(...(await violations(page, frame)).map((text) => `${title}: ${text}`));
  }
  assert.deepEqual(found, []);
  await assertFits(page, frame, name);
}

/**
 * Leaves a webview the half of its width and height, as a zoom of 200 % does, and fails if it has to be scrolled sideways
 * then, or if a control is lost. Only tables may be wider.
 */
async function assertFits(page: Page, frame: Frame, name: string): Promise<void> {
  const webview = (await frame.parentFrame()?.frameElement())?.asElement();
  assert.ok(webview, 'the frame belongs to a webview');
  const setSize = (size: { width: string; height: string }) =>
    webview.evaluate((element, value) => Object.assign((element as HTMLElement).style, value), size);
  const before = await webview.evaluate((element) => {
    const { width, height } = (element as HTMLElement).style;
    return { width, height };
  });
  const controls = await controlNames(frame);
  const whole = await frame.evaluate(() => window.innerWidth);
  await setSize({ width: '50%', height: '50%' });
  try {
    await eventually(async () => assert.ok((await frame.evaluate(() => window.innerWidth)) <= whole / 2 + 1));
    if (pictures) await page.screenshot({ path: join(pictures, `narrow-${name}.png`) });
    await eventually(async () => assert.equal(await frame.evaluate(widthWithoutTables), 'fits'));
    assert.deepEqual(await controlNames(frame), controls);
    assert.deepEqual(await unreachableControls(frame), [], 'controls that are out of reach or covered');
  } finally {
    await setSize(before);
  }
}

/** Runs in the webview. */
function widthWithoutTables(): string {
  const tables = [...document.querySelectorAll<HTMLElement>('table, [role="table"]')];
  const shown = tables.map(({ style }) => style.display);
  for (const { style } of tables) style.display = 'none';
  const { scrollWidth, clientWidth } = document.documentElement;
  for (const [index, { style }] of tables.entries()) style.display = shown[index] ?? '';
  return scrollWidth <= clientWidth + 1 ? 'fits' : `${scrollWidth} px wide in ${clientWidth} px`;
}

/** Switches the color theme as a person does, and waits until the webview has it. */
export async function useTheme(page: Page, frame: Frame, { id, title }: { id: string; title: string }): Promise<void> {
  const used = () => frame.evaluate(() => document.body.dataset.vscodeThemeId);
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title });
  await eventually(async () => {
    if ((await used()) === id) return;
    await runCommand(page, 'Preferences: Color Theme');
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill(title, { timeout: 3_000 });
    await row.first().click({ timeout: 3_000 });
    await eventually(async () => assert.equal(await used(), id), 5_000);
  }, 60_000);
}

async function violations(page: Page, frame: Frame): Promise<string[]> {
  const webview = await frame.parentFrame()?.frameElement();
  assert.ok(webview, 'the frame belongs to a webview');
  // A webview is transparent: what is seen behind its texts is the part of the workbench below it.
  const { x, y, width, height } = (await webview.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const background = await page.evaluate(backgroundAt, { x: x + width / 2, y: y + height / 2 });
  const undo = await frame.evaluateHandle(setBackground, background);
  const { violations, passes } = await new AxeBuilder({ page: asPage(frame) }).analyze();
  await undo.evaluate((restore) => restore());
  assert.ok(passes.length > 5, `axe looked at nothing: ${passes.map(({ id }) => id)}`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .slice(0, shownNodes)
      .map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** A frame as the page that axe is to look at: VS Code around it is not ours. */
function asPage(frame: Frame): Page {
  const page = frame.page();
  return new Proxy(page, {
    get(target, name) {
      if (name === 'mainFrame') return () => frame;
      if (name === 'evaluate') return frame.evaluate.bind(frame);
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Runs in the workbench: the first color that is painted at a point, below the webviews. */
function backgroundAt({ x, y }: { x: number; y: number }): string {
  const colors = document
    .elementsFromPoint(x, y)
    .filter(({ tagName }) => tagName !== 'IFRAME')
    .map((below) => getComputedStyle(below).backgroundColor);
  return colors.find((color) => color !== 'rgba(0, 0, 0, 0)') ?? 'rgb(255, 255, 255)';
}

/** Runs in the webview. Returns a function that undoes it. */
function setBackground(color: string): () => void {
  const { style } = document.documentElement;
  const before = style.backgroundColor;
  style.backgroundColor = color;
  return () => {
    style.backgroundColor = before;
  };
}
