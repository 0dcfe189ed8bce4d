import type { LivePick } from '../../../contract/sessions/live-view.ts';
import type { CdpSend, Protocol } from '../chrome/protocol.ts';
import { activeElementScript } from './input/selection.ts';

type EvaluateRequest = Protocol.Runtime.EvaluateRequest;

/** Returns the context of the service's own world in a frame: the page's scripts neither see nor change what is in it. */
export async function worldOf(send: CdpSend, frameId: string, worldName = 'live-view'): Promise<number> {
  return (await send('Page.createIsolatedWorld', { frameId, worldName })).executionContextId;
}

/** A node of a page, and the frame that it is in. */
export interface PageNode {
  node: number;
  frame: string;
}

/** Returns the object of a node in that world. */
export async function objectOf(
  send: CdpSend,
  { node: backendNodeId, frame }: PageNode,
  options: { objectGroup?: string; worldName?: string } = {},
): Promise<string> {
  const { worldName, ...group } = options;
  const executionContextId = await worldOf(send, frame, worldName);
  const { object } = await send('DOM.resolveNode', { backendNodeId, executionContextId, ...group });
  return object.objectId ?? '';
}

/** Evaluates an expression in that world. */
export async function evaluateIn(send: CdpSend, frameId: string, options: Omit<EvaluateRequest, 'contextId'>) {
  return (await send('Runtime.evaluate', { ...options, contextId: await worldOf(send, frameId) })).result;
}

/** Calls a function with an object of a page as `this`. */
export async function callOn(send: CdpSend, objectId: string, functionDeclaration: string, ...args: unknown[]) {
  const values = args.map((value) => ({ value }));
  return await send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration,
    arguments: values,
    returnByValue: true,
  });
}

/** Returns the object of the element with the focus; undefined if there is none. */
export async function focusedObject(
  send: CdpSend,
  mainFrame: string,
  group: { objectGroup?: string } = {},
): Promise<string | undefined> {
  const expression = `(() => { ${activeElementScript} return field; })()`;
  return (await evaluateIn(send, mainFrame, { ...group, expression })).objectId;
}

/** Returns the node at a point of a page's viewport. */
export async function nodeAt(send: CdpSend, mainFrame: string, point: { x: number; y: number }): Promise<PageNode> {
  const { cssVisualViewport } = await send('Page.getLayoutMetrics');
  const { backendNodeId, frameId = mainFrame } = await send('DOM.getNodeForLocation', {
    x: Math.round(point.x + cssVisualViewport.pageX),
    y: Math.round(point.y + cssVisualViewport.pageY),
    includeUserAgentShadowDOM: false,
  });
  return { node: backendNodeId, frame: frameId };
}

/** Returns the box around a quad. */
export function boxOf(quad: readonly number[]): LivePick['box'] {
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
