import { messageOf } from './errors.ts';
import type { WindowLink } from './link/link.ts';
import type { Log } from './log.ts';

/** What happens in one part of the service and matters to parts that it doesn't know. */
export interface EventTypes {
  /** A session may be needed soon, since a window has opened. */
  warm: undefined;
  linkGone: WindowLink;
  /** The last window has closed, and the service goes on for so long. */
  windowsGone: { keepSeconds: number };
  /** The search engine in a window's settings; null if it has none. */
  searchEndpoint: { from: WindowLink; endpoint: string | null };
  /** The ID of a key that has just been revoked. */
  keyRevoked: string;
  /** A person has taken or released control of a session in a live view. */
  sessionControlled: { team: string; sessionId: string; controlled: boolean };
  /** The ID of a session that has ended. */
  sessionEnded: string;
}

export type Events = ReturnType<typeof createEvents>;

export function createEvents(log: Log) {
  const listeners: { [Name in keyof EventTypes]?: unknown } = {};
  const of = <Name extends keyof EventTypes>(name: Name) => {
    listeners[name] ??= [];
    return listeners[name] as ((value: EventTypes[Name]) => void)[];
  };
  return {
    /** Calls `listener` for each event from now on. */
    on: <Name extends keyof EventTypes>(name: Name, listener: (value: EventTypes[Name]) => void): void =>
      void of(name).push(listener),
    /** Calls the listeners. What one of them throws is logged, and stops neither the others nor the caller. */
    emit<Name extends keyof EventTypes>(name: Name, value: EventTypes[Name]): void {
      for (const listener of of(name)) {
        try {
          listener(value);
        } catch (error) {
          log.error({ event: name, reason: messageOf(error) }, 'a part of the service failed to handle an event');
        }
      }
    },
  };
}
