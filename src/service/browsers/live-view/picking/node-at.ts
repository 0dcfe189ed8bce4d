import type { LivePick } from '../../../../contract/sessions/live-view.ts';
import type { CdpSend } from '../../chrome/protocol.ts';

/** Returns the node at a point of a page's viewport, and the frame that it is in. */
export async function nodeAt(
  send: CdpSend,
  mainFrame: string,
  point: { x: number; y: number },
): Promise<{ backendNodeId: number; frameId: string }> {
  const { cssVisualViewport } = await send('Page.getLayoutMetrics');
  const { backendNodeId, frameId = mainFrame } = await send('DOM.getNodeForLocation', {
    x: Math.round(point.x + cssVisualViewport.pageX),
    y: Math.round(point.y + cssVisualViewport.pageY),
    includeUserAgentShadowDOM: false,
  });
  return { backendNodeId, frameId };
}

/** Returns the box around a quad. */
export function boxOf(quad: readonly number[]): LivePick['box'] {
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
