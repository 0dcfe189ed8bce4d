import type { Connection } from '../connection/connection.ts';
import type { MenuSession } from '../connection/status-bar/menu.ts';
import type { StatusSource } from '../connection/status-bar/status-texts.ts';
import { Disposables, type Signal } from '../ui/lifecycle.ts';
import { sessionTexts } from './session-texts.ts';
import { deadlineOf, idleLimit, type SessionsStore } from './sessions-store.ts';

interface Busy {
  isBusy(sessionId: string): boolean;
  readonly onBusyChanged: Signal<string>;
}

/** Provides the status bar with the current session. */
export function statusSource(store: SessionsStore, connection: Connection, runs: Busy): StatusSource {
  return {
    get target() {
      return connection.target;
    },
    get session() {
      const current = store.current;
      return (
        current && {
          ...current,
          expiresAt: deadlineOf(current, Date.now()),
          idleSeconds: idleLimit(current),
          busy: runs.isBusy(current.id),
        }
      );
    },
    get trouble() {
      return connection.trouble;
    },
    get activity() {
      return connection.activity;
    },
    onDidChange(listener) {
      const listeners = new Disposables();
      const { onDidChange, onActivityChanged } = connection;
      for (const signal of [store.onChange, onDidChange, onActivityChanged, runs.onBusyChanged])
        listeners.add(signal.on(listener));
      return listeners;
    },
  };
}

/** Returns the active sessions for the menu of the status bar. */
export function menuSessions(store: SessionsStore, runs: Busy): { list: MenuSession[]; activeCount: number } {
  const now = Date.now();
  const list = store.active.map((session) => {
    const current = store.current?.id === session.id;
    const texts = sessionTexts(session, { now, current, busy: runs.isBusy(session.id), several: false });
    return { id: session.id, label: texts.label, description: texts.description, current };
  });
  return { list, activeCount: list.length };
}
