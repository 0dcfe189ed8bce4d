import type { Protocol } from '../chrome/protocol.ts';
import type { Tab } from './tab.ts';

/** Options of a screenshot. */
export interface ScreenshotOptions {
  fullPage: boolean;
  quality?: number | undefined;
  viewport?: { width: number; height: number } | undefined;
}

/** Chromium's limit on the sides of a surface, and the pixels of a picture: they take 256 MB while it is taken. */
const [maxSide, maxPixels] = [16_384, 64_000_000];

/**
 * Takes a screenshot and returns it as a data URL: JPEG if `quality` is set, otherwise PNG.
 * @param onCut called with a sentence that says what is missing of a page that is too large
 */
export async function takeScreenshot(
  tab: Tab,
  { fullPage, quality, viewport }: ScreenshotOptions,
  onCut: (lacking: string) => void = () => undefined,
): Promise<string> {
  if (viewport) {
    await tab.send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false });
  }
  const format = quality === undefined ? 'png' : 'jpeg';
  const clip = fullPage ? await wholePage(tab, onCut) : undefined;
  const { data } = await tab.send('Page.captureScreenshot', {
    format,
    ...(quality !== undefined && { quality }),
    ...(clip && { clip, captureBeyondViewport: true }),
    optimizeForSpeed: true,
  });
  return `data:image/${format};base64,${data}`;
}

async function wholePage(tab: Tab, onCut: (lacking: string) => void): Promise<Protocol.Page.Viewport> {
  const { cssContentSize } = await tab.send('Page.getLayoutMetrics');
  const page = { width: wholePixels(cssContentSize.width), height: wholePixels(cssContentSize.height) };
  const shown = withinLimits(page);
  if (shown.width < page.width || shown.height < page.height)
    onCut(`A screenshot shows only the first ${sizeOf(shown)} pixels of a page of ${sizeOf(page)}.`);
  return { x: 0, y: 0, ...shown, scale: 1 };
}

const wholePixels = (side: number) => Math.max(1, Math.ceil(side));
const sizeOf = ({ width, height }: Size) => `${width} × ${height}`;

interface Size {
  width: number;
  height: number;
}

/** Returns how much of so large an area a picture can show, from its start. */
export function withinLimits({ width, height }: Size): Size {
  const shown = Math.min(width, maxSide);
  return { width: shown, height: Math.min(height, maxSide, Math.floor(maxPixels / shown)) };
}
