import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Locator, Page } from 'playwright-core';
import { attemptAfter, eventually, patience } from './eventually.ts';
import type { Workbench } from './workbench.ts';

/** Runs a command by its full title ("Web Data: Run File") in the command palette, as a user would. */
export async function runCommand(page: Page, title: string, timeout = patience): Promise<void> {
  await pickFromQuickInput(page, { key: 'F1', text: `>${title}`, label: title, timeout });
}

/** Opens a file of the folder by its name in Quick Open. */
export async function openFile(page: Page, name: string, timeout = patience): Promise<void> {
  await pickFromQuickInput(page, { key: 'ControlOrMeta+p', text: name, label: name, timeout });
  await page.locator('.tab.active', { hasText: name }).waitFor({ timeout });
  // An editor that takes the focus later would close the list that a test opens next.
  await page.locator('.editor-instance .monaco-editor.focused').first().waitFor({ timeout });
}

/**
 * The first frame that holds an element matching the selector: webviews are frames within frames of the page.
 * Waits up to `timeout` milliseconds.
 */
export async function frameWith(page: Page, selector: string, timeout = patience): Promise<Frame> {
  for (const end = Date.now() + timeout; Date.now() < end; await sleep(100)) {
    for (const frame of page.frames()) {
      const elements = frame.locator(selector);
      // A frame may be removed while it is queried.
      const found = await elements.count().catch(() => 0);
      if (found > 0) return frame;
    }
  }
  throw new Error(`No frame of the workbench showed ${selector} within ${timeout} ms.`);
}

/** Finds a notification by its text in the notification center: a workbench under test shows no toasts. */
export async function notification(page: Page, text: RegExp, timeout = patience): Promise<Locator> {
  const center = page.locator('.notifications-center.visible');
  const found = center.locator('.notification-list-item', { hasText: text });
  await eventually(async (attempt) => {
    if (!(await center.isVisible())) await page.locator('.statusbar-item[id="status.notifications"]').click();
    await found.first().waitFor({ timeout: attempt });
  }, timeout).catch((error: unknown) => {
    throw new Error(`No notification says ${text}.`, { cause: error });
  });
  return found;
}

/** The texts of all error messages: notifications, which stay open, and the dialog. */
export async function errorMessages(page: Page): Promise<string[]> {
  const center = page.locator('.notifications-center.visible');
  const bell = page.locator('.statusbar-item[id="status.notifications"]');
  await eventually(async (timeout) => {
    if (/^No /.test((await bell.getAttribute('aria-label', { timeout })) ?? '') || (await center.isVisible())) return;
    // It hides itself again when the last notification goes, such as that of a progress that ends.
    await bell.click({ timeout });
    await center.waitFor({ timeout });
  });
  const errors = center.locator('.notification-list-item').filter({ has: page.locator('.codicon-error') });
  const dialog = page.locator('.monaco-dialog-box.error, .monaco-dialog-box:has(.codicon-dialog-error)');
  const texts = await Promise.all([
    errors.locator('.notification-list-item-message').allInnerTexts(),
    dialog.locator('.dialog-message-container').allInnerTexts(),
  ]);
  return texts.flat().map((text) => text.replaceAll(/\s*\n\s*/g, ': '));
}

interface Pick {
  key: string;
  text: string;
  /** The full label of the row to pick. */
  label: string;
  timeout: number;
}

async function pickFromQuickInput(page: Page, { key, text, label, timeout }: Pick) {
  const input = page.locator('.quick-input-widget:visible .quick-input-box input');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  // While VS Code starts, a key press or list may be lost.
  for (const start = Date.now(); ; ) {
    const attempt = attemptAfter(Date.now() - start);
    try {
      // Reopened each time: an open list does not show commands that are registered later.
      if (await input.isVisible()) await page.keyboard.press('Escape');
      await page.keyboard.press(key);
      // Not typed: an editor that takes the focus just now would get the keys.
      await input.evaluate(setText, text, { timeout: attempt });
      await poll(() => rows.evaluateAll(findRow, { label, click: true }), attempt, 'its row');
      // The command may show its own input in the same place. A window that it reloads has no list.
      const isShown = () => rows.evaluateAll(findRow, { label }).catch(() => false);
      await poll(async () => !(await isShown()), timeout, 'the list to close');
      return;
    } catch (error) {
      if (Date.now() < start + timeout && !page.isClosed()) continue;
      throw new Error(`"${label}" could not be picked from the list that ${key} opens.`, { cause: error });
    }
  }
}

/** Repeats a check until it is true, for up to `timeout` milliseconds. */
async function poll(check: () => Promise<boolean>, timeout: number, what: string): Promise<void> {
  for (const end = Date.now() + timeout; !(await check()); await sleep(20))
    if (Date.now() > end) throw new Error(`Waited ${timeout} ms for ${what}.`);
}

/**
 * Runs in the workbench: whether a row that is shown has this label. With `click`, it is clicked in the same step: results
 * that arrive later can't move another row to its place.
 */
function findRow(rows: Element[], { label, click = false }: { label: string; click?: boolean }): boolean {
  const textOf = (element: Element) => element.textContent?.replaceAll(/\s+/g, ' ').trim();
  const found = rows.find(
    (row) => row.checkVisibility() && [...row.querySelectorAll('*')].some((part) => textOf(part) === label),
  );
  // VS Code reads the modifier keys when the button is pressed: one that a webview got would still seem to be down.
  for (const type of click ? ['mousedown', 'mouseup', 'click'] : [])
    found?.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window }));
  return found !== undefined;
}

function setText(input: HTMLElement | SVGElement, text: string) {
  (input as HTMLInputElement).value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * Reloads the window with another display language. VS Code's own texts stay English, as without a language pack;
 * extensions bring their own.
 */
export async function useDisplayLanguage({ context, reload }: Workbench, language: string): Promise<void> {
  await context.route('**/out/nls.messages.js', async (route) => {
    const response = await route.fetch();
    const body = `${await response.text()}\nglobalThis._VSCODE_NLS_LANGUAGE=${JSON.stringify(language)};`;
    await route.fulfill({ response, body });
  });
  await reload();
}
