import { sql } from 'kysely';
import { limits } from '../../../contract/limits.ts';
import type { TokenUsagePeriod } from '../../../contract/team/team.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Caller } from '../http/keys.ts';
import { type Database, lockTeam } from '../storage/storage.ts';

/** What a charge is for. */
export type ChargeKind = 'scrape' | 'crawl' | 'batch_scrape' | 'map' | 'search' | 'browser' | 'agent' | 'extract';

/** The credits of all teams: spent by month (UTC) and key, and remaining. */
export type Ledger = ReturnType<typeof createLedger>;

/** Reported as the plan of a service without a limit, because published clients need a number. */
const unlimited = 1_000_000_000;

/**
 * @param plan credits that a team can spend per month; undefined: no limit
 * @param onCharge called with each charge, before it is committed
 */
export function createLedger(
  database: Database,
  clock: Clock,
  plan: number | undefined,
  onCharge: (caller: Caller, credits: number) => void = () => undefined,
) {
  /** Returns the credits that a team has used this month. */
  async function spentBy(team: string, db: Database): Promise<number> {
    const { spent } = await db
      .selectFrom('credit_usage')
      .select(({ fn }) => fn.coalesce(fn.sum<number>('credits'), sql.lit(0)).as('spent'))
      .where('team', '=', team)
      .where('month', '=', monthOf(clock.now()))
      .executeTakeFirstOrThrow();
    return spent;
  }
  /** Credits left this month; undefined if there is no limit. */
  async function remaining(team: string, db: Database = database): Promise<number | undefined> {
    return plan === undefined ? undefined : Math.max(0, plan - (await spentBy(team, db)));
  }
  return {
    /** Whether teams can spend only so much in a month. */
    limited: plan !== undefined,
    /**
     * Charges credits to the caller's team and key in the current month. Call it within the transaction that stores the
     * result, so that each result is charged exactly once. `charges` is how many results they are for.
     */
    async charge(caller: Caller, kind: ChargeKind, credits: number, db: Database = database, charges = 1) {
      const { team, keyLabel } = caller;
      if (!Number.isSafeInteger(credits) || credits < 0)
        throw new Error(`A charge must be a whole number of credits, got ${credits}.`);
      await db
        .insertInto('credit_usage')
        .values({ team, month: monthOf(clock.now()), key_label: keyLabel, kind, credits, charges })
        .onConflict((conflict) =>
          conflict.columns(['team', 'month', 'key_label', 'kind']).doUpdateSet(({ eb, ref }) => ({
            credits: eb('credit_usage.credits', '+', ref('excluded.credits')),
            charges: eb('credit_usage.charges', '+', ref('excluded.charges')),
          })),
        )
        .execute();
      onCharge(caller, credits);
    },
    remaining,
    /** Throws 402 if fewer than `needed` credits are left. In a transaction, it holds until that is committed. */
    async require(team: string, needed: number, db: Database = database): Promise<void> {
      if (plan === undefined) return;
      if (db.isTransaction) await lockTeam(db, team);
      const left = await remaining(team, db);
      if (left === undefined || left >= needed) return;
      throw new ServiceError(
        402,
        `Insufficient credits to perform this request: it needs ${needed}, and ${left} are left this month. Restart the service with a higher --credits.`,
        { code: 'INSUFFICIENT_CREDITS' },
      );
    },
    async balance(team: string) {
      const { start, end } = boundsOf(monthOf(clock.now()));
      return {
        // Clients show the difference as what was used, even without a limit.
        remainingCredits: Math.max(0, (plan ?? unlimited) - (await spentBy(team, database))),
        planCredits: plan ?? unlimited,
        billingPeriodStart: new Date(start).toISOString(),
        billingPeriodEnd: new Date(end).toISOString(),
      };
    },
    /** Usage per month, oldest first; with `byApiKey`, a period for each month and key that was used. */
    async periods(team: string, byApiKey: boolean): Promise<TokenUsagePeriod[]> {
      const used = database
        .selectFrom('credit_usage')
        .select(({ fn }) => ['month', fn.sum<number>('credits').as('credits')])
        .where('team', '=', team)
        .groupBy('month')
        .orderBy('month');
      if (byApiKey) {
        const rows = await used.select('key_label').groupBy('key_label').orderBy('key_label').execute();
        return rows.map(({ month, key_label, credits }) => period(month, credits, key_label));
      }
      const credits = new Map((await used.execute()).map((row) => [row.month, row.credits]));
      const now = monthOf(clock.now());
      const [first = now] = credits.keys();
      const last = [...credits.keys()].at(-1) ?? now;
      return monthsBetween(first, last > now ? last : now).map((month) => period(month, credits.get(month) ?? 0));
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
