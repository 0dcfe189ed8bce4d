import { currentAsker } from '../../platform/asker.ts';
import { createPool } from '../../platform/pool.ts';
import type { Protocol } from '../chrome/protocol.ts';
import { capture } from './capture.ts';
import type { Tab } from './tab.ts';

/** Options of a screenshot. */
export interface ScreenshotOptions {
  fullPage: boolean;
  quality?: number | undefined;
  viewport?: Size | undefined;
}

/** Chromium's limit on the sides of a surface, and the pixels of a picture: they take 256 MB while it is taken. */
const [maxSide, maxPixels] = [16_384, 64_000_000];

/** Pictures of more pixels are taken in turn: meanwhile, each of them takes up to a gigabyte in the browser. */
const largePixels = 8_000_000;
/** A page that doesn't answer keeps its turn for so long, in milliseconds. */
const maxTurnMs = 10_000;
const turns = createPool(1, 1);

/**
 * Takes a screenshot and returns it as a data URL: JPEG if `quality` is set, otherwise PNG.
 * @param onCut called with a sentence that says what is missing of a page that is too large
 * @param signal given if the browser has pages of others: a large one waits for its turn until this aborts
 */
export async function takeScreenshot(
  tab: Tab,
  { fullPage, quality, viewport }: ScreenshotOptions,
  onCut: (lacking: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  let release: (() => void) | undefined;
  const waitIfLarge = async (size: Size | undefined) => {
    if (!signal || !size || size.width * size.height <= largePixels) return;
    release ??= await takeTurn(signal);
  };
  try {
    await waitIfLarge(viewport);
    if (viewport) {
      await tab.send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false });
    }
    const format = quality === undefined ? 'png' : 'jpeg';
    const clip = fullPage ? await wholePage(tab, onCut) : undefined;
    await waitIfLarge(clip);
    const { data } = await capture(tab, 'Page.captureScreenshot', {
      format,
      ...(quality !== undefined && { quality }),
      ...(clip && { clip, captureBeyondViewport: true }),
      optimizeForSpeed: true,
    });
    return `data:image/${format};base64,${data}`;
  } finally {
    release?.();
  }
}

async function takeTurn(signal: AbortSignal): Promise<() => void> {
  const release = await turns.acquire(currentAsker()?.team ?? '', signal);
  let isOver = false;
  const end = () => {
    if (!isOver) release();
    isOver = true;
    clearTimeout(timer);
  };
  const timer = setTimeout(end, maxTurnMs).unref();
  return end;
}

async function wholePage(tab: Tab, onCut: (lacking: string) => void): Promise<Protocol.Page.Viewport> {
  const { cssContentSize } = await tab.send('Page.getLayoutMetrics');
  const page = { width: wholePixels(cssContentSize.width), height: wholePixels(cssContentSize.height) };
  return { x: 0, y: 0, ...withinLimits(page, 'page', onCut), scale: 1 };
}

const wholePixels = (side: number) => Math.max(1, Math.ceil(side));
const sizeOf = ({ width, height }: Size) => `${wholePixels(width)} × ${wholePixels(height)}`;

type Size = Pick<Protocol.DOM.Rect, 'width' | 'height'>;

/**
 * Returns how much of so large a page or element a picture can show, from its start.
 * @param onCut called with a sentence that says what is missing
 */
export function withinLimits(whole: Size, what: 'page' | 'element', onCut: (lacking: string) => void): Size {
  const width = Math.min(whole.width, maxSide);
  const shown = { width, height: Math.min(whole.height, maxSide, Math.floor(maxPixels / width)) };
  if (shown.width < whole.width || shown.height < whole.height)
    onCut(`The screenshot shows only the first ${sizeOf(shown)} pixels of the ${what}, which has ${sizeOf(whole)}.`);
  return shown;
}
