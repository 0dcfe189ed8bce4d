import { getOrAdd, keepLast } from '../../../platform/maps.ts';
import type { CdpClient } from '../../chrome/cdp-client.ts';

/** The element that a reference stands for. */
export interface Referenced {
  /** The document that the element was in when it was last seen. */
  loaderId: string;
  backendNodeId: number;
}

/** Maximum number of references that a browser keeps; the oldest are forgotten first. */
const maxRefs = 50_000;

/**
 * The references of a browser's elements, such as e12. An element keeps its reference as long as its document lives, and a
 * number is never used twice: a reference from an old snapshot can be stale, but never means another element.
 */
export class Refs {
  #last = 0;
  #byElement = new Map<string, string>();
  #elements = new Map<string, Referenced>();

  /** Returns the reference of an element. */
  of(element: Referenced): string {
    const key = keyOf(element);
    const known = this.#byElement.get(key);
    if (known) return known;
    const ref = `e${++this.#last}`;
    this.#byElement.set(key, ref);
    const oldest = keepLast(this.#elements, ref, element, maxRefs);
    if (oldest) this.#byElement.delete(keyOf(oldest));
    return ref;
  }

  /** Returns the element of a reference, which may be written as `e12`, `[e12]` or `@e12`. */
  find(ref: string): Referenced | undefined {
    return this.#elements.get(ref.trim().replace(/^[@[]+|\]$/g, ''));
  }
}

const keyOf = ({ loaderId, backendNodeId }: Referenced) => `${loaderId} ${backendNodeId}`;

const refsOfBrowsers = new WeakMap<CdpClient, Refs>();

/** Returns the references of a browser. */
export function refsOf(client: CdpClient): Refs {
  return getOrAdd(refsOfBrowsers, client, () => new Refs());
}
