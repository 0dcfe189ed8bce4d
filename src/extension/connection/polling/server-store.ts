import { Signal } from '../../ui/lifecycle.ts';
import type { ServerState } from './server-state.ts';

/** What a view reads from the server, and whether that is up to date. `Own` are states that only this view has. */
export abstract class ServerStore<Change = void, Own = never> {
  readonly onChange = new Signal<Change>();
  protected readonly now: () => number;
  #state: ServerState | Own = { kind: 'not-started' };
  #updatedAt: number | undefined;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  get state(): ServerState | Own {
    return this.#state;
  }

  /** When it was last read; undefined before the first read. */
  get updatedAt(): number | undefined {
    return this.#updatedAt;
  }

  /** Notes why it can't be read again: what is known stays, and is shown as stale. Returns whether that is news. */
  protected note(state: ServerState | Own): boolean {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return false;
    this.#state = state;
    return true;
  }

  protected noteRead(): void {
    this.#updatedAt = this.now();
    this.#state = { kind: 'ready' };
  }

  /** Notes that nothing is known anymore. */
  protected noteEmpty(state: ServerState | Own): void {
    this.#updatedAt = undefined;
    this.#state = state;
  }
}
