import { inspect, types } from 'node:util';
import type { JSHandle } from 'playwright-core';
import { within } from '../../../platform/async.ts';
import { handleReading, handleText } from '../handle-text.ts';
import { membersOf } from './values.ts';

const maxVisited = 10_000;
const maxHandles = 100;

/** What is shown of Playwright's objects besides their names: the values of these methods. */
const shownMethods: Readonly<Record<string, readonly string[]>> = {
  BrowserContext: ['pages'],
  Dialog: ['type', 'message'],
  Frame: ['name', 'url'],
  FrameLocator: ['owner'],
  Page: ['url'],
  Request: ['method', 'url'],
  Response: ['status', 'url'],
  Route: ['request'],
  WebSocket: ['url'],
  Worker: ['url'],
};

/** What handles stand for, as far as it was read. */
const read = new WeakMap<object, string>();

/** Shortens the inspection of Playwright's objects, which would otherwise show the whole connection, given one of them. */
export function shortenInspection(object: object): void {
  let base = object;
  for (;;) {
    const parent: unknown = Object.getPrototypeOf(base);
    if (typeof parent !== 'object' || parent === null || /EventEmitter|^Object$/.test(parent.constructor.name)) break;
    base = parent;
  }
  Object.defineProperty(base, inspect.custom, { value: describe, configurable: true, writable: true });
}

/**
 * Reads what the handles in a value stand for, so that their inspection shows it: Playwright knows of an element that has just
 * been found only that it is a node. Never throws.
 */
export async function readHandles(value: unknown): Promise<void> {
  const handles = handlesIn(value);
  if (handles.length > 0) await within(handleReading.timeoutMs, Promise.all(handles.map(readHandle)));
}

async function readHandle(handle: JSHandle): Promise<void> {
  try {
    read.set(handle, await handle.evaluate(handleText, handleReading.length));
  } catch {
    // Its page has closed or shows another document.
  }
}

/** Returns the handles in lists, maps, sets and plain objects. Calls none of a snippet's code. */
function handlesIn(value: unknown): JSHandle[] {
  const handles = new Set<JSHandle>();
  const pending = [value];
  for (let at = 0; at < pending.length && handles.size < maxHandles; at++) {
    const next = pending[at];
    if (typeof next !== 'object' || next === null || types.isProxy(next)) continue;
    if (isHandle(next)) handles.add(next);
    else if (isPlain(next)) {
      for (const member of membersOf(next)) {
        if (pending.length >= maxVisited) break;
        pending.push(member);
      }
    }
  }
  return [...handles];
}

function isPlain(value: object): boolean {
  const isList = Array.isArray(value) || types.isMap(value) || types.isSet(value);
  return isList || Object.getPrototypeOf(value) === Object.prototype;
}

function isHandle(object: object): object is JSHandle {
  return 'jsonValue' in object && (object as { [inspect.custom]?: unknown })[inspect.custom] === describe;
}

function describe(this: object): string {
  // Playwright's build decorates its class names.
  const name = this.constructor.name.replace(/^_|\d+$/g, '');
  const text = this.toString();
  if ('jsonValue' in this) {
    const shown = read.get(this) || text.replace(/^JSHandle@(?:node$)?/, '');
    return `${name} ${shown}`.trim();
  }
  if (text !== '[object Object]') return text;
  const own = this as Record<string, () => unknown>;
  const parts = (shownMethods[name] ?? []).flatMap((method) => {
    const value = own[method]?.();
    if (value === undefined || value === '') return [];
    return `${method}: ${Array.isArray(value) ? value.length : inspect(value)}`;
  });
  return parts.length > 0 ? `${name} { ${parts.join(', ')} }` : `${name} {}`;
}
