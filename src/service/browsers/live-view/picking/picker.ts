import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { LivePick } from '../../../../contract/sessions/live-view.ts';
import type { CdpSend, Protocol } from '../../chrome/protocol.ts';
import { programs } from '../../runners/programs.ts';
import { boxOf, callOn, nodeAt, objectOf, type PageNode, worldOf } from '../page-objects.ts';

const worldName = 'live-view-picker';
/** How Playwright's selectors lead into a frame. */
const enterFrame = ' >> internal:control=enter-frame >> ';
const maxFrames = 10;
const maxLocator = 2_000;

let script: Promise<string> | undefined;

/** Returns the element at a point of a page's viewport with its best locator; undefined if there is none. The page notices nothing. */
export async function pickAt(
  send: CdpSend,
  mainFrame: string,
  point: { x: number; y: number },
): Promise<LivePick | undefined> {
  const at = await nodeAt(send, mainFrame, point);
  const { model } = await send('DOM.getBoxModel', { backendNodeId: at.node });
  const found = await locatorsOf(send, mainFrame, at);
  return found && { box: boxOf(model.border), ...found };
}

/** Returns the best locator of an element of a frame in each language; undefined if there is none. */
export async function locatorsOf(
  send: CdpSend,
  mainFrame: string,
  at: PageNode,
): Promise<Omit<LivePick, 'box'> | undefined> {
  let { node, frame } = at;
  let selector = await selectorOf(send, at);
  for (let depth = 0; frame !== mainFrame && selector; depth++) {
    if (depth > maxFrames) return undefined;
    node = (await send('DOM.getFrameOwner', { frameId: frame })).backendNodeId;
    frame = await frameOf(send, node);
    const owner = await selectorOf(send, { node, frame });
    selector = owner && `${owner}${enterFrame}${selector}`;
  }
  if (!selector) return undefined;
  const [javascript, python] = await Promise.all(
    ['javascript', 'python'].map((language) => locatorOf(send, mainFrame, language, selector)),
  );
  if (!javascript || !python || javascript.length > maxLocator) return undefined;
  return { javascript, python };
}

/** Returns the frame that an element is in. */
export async function frameOf(send: CdpSend, node: number): Promise<string> {
  const { frameTree } = await send('Page.getFrameTree');
  for (const frame of flat(frameTree)) {
    const isIn = 'function() { return this.ownerDocument.defaultView === globalThis; }';
    const { result } = await callOn(send, await objectOf(send, { node, frame }, { worldName }), isIn);
    if (result.value === true) return frame;
  }
  throw new Error('The frame of the element is gone.');
}

function flat({ frame, childFrames = [] }: Protocol.Page.FrameTree): string[] {
  return [frame.id, ...childFrames.flatMap(flat)];
}

/** Returns the context with Playwright's script in it, which is loaded once for a document. */
async function preparedWorld(send: CdpSend, frameId: string): Promise<number> {
  const contextId = await worldOf(send, frameId, worldName);
  const { result } = await send('Runtime.evaluate', { contextId, expression: 'typeof picker', returnByValue: true });
  if (result.value === 'object') return contextId;
  script ??= readInjectedScript(programs.playwright);
  const options = { isUnderTest: false, sdkLanguage: 'javascript', testIdAttributeName: 'data-testid' };
  const more = { stableRafCount: 1, browserName: 'chromium', isUtilityWorld: true, customEngines: [] };
  const created = await send('Runtime.evaluate', {
    contextId,
    expression: `globalThis.picker = (() => { const module = {}; ${await script}
return new (module.exports.InjectedScript())(globalThis, ${JSON.stringify({ ...options, ...more })}); })(); 0`,
    returnByValue: true,
  });
  if (created.exceptionDetails) throw new Error('The script for locators failed.');
  return contextId;
}

async function selectorOf(send: CdpSend, at: PageNode): Promise<string | undefined> {
  await preparedWorld(send, at.frame);
  const objectId = await objectOf(send, at, { worldName });
  const { result } = await callOn(
    send,
    objectId,
    `function() {
      const element = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
      return element ? picker.generateSelectorSimple(element) : '';
    }`,
  );
  await send('Runtime.releaseObject', { objectId });
  const { value } = result;
  return typeof value === 'string' && value ? value : undefined;
}

async function locatorOf(
  send: CdpSend,
  frame: string,
  language: string,
  selector: string,
): Promise<string | undefined> {
  const contextId = await preparedWorld(send, frame);
  const expression = `picker.utils.asLocator(${JSON.stringify(language)}, ${JSON.stringify(selector)})`;
  const { result } = await send('Runtime.evaluate', { contextId, expression, returnByValue: true });
  const { value } = result;
  return typeof value === 'string' ? `page.${value}` : undefined;
}

/** Where the bundle of Playwright assigns the script that it injects into pages. */
const assignment = /injectedScriptSource\.ts"\(\)\s*\{\s*(?:(["'])use strict\1;)?\s*[\w$]+\s*=\s*(["'`])/;

/** Reads the script that Playwright injects into pages, which has its generator of locators. @param folder of playwright-core */
export async function readInjectedScript(folder: string): Promise<string> {
  return injectedScriptIn(await readFile(join(folder, 'lib', 'coreBundle.js'), 'utf8'));
}

/** Returns the injected script of a bundle of Playwright, as it is released or shortened. */
export function injectedScriptIn(bundle: string): string {
  const found = assignment.exec(bundle);
  if (!found) throw new Error('This version of Playwright has no script for locators where it is expected.');
  const quote = found[2] ?? '';
  const start = found.index + found[0].length - 1;
  let end = start + 1;
  while (end < bundle.length && bundle[end] !== quote) end += bundle[end] === '\\' ? 2 : 1;
  // A literal of our own copy of Playwright: nothing in it is evaluated.
  return String(runInNewContext(bundle.slice(start, end + 1)));
}
