import type { Protocol } from '../chrome/protocol.ts';
import type { Tab } from './tab.ts';

/** Options of a screenshot. */
export interface ScreenshotOptions {
  fullPage: boolean;
  quality?: number | undefined;
  viewport?: { width: number; height: number } | undefined;
}

/** Chromium's limit on the size of a surface, in pixels. */
export const maxSide = 16_384;

/** Takes a screenshot and returns it as a data URL: JPEG if `quality` is set, otherwise PNG. */
export async function takeScreenshot(tab: Tab, { fullPage, quality, viewport }: ScreenshotOptions): Promise<string> {
  if (viewport) {
    await tab.send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false });
  }
  const format = quality === undefined ? 'png' : 'jpeg';
  const clip = fullPage ? await wholePage(tab) : undefined;
  const { data } = await tab.send('Page.captureScreenshot', {
    format,
    ...(quality !== undefined && { quality }),
    ...(clip && { clip, captureBeyondViewport: true }),
    optimizeForSpeed: true,
  });
  return `data:image/${format};base64,${data}`;
}

async function wholePage(tab: Tab): Promise<Protocol.Page.Viewport> {
  const { cssContentSize } = await tab.send('Page.getLayoutMetrics');
  const height = Math.min(Math.max(1, Math.ceil(cssContentSize.height)), maxSide);
  const width = Math.min(Math.max(1, Math.ceil(cssContentSize.width)), maxSide);
  return { x: 0, y: 0, width, height, scale: 1 };
}
