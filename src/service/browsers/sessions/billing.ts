import { transaction } from '../../../storage/storage.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { Database, LeftBy } from '../../platform/storage/storage.ts';
import type { Ledger } from '../../platform/team/ledger.ts';
import type { SessionStatus, SessionTable } from './session-table.ts';

/** Credits per hour of a session: code only, and once a prompt has run in it. */
const hourly = { code: 120, prompt: 420 } as const;

/** Returns the credits for a session of `durationMs`: prorated by the hour, rounded up, with a minimum of one minute. */
export function sessionCredits(durationMs: number, prompted: boolean): number {
  const rate = prompted ? hourly.prompt : hourly.code;
  return Math.max(Math.ceil(rate / 60), Math.ceil((Math.max(0, durationMs) / 3_600_000) * rate));
}

/** How a session ended, for billing. */
export interface EndedSession {
  id: string;
  caller: Caller;
  status: SessionStatus;
  /** Wall-clock milliseconds. */
  endedAt: number;
  lastActivityAt: number;
  reason: string;
  durationMs: number;
  prompted: boolean;
}

/** Records the end of sessions and charges their credits. */
export type Billing = ReturnType<typeof createBilling>;

export function createBilling(database: Database, table: SessionTable, ledger: Ledger) {
  /** Records the end and charges the credits, in one transaction; once. */
  async function end(session: EndedSession): Promise<void> {
    const { id, caller, status, endedAt, lastActivityAt, reason, durationMs, prompted } = session;
    const credits = sessionCredits(durationMs, prompted);
    await transaction(database, async (tx) => {
      const ended = await table.end(
        {
          id,
          status,
          last_activity_at: lastActivityAt,
          ended_at: endedAt,
          end_reason: reason,
          duration_ms: durationMs,
          credits_billed: credits,
        },
        tx,
      );
      if (ended) await ledger.charge(caller, 'browser', credits, tx);
    });
  }
  return {
    /** Throws 402 if the remaining credits don't cover the full ttl of a new session and of those that run. */
    async require(team: string, ttl: number, runningTtls: readonly number[], db: Database): Promise<void> {
      const cost = (seconds: number) => sessionCredits(seconds * 1000, false);
      await ledger.require(team, cost(ttl) + runningTtls.reduce((sum, running) => sum + cost(running), 0), db);
    },
    end,
    /** Ends sessions that were left behind, at the time of their last activity. */
    async endOrphans(by: LeftBy): Promise<void> {
      const [unended] = await Promise.all([table.unended(by), table.removeStarts(by)]);
      for (const row of unended) {
        const endedAt = Math.max(row.last_activity_at, row.created_at);
        await end({
          id: row.id,
          caller: { team: row.team, keyLabel: row.key_label },
          status: 'destroyed',
          endedAt,
          lastActivityAt: row.last_activity_at,
          reason: by === 'every service' ? 'the service stopped' : 'its node stopped unexpectedly',
          durationMs: endedAt - row.created_at,
          prompted: false,
        });
      }
    },
  };
}
