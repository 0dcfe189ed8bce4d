import type { TokenUsagePeriod } from '../../contract/team/team.ts';
import { ServerStore } from '../connection/polling/server-store.ts';
import { monthsOf, type UsageMonth } from './months.ts';

/** Token usage by month, in total or by API key. */
export class UsageStore extends ServerStore {
  #months: readonly UsageMonth[] = [];
  #byApiKey = false;
  #tokensPerCredit = 1;
  protected readonly changes = { all: undefined, state: undefined };

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

  /** Switches between total usage and usage by API key. The current months stay until the next refresh. */
  setByApiKey(byApiKey: boolean): void {
    if (byApiKey === this.#byApiKey) return;
    this.#byApiKey = byApiKey;
    this.onChange.fire();
  }

  setPeriods(periods: readonly TokenUsagePeriod[], tokensPerCredit: number): void {
    this.#months = monthsOf(periods, this.now());
    this.#tokensPerCredit = tokensPerCredit;
    this.noteRead();
    this.onChange.fire();
  }

  protected forget(): void {
    this.#months = [];
  }
}
