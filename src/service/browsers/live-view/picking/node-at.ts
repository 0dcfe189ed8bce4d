import type { LivePick } from '../../../../contract/sessions/live-view.ts';

/** Sends a command to the page of a tab. */
export type Send = (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** Returns the node at a point of a page's viewport, and the frame that it is in. */
export async function nodeAt(
  send: Send,
  mainFrame: string,
  point: { x: number; y: number },
): Promise<{ backendNodeId: number; frameId: string }> {
  const { cssVisualViewport } = await send('Page.getLayoutMetrics');
  const { pageX, pageY } = cssVisualViewport as { pageX: number; pageY: number };
  const found = await send('DOM.getNodeForLocation', {
    x: Math.round(point.x + pageX),
    y: Math.round(point.y + pageY),
    includeUserAgentShadowDOM: false,
  });
  return { backendNodeId: Number(found.backendNodeId), frameId: String(found.frameId ?? mainFrame) };
}

/** Returns the box around a quad. */
export function boxOf(quad: readonly number[]): LivePick['box'] {
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
