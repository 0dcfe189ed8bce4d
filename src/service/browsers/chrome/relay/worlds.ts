import type { CdpMessage, CdpText } from '../messages.ts';

/** Commands with which clients create isolated worlds, and where they name them. */
const creates = new Set(['Page.createIsolatedWorld', 'Page.addScriptToEvaluateOnNewDocument']);

/** How many names are remembered, and the characters of each: no client has as many. */
const [maxNames, longestName] = [1_000, 1_000];

/** Keeps the isolated worlds that a client creates for itself from the other clients. */
export class Worlds {
  /** The clients that have created worlds of a name. */
  #owners = new Map<string, Set<object>>();
  /** Execution contexts that are kept from a CDP session. */
  #hidden = new Map<string, Set<unknown>>();

  command(client: object, { method, params }: CdpMessage): void {
    const name = params?.worldName;
    if (typeof name !== 'string' || name === '' || name.length > longestName || !creates.has(method ?? '')) return;
    const owners = this.#owners.get(name) ?? new Set();
    owners.add(client);
    if (this.#owners.size < maxNames) this.#owners.set(name, owners);
  }

  /** Returns whether an event isn't about a world of another client. */
  shows(client: object, sessionId: string, event: CdpMessage, text: CdpText): boolean {
    const { method } = event;
    if (!method?.startsWith('Runtime.')) return true;
    const hidden = this.#hidden.get(sessionId);
    if (typeof text !== 'string') return !hidden?.has(contextIn(text));
    if (method === 'Runtime.executionContextCreated') {
      const { id, name, auxData } = (event.params?.context ?? {}) as Record<string, unknown>;
      const owners = this.#owners.get(String(name));
      const isMain = (auxData as { isDefault?: unknown } | undefined)?.isDefault !== false;
      if (isMain || !owners || owners.has(client)) return true;
      this.#hidden.set(sessionId, (hidden ?? new Set()).add(id));
      return false;
    }
    if (method === 'Runtime.executionContextsCleared') this.#hidden.delete(sessionId);
    if (!hidden) return true;
    const { executionContextId, exceptionDetails } = event.params ?? {};
    if (method === 'Runtime.executionContextDestroyed') return !hidden.delete(executionContextId);
    return !hidden.has(executionContextId ?? (exceptionDetails as typeof event.params)?.executionContextId);
  }

  detached(sessionId: string): void {
    this.#hidden.delete(sessionId);
  }

  /** Forgets a client. */
  left(client: object): void {
    for (const [name, owners] of this.#owners)
      if (owners.delete(client) && owners.size === 0) this.#owners.delete(name);
  }
}

const key = '"executionContextId":';
/** Bytes at the end of a large event in which its context is looked for: it stands behind the values, perhaps before a stack. */
const endBytes = 1024 * 1024;

/** Returns the execution context that a large event is about. What it says isn't read: within texts, quotes are escaped. */
function contextIn(pieces: readonly Buffer[]): number | undefined {
  const end = Buffer.concat(pieces.slice(-2).map((piece) => piece.subarray(-endBytes)));
  const at = end.lastIndexOf(key);
  return at === -1 ? undefined : Number.parseInt(end.toString('latin1', at + key.length, at + key.length + 20), 10);
}
