import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';

const folder = process.env.WEBDATA_PICTURES;

/** The user settings of a window of which pictures are taken: its theme is that of the system. */
export const pictureSettings = folder ? { 'window.autoDetectColorScheme': true } : {};

/** What the system asks for, by what it is called in a picture's name, and the class that the window or a webview has then. */
const themes = {
  dark: { media: { colorScheme: 'dark' }, shown: /^(vs|vscode)-dark$/ },
  hc: { media: { colorScheme: 'dark', forcedColors: 'active' }, shown: /^(hc-black|vscode-high-contrast)$/ },
  light: { media: { colorScheme: 'light', forcedColors: 'none' }, shown: /^(vs|vscode-light)$/ },
} as const;

/**
 * Saves pictures of the window, in a dark, a high contrast and a light theme, in the folder that WEBDATA_PICTURES names; does
 * nothing without it.
 * @param show shows what a change of the theme hides, such as a hover
 */
export async function takePicture(page: Page, name: string, show?: () => Promise<void>): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  for (const [theme, { media, shown }] of Object.entries(themes)) {
    await page.emulateMedia(media);
    await eventually(async () => {
      for (const frame of page.frames()) {
        // A frame may be removed while it is asked.
        const classes = await frame.evaluate(themeClasses).catch(() => []);
        assert.ok(classes.length === 0 || classes.some((name) => shown.test(name)), classes.join(' '));
      }
    });
    await show?.();
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  }
}

/** Runs in a frame. Returns the classes of the workbench, or of the body of a webview. */
function themeClasses(): string[] {
  const themed = document.querySelector('.monaco-workbench') ?? document.querySelector('body[data-vscode-theme-id]');
  return themed ? [...themed.classList] : [];
}
