import type { DatabaseSync } from 'node:sqlite';
import { limits } from '../../contract/limits.ts';
import type { TokenUsagePeriod } from '../../contract/team.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Caller } from '../http/keys.ts';

/** What a charge is for. */
export type ChargeKind = 'scrape' | 'crawl' | 'batch_scrape' | 'map' | 'browser';

/** The credits of all teams: spent by month (UTC) and key, and remaining. */
export interface Ledger {
  /**
   * Charges credits to the caller's team and key in the current month. Call it within the transaction that stores the
   * result, so that each result is charged exactly once.
   */
  charge(caller: Caller, kind: ChargeKind, credits: number): void;
  /** Credits left this month; undefined if there is no limit. */
  remaining(team: string): number | undefined;
  /** Throws 402 if fewer than `needed` credits are left. */
  require(team: string, needed: number): void;
  balance(team: string): Balance;
  /** Usage per month, oldest first; with `byApiKey`, a period for each month and key that was used. */
  periods(team: string, byApiKey: boolean): TokenUsagePeriod[];
}

export type Balance = {
  remainingCredits: number;
  planCredits: number;
  /** ISO dates of the current month. */
  billingPeriodStart: string;
  billingPeriodEnd: string;
};

/** Reported as the plan of a service without a limit, because published clients need a number. */
const unlimited = 1_000_000_000;

/** @param plan credits that a team can spend per month; undefined: no limit */
export function createLedger(database: DatabaseSync, clock: Clock, plan: number | undefined): Ledger {
  const add = database.prepare(
    `INSERT INTO credit_usage (team, month, key_label, kind, credits, charges) VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET credits = credits + excluded.credits, charges = charges + 1`,
  );
  const sum = database.prepare(
    'SELECT coalesce(sum(credits), 0) AS spent FROM credit_usage WHERE team = ? AND month = ?',
  );
  const byMonth = database.prepare(
    'SELECT month, sum(credits) AS credits FROM credit_usage WHERE team = ? GROUP BY month ORDER BY month',
  );
  const byKey = database.prepare(
    `SELECT month, key_label AS key, sum(credits) AS credits FROM credit_usage WHERE team = ?
     GROUP BY month, key_label ORDER BY month, key_label`,
  );
  const spent = (team: string) => (sum.get(team, monthOf(clock.now())) as { spent: number }).spent;
  const remaining = (team: string) => (plan === undefined ? undefined : Math.max(0, plan - spent(team)));
  return {
    charge({ team, keyLabel }, kind, credits) {
      if (!Number.isSafeInteger(credits) || credits < 0)
        throw new Error(`A charge must be a whole number of credits, got ${credits}.`);
      add.run(team, monthOf(clock.now()), keyLabel, kind, credits);
    },
    remaining,
    require(team, needed) {
      const left = remaining(team);
      if (left === undefined || left >= needed) return;
      throw new ServiceError(
        402,
        `Insufficient credits to perform this request: it needs ${needed}, and ${left} are left this month. Restart the service with a higher --credits.`,
        { code: 'INSUFFICIENT_CREDITS' },
      );
    },
    balance(team) {
      const { start, end } = boundsOf(monthOf(clock.now()));
      return {
        remainingCredits: remaining(team) ?? unlimited,
        planCredits: plan ?? unlimited,
        billingPeriodStart: new Date(start).toISOString(),
        billingPeriodEnd: new Date(end).toISOString(),
      };
    },
    periods(team, byApiKey) {
      if (byApiKey) {
        const rows = byKey.all(team) as { month: Month; key: string; credits: number }[];
        return rows.map(({ month, key, credits }) => period(month, credits, key));
      }
      const credits = new Map(
        (byMonth.all(team) as { month: Month; credits: number }[]).map((row) => [row.month, row]),
      );
      const now = monthOf(clock.now());
      const [first = now] = credits.keys();
      const last = [...credits.keys()].at(-1) ?? now;
      return monthsBetween(first, last > now ? last : now).map((month) =>
        period(month, credits.get(month)?.credits ?? 0),
      );
    },
  };
}

function period(month: Month, credits: number, apiKey?: string): TokenUsagePeriod {
  const { start, end } = boundsOf(month);
  const tokens = credits * limits.tokensPerCredit;
  return {
    startDate: new Date(start).toISOString(),
    endDate: new Date(end).toISOString(),
    ...(apiKey !== undefined && { apiKey }),
    totalTokens: tokens,
    tokensUsed: tokens,
  };
}

/** A calendar month in UTC, as `YYYY-MM`. */
export type Month = string;

/** Returns the month of a wall-clock time in milliseconds. */
export function monthOf(at: number): Month {
  return new Date(at).toISOString().slice(0, 7);
}

/** Returns the start of a month and the start of the next one, in milliseconds. */
export function boundsOf(month: Month): { start: number; end: number } {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return { start: Date.UTC(year, number - 1), end: Date.UTC(year, number) };
}

/** Returns the months from `first` to `last`, inclusive; only `last` if it is before `first`. */
export function monthsBetween(first: Month, last: Month): Month[] {
  const months = [first < last ? first : last];
  for (let month = months[0] ?? last; month < last; ) {
    month = monthOf(boundsOf(month).end);
    months.push(month);
  }
  return months;
}
