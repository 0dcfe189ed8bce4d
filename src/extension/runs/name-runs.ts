import { type Disposable, Disposables, type Signal } from '../ui/lifecycle.ts';
import type { RunStore } from './run-store.ts';

/** How long after its end a run takes its name from lists of sessions: the page may still be on its way to them. */
const settlesWithinMs = 2_000;

/** The sessions of the target, as last read. */
interface Sessions {
  find(id: string): { name: string } | undefined;
  /** When the list was last read, in milliseconds since 1970. */
  readonly updatedAt: number | undefined;
  readonly onChange: Pick<Signal<unknown>, 'on'>;
}

/**
 * Gives each run that ends the name that its session has then: that of the page it ended on. One that another run of the
 * session follows before the list is read gets none, since the page may be that of the other.
 */
export function nameRuns(parts: {
  runs: RunStore;
  sessions: Sessions;
  /** Reads the list of sessions soon. */
  read(): void;
  now(): number;
}): Disposable {
  const { runs, sessions, read, now } = parts;
  const disposables = new Disposables();
  const running = new Set<string>();
  /** The run that ended last, by session. */
  const ended = new Map<string, { id: string; at: number }>();

  disposables.add(
    runs.onChange.on((change) => {
      if (change.kind !== 'added' && change.kind !== 'changed') return;
      const { id, sessionId, state, phase } = change.run;
      if (state !== 'running') {
        if (!running.delete(id) || !sessionId) return;
        ended.set(sessionId, { id, at: now() });
        read();
      } else {
        running.add(id);
        // Without a phase, its code runs.
        if (phase === undefined) ended.delete(sessionId);
      }
    }),
  );
  disposables.add(
    sessions.onChange.on(() => {
      for (const [sessionId, run] of ended) {
        if ((sessions.updatedAt ?? 0) < run.at) continue;
        const name = sessions.find(sessionId)?.name;
        if (name) runs.nameSession(run.id, name);
        if (now() - run.at > settlesWithinMs) ended.delete(sessionId);
      }
    }),
  );
  return disposables;
}
