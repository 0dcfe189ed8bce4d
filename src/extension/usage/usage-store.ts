import * as l10n from '@vscode/l10n';
import { limits } from '../../contract/limits.ts';
import type { TokenUsagePeriod } from '../../contract/team/team.ts';
import { ServerStore } from '../connection/polling/server-store.ts';
import { label, serverTime } from '../ui/text/text.ts';

/** Tokens of one month; undefined if the server reports no plausible number. */
export interface UsageMonth {
  /** `2026-11`, or `unknown`. */
  month: string;
  tokens: number | undefined;
  /** By API key, largest first; empty if the server doesn't break usage down by key. */
  keys: readonly { name: string; tokens: number | undefined }[];
}

/** Keys beyond this are combined: their colors couldn't be told apart. */
const maxKeys = 7;
const maxMonths = 24;

/** Returns the usage by month, oldest first; only the newest months if there are too many. */
export function monthsOf(periods: readonly TokenUsagePeriod[], now: number): UsageMonth[] {
  const months = new Map<string, Map<string, number | undefined>>();
  for (const period of periods) {
    const ms = serverTime(period.startDate, now);
    const month = ms === undefined ? 'unknown' : new Date(ms).toISOString().slice(0, 7);
    const keys = months.get(month) ?? new Map<string, number | undefined>();
    months.set(month, keys);
    const key = period.apiKey ? label(period.apiKey, 60) || l10n.t('unnamed') : '';
    keys.set(key, sum(keys.get(key), amount(period.totalTokens ?? period.tokensUsed)));
  }
  const byTokens = largestFirst([...months.values()].flatMap((keys) => [...keys]));
  const largest = new Set(byTokens.slice(0, byTokens.length > maxKeys + 1 ? maxKeys : undefined));
  return [...months]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(-maxMonths)
    .map(([month, keys]) => ({ month, tokens: total(keys.values()), keys: keyList(keys, largest) }));
}

/** Returns the API keys of all months, largest first; `other keys` stands for the combined ones. */
export function keyNames(months: readonly UsageMonth[]): string[] {
  return largestFirst(months.flatMap(({ keys }) => keys.map(({ name, tokens }) => [name, tokens] as const)));
}

const otherKeys = l10n.t('other keys');

function keyList(keys: ReadonlyMap<string, number | undefined>, largest: ReadonlySet<string>): UsageMonth['keys'] {
  const listed = new Map<string, number | undefined>();
  for (const [key, tokens] of keys) {
    if (key === '' && keys.size === 1) return [];
    const name = largest.has(key) ? key || l10n.t('no key') : otherKeys;
    listed.set(name, sum(listed.get(name), tokens));
  }
  return [...listed]
    .map(([name, tokens]) => ({ name, tokens }))
    .sort((one, other) => (other.tokens ?? 0) - (one.tokens ?? 0));
}

/** Returns the names of uses by their tokens in all. */
function largestFirst(uses: Iterable<readonly [name: string, tokens: number | undefined]>): string[] {
  const all = new Map<string, number>();
  for (const [name, tokens] of uses) all.set(name, (all.get(name) ?? 0) + (tokens ?? 0));
  return [...all].sort(([, one], [, other]) => other - one).map(([name]) => name);
}

function amount(tokens: number | null | undefined): number | undefined {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

function total(values: Iterable<number | undefined>): number | undefined {
  return [...values].reduce<number | undefined>(sum, undefined);
}

/** Token usage by month, in total or by API key. */
export class UsageStore extends ServerStore {
  #months: readonly UsageMonth[] = [];
  #byApiKey = false;
  readonly tokensPerCredit: number = limits.tokensPerCredit;

  /** Oldest first. */
  get months(): readonly UsageMonth[] {
    return this.#months;
  }

  get byApiKey(): boolean {
    return this.#byApiKey;
  }

  /** Switches between total usage and usage by API key. The current months stay until the next refresh. */
  setByApiKey(byApiKey: boolean): void {
    if (byApiKey === this.#byApiKey) return;
    this.#byApiKey = byApiKey;
    this.onChange.fire({ kind: 'all' });
  }

  setPeriods(periods: readonly TokenUsagePeriod[]): void {
    this.#months = monthsOf(periods, this.now());
    this.noteRead();
    this.onChange.fire({ kind: 'all' });
  }

  protected forget(): void {
    this.#months = [];
  }
}
