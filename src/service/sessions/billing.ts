import type { DatabaseSync } from 'node:sqlite';
import type { Caller } from '../http/keys.ts';
import { transaction } from '../storage/storage.ts';
import type { Ledger } from '../team/ledger.ts';
import { sessionCredits } from './credits.ts';
import type { SessionStatus, SessionTable } from './session-table.ts';

/** How a session ended, as far as its bill is concerned. */
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

/** Stores the ends of sessions together with what they cost. */
export interface Billing {
  /** Whole-ttl cost of a session that is asked for, beside those that run: throws 402 when it is more than is left. */
  require(team: string, ttl: number, runningTtls: readonly number[]): void;
  /** Stores the end and books its credits, both or neither. */
  end(session: EndedSession): void;
  /** Ends, at their last activity, the sessions that a service left which died. */
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
          reason: 'the service ended',
          durationMs: endedAt - row.created_at,
          prompted: false,
        });
      }
    },
  };
}
