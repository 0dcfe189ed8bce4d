import type { DatabaseSync } from 'node:sqlite';
import type { Caller } from '../http/keys.ts';
import { transaction } from '../storage/storage.ts';
import type { Ledger } from '../team/ledger.ts';
import { sessionCredits } from './credits.ts';
import type { SessionStatus, SessionTable } from './session-table.ts';

/** How a session ended, for billing. */
export interface EndedSession {
  id: string;
  caller: Caller;
  status: SessionStatus;
  /** Wall-clock milliseconds. */
  endedAt: number;
  reason: string;
  durationMs: number;
  prompted: boolean;
}

/** Records the end of sessions and charges their credits. */
export interface Billing {
  /** Throws 402 if the remaining credits don't cover the full ttl of a new session and of those that run. */
  require(team: string, ttl: number, runningTtls: readonly number[]): void;
  /** Records the end and charges the credits, in one transaction. */
  end(session: EndedSession): void;
  /** Ends sessions left over from a service that stopped unexpectedly, at the time of their last activity. */
  endOrphans(): void;
}

export function createBilling(database: DatabaseSync, table: SessionTable, ledger: Ledger): Billing {
  function end({ id, caller, status, endedAt, reason, durationMs, prompted }: EndedSession): void {
    const credits = sessionCredits(durationMs, prompted);
    transaction(database, () => {
      table.end({
        id,
        status,
        ended_at: endedAt,
        end_reason: reason,
        duration_ms: durationMs,
        credits_billed: credits,
      });
      ledger.charge(caller, 'browser', credits);
    });
  }
  return {
    require(team, ttl, runningTtls) {
      const cost = (seconds: number) => sessionCredits(seconds * 1000, false);
      ledger.require(team, cost(ttl) + runningTtls.reduce((sum, running) => sum + cost(running), 0));
    },
    end,
    endOrphans() {
      for (const row of table.unended()) {
        const endedAt = Math.max(row.last_activity_at, row.created_at);
        end({
          id: row.id,
          caller: { team: row.team, keyLabel: row.key_label },
          status: 'destroyed',
          endedAt,
          reason: 'the service stopped',
          durationMs: endedAt - row.created_at,
          prompted: false,
        });
      }
    },
  };
}
