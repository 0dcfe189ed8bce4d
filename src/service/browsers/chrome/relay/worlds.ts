import type { CdpMessage } from '../messages.ts';

/** Commands with which clients create isolated worlds, and where they name them. */
const creates = new Set(['Page.createIsolatedWorld', 'Page.addScriptToEvaluateOnNewDocument']);

/** Keeps the isolated worlds that a client creates for itself from the other clients. */
export class Worlds {
  /** The clients that have created worlds of a name. */
  #owners = new Map<string, Set<object>>();
  /** Execution contexts that are kept from a CDP session. */
  #hidden = new Map<string, Set<unknown>>();

  command(client: object, { method, params }: CdpMessage): void {
    const name = params?.worldName;
    if (typeof name !== 'string' || name === '' || !creates.has(method ?? '')) return;
    const owners = this.#owners.get(name) ?? new Set();
    this.#owners.set(name, owners.add(client));
  }

  /** Returns whether an event isn't about a world of another client. */
  shows(client: object, sessionId: string, event: CdpMessage): boolean {
    const { method } = event;
    if (!method?.startsWith('Runtime.')) return true;
    const hidden = this.#hidden.get(sessionId);
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
    const { executionContextId } = event.params ?? {};
    if (method === 'Runtime.executionContextDestroyed') return !hidden.delete(executionContextId);
    return !hidden.has(executionContextId);
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
