import type { TokenUsagePeriod } from '../../contract/team/team.ts';
import type { ServerState } from '../connection/polling/server-state.ts';
import { Signal } from '../ui/lifecycle.ts';
import { monthsOf, type UsageMonth } from './months.ts';

/** Token usage by month, in total or by API key. */
export class UsageStore {
  readonly onChange = new Signal<void>();
  #months: readonly UsageMonth[] = [];
  #byApiKey = false;
  #tokensPerCredit = 1;
  #state: ServerState = { kind: 'not-started' };
  #updatedAt: number | undefined;
  #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Oldest first. */
  get months(): readonly UsageMonth[] {
    return this.#months;
  }

  get byApiKey(): boolean {
    return this.#byApiKey;
  }

  get tokensPerCredit(): number {
    return this.#tokensPerCredit;
  }

  get state(): ServerState {
    return this.#state;
  }

  get updatedAt(): number | undefined {
    return this.#updatedAt;
  }

  /** Switches between total usage and usage by API key. The current months stay until the next refresh. */
  setByApiKey(byApiKey: boolean): void {
    if (byApiKey === this.#byApiKey) return;
    this.#byApiKey = byApiKey;
    this.onChange.fire();
  }

  setPeriods(periods: readonly TokenUsagePeriod[], tokensPerCredit: number): void {
    this.#months = monthsOf(periods, this.#now());
    this.#tokensPerCredit = tokensPerCredit;
    this.#updatedAt = this.#now();
    this.#state = { kind: 'ready' };
    this.onChange.fire();
  }

  /** Sets why there is no fresh usage. The last months stay and are shown as stale. */
  setState(state: ServerState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.onChange.fire();
  }

  /** Removes everything: the target changed, or the service is gone. */
  clear(state: ServerState): void {
    this.#months = [];
    this.#updatedAt = undefined;
    this.#state = state;
    this.onChange.fire();
  }
}
