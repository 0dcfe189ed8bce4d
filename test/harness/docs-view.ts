import type { Frame, Locator, Page } from 'playwright-core';
import { frameWith, runCommand } from './workbench-actions.ts';

/** Opens the Docs view with its command and returns its frame. */
export async function openDocs(page: Page): Promise<Frame> {
  await runCommand(page, 'Web Data: Ask the Docs');
  return await frameWith(page, '#app > .box textarea');
}

/** The newest question of the Docs view. */
export function newestTurn(docs: Frame): Locator {
  return docs.locator('[data-turn]').last();
}

/** Types a question and sends it with Enter; resolves with its element when it is done. */
export async function askInView(docs: Frame, question: string): Promise<Locator> {
  const before = await docs.locator('[data-turn]').count();
  const field = docs.locator('#app > .box textarea');
  await field.fill(question);
  await field.press('Enter');
  const turn = docs.locator('[data-turn]').nth(before);
  await turn.and(docs.locator(':not([data-state="asking"])')).waitFor();
  return turn;
}
