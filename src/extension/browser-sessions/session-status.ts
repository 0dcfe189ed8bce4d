import type { Connection } from '../connection/connection.ts';
import type { MenuSession } from '../connection/status-bar/menu.ts';
import type { StatusBar } from '../connection/status-bar/status-bar.ts';
import type { Status } from '../connection/status-bar/status-texts.ts';
import { Disposables, type Signal } from '../ui/lifecycle.ts';
import { sessionTexts } from './session-texts.ts';
import { deadlineOf, idleLimit, type SessionsStore } from './sessions-store.ts';

interface Busy {
  isBusy(sessionId: string): boolean;
  readonly onBusyChanged: Signal<string>;
}

/** Shows the current session in the status bar. */
export function showStatus(statusBar: StatusBar, store: SessionsStore, connection: Connection, runs: Busy): void {
  const read = (): Status => {
    const { target, trouble, activity } = connection;
    const { current } = store;
    const session = current && {
      ...current,
      expiresAt: deadlineOf(current, Date.now()),
      idleSeconds: idleLimit(current),
      busy: runs.isBusy(current.id),
    };
    return { target, session, trouble, activity };
  };
  statusBar.show(read, (listener) => {
    const listeners = new Disposables();
    const { onDidChange, onActivityChanged } = connection;
    for (const signal of [store.onChange, onDidChange, onActivityChanged, runs.onBusyChanged])
      listeners.add(signal.on(listener));
    return listeners;
  });
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
