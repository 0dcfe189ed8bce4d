import assert from 'node:assert/strict';
import { join } from 'node:path';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { controlNames, unreachableControls } from './focus-order.ts';
import type { Workbench } from './workbench.ts';
import { runCommand } from './workbench-actions.ts';

/** A light, a dark and both high contrast themes of VS Code: id and name. */
const themes = {
  'Light Modern': 'Light Modern',
  'Dark Modern': 'Dark Modern',
  'Default High Contrast Light': 'Light High Contrast',
  'Default High Contrast': 'Dark High Contrast',
};
/** The theme that every rule is tested in. */
const mainTheme = 'Default High Contrast';
/** The rules whose result depends on the theme. */
const rulesOfColors = ['color-contrast', 'link-in-text-block'];
/** Elements that are shown of those that break one rule. */
const shownNodes = 3;
/** Where pictures for a person go, when they are asked for. */
const pictures = process.env.WEBDATA_PICTURES;

/** What VS Code sets in a webview for a theme. */
interface Appearance {
  variables: Record<string, string>;
  classes: string[];
  themeId: string | undefined;
}

/** Appearances by the ID of their theme, as VS Code set them in the first webview that was checked. */
const appearances = new Map<string, Appearance>();

/**
 * Runs every rule of axe on a webview, those about colors in each theme, and fails with what they find. At a zoom of
 * 200 % it has to fit its width, with all its controls.
 * @param frame the innermost frame, which holds the view's own document
 * @param state of a view that is tested in each theme elsewhere: tested in the dark high contrast theme alone
 */
export async function assertAccessible({ page }: Workbench, frame: Frame, name: string, state?: string) {
  const wanted = state === undefined ? (Object.keys(themes) as (keyof typeof themes)[]) : ([mainTheme] as const);
  for (const theme of wanted) {
    if (appearances.has(theme)) continue;
    await useTheme(page, frame, theme);
    appearances.set(theme, await frame.evaluate(readAppearance));
  }
  const before = await frame.evaluate(readAppearance);
  const part = await partOf(page, frame);
  // A view may be drawn again meanwhile.
  await eventually(async () => {
    const found: string[] = [];
    for (const theme of wanted) {
      const appearance = appearances.get(theme);
      assert.ok(appearance);
      // Set here and not in all of VS Code, which takes seconds to draw everything again.
      await frame.evaluate(setAppearance, appearance);
      if (pictures)
        await page.screenshot({ path: join(pictures, `axe-${[name, state, theme].filter(Boolean).join('-')}.png`) });
      const background = appearance.variables[`--vscode-${part}-background`] ?? 'rgb(255, 255, 255)';
      const undo = await frame.evaluateHandle(setBackground, background);
      const broken = await violations(frame, theme === mainTheme ? undefined : rulesOfColors);
      await undo.evaluate((restore) => restore());
      found.push(...broken.map((text) => `${theme}: ${text}`));
    }
    await frame.evaluate(setAppearance, before);
    assert.deepEqual(found, []);
  });
  await eventually(() => assertFits(page, frame, name));
}

/**
 * Returns what breaks these rules of axe in a document, by default all rules, of which at least `least` must apply. Frames in
 * it aren't checked.
 */
export async function violations(frame: Frame | Page, rules?: readonly string[], least = 5): Promise<string[]> {
  if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axe.source);
  const { violations, passes } = await frame.evaluate(runAxe, rules);
  assert.ok(passes.length > (rules ? 0 : least), `axe looked at nothing: ${passes.map(({ id }) => id)}`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .slice(0, shownNodes)
      .map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** Runs in the document. */
function runAxe(rules: readonly string[] | undefined): Promise<AxeResults> {
  const { axe } = window as unknown as { axe: { run(where: Document, options: RunOptions): Promise<AxeResults> } };
  const runOnly = rules && { runOnly: { type: 'rule' as const, values: [...rules] } };
  return axe.run(document, { resultTypes: ['violations'], iframes: false, ...runOnly });
}

/** Runs in the webview. */
function readAppearance(): Appearance {
  const { style } = document.documentElement;
  const names = [...style].filter((name) => name.startsWith('--vscode-'));
  return {
    variables: Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)])),
    classes: [...document.body.classList].filter((name) => name.startsWith('vscode-')),
    themeId: document.body.dataset.vscodeThemeId,
  };
}

/** Runs in the webview, as VS Code does it when the theme changes. Waits until the colors are there. */
async function setAppearance({ variables, classes, themeId }: Appearance): Promise<void> {
  const { body, documentElement } = document;
  for (const name of [...documentElement.style])
    if (name.startsWith('--vscode-')) documentElement.style.removeProperty(name);
  for (const [name, value] of Object.entries(variables)) documentElement.style.setProperty(name, value);
  body.classList.remove(...[...body.classList].filter((name) => name.startsWith('vscode-')));
  body.classList.add(...classes);
  body.dataset.vscodeThemeId = themeId ?? '';
  const ending = document
    .getAnimations()
    .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
    .map(({ finished }) => finished);
  await Promise.allSettled(ending);
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
    // One that does nothing at the full size may be needed now; of two with the same name, both stay.
    const left = await controlNames(frame);
    const gone = controls.filter((name) => {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    assert.deepEqual(gone, [], 'controls that are gone');
    assert.deepEqual(await unreachableControls(frame), [], 'controls that are out of reach or covered');
  } finally {
    await setSize(before);
  }
  // What depends on the room is drawn again only after the size has changed.
  await eventually(async () => {
    assert.equal(await frame.evaluate(() => window.innerWidth), whole);
    assert.deepEqual(await controlNames(frame), controls);
  });
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
export async function useTheme(page: Page, frame: Frame, theme: keyof typeof themes): Promise<void> {
  const used = () => frame.evaluate(() => document.body.dataset.vscodeThemeId);
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: themes[theme] });
  await eventually(async (attempt) => {
    const timeout = 3 * attempt;
    if ((await used()) === theme) return;
    await runCommand(page, 'Preferences: Color Theme');
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill(themes[theme], { timeout });
    await row.first().click({ timeout });
    await eventually(async () => assert.equal(await used(), theme), timeout);
  });
}

/** Returns which part of the workbench a webview is in, as the names of colors have it. A webview is transparent. */
async function partOf(page: Page, frame: Frame): Promise<string> {
  const webview = await frame.parentFrame()?.frameElement();
  assert.ok(webview, 'the frame belongs to a webview');
  const { x, y, width, height } = await eventually(async () => {
    const box = await webview.boundingBox();
    assert.ok(box, 'the webview is shown');
    return box;
  });
  return await page.evaluate(partAt, { x: x + width / 2, y: y + height / 2 });
}

/** Runs in the workbench. */
function partAt({ x, y }: { x: number; y: number }): string {
  const ids = document.elementsFromPoint(x, y).map((element) => element.closest('.part')?.id ?? '');
  const id = ids.find((one) => /\.(editor|panel|sidebar|auxiliarybar)$/.test(one)) ?? '';
  return id.endsWith('.editor') ? 'editor' : id.endsWith('.panel') ? 'panel' : 'sideBar';
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
