/** A place in the service where something outside of it is asked for: a write, a child process, a thread or a CDP command. */
export interface FaultPoint {
  /** Stays the same from run to run: kind, what is done, and the code that does it. */
  id: string;
  kind: 'disk' | 'database' | 'process' | 'thread' | 'cdp';
}

/** How a point fails. */
export type FaultMode =
  /** Every write fails, as on a full disk. */
  | 'no space'
  /** What is to be removed or replaced is in use. */
  | 'busy'
  /** The program doesn't exist. */
  | 'no program'
  /** The system has no memory for another process or thread. */
  | 'no memory'
  /** The service has no file descriptor left. */
  | 'no descriptors'
  /** The connection to the PostgreSQL server ends. */
  | 'lost'
  /** The browser answers with an error. */
  | 'refused'
  /** The browser is killed instead. */
  | 'killed';

const modes: Readonly<Record<FaultPoint['kind'], readonly FaultMode[]>> = {
  disk: ['no space'],
  database: ['no space'],
  process: ['no memory', 'no program', 'no descriptors'],
  thread: ['no memory'],
  cdp: ['refused', 'killed'],
};

/** Name of the database of points in PostgreSQL. */
export const onPostgres = 'PostgreSQL';

/** Ways in which a point can fail. */
export function modesOf({ id, kind }: FaultPoint): readonly FaultMode[] {
  if (/^disk: (?:rm|rmdir|unlink) /.test(id)) return ['busy'];
  return id.startsWith(`database: ${onPostgres}`) ? ['no space', 'lost'] : modes[kind];
}

/** To the service's process. */
export type ToService =
  /** The next time that the service comes to the point, it fails; undefined: none does. */
  | { type: 'arm'; point: string | undefined; mode: FaultMode }
  /** Every write to disk and database fails, or works again. */
  | { type: 'full'; full: boolean }
  /** No folder can be removed, as if each were in use, or each can again. */
  | { type: 'stuck'; stuck: boolean }
  /** Every point counts as new again. */
  | { type: 'forget' }
  | { type: 'ping'; number: number };

/** From the service's process. */
export type FromService =
  | { type: 'seen'; point: FaultPoint }
  | { type: 'fired'; point: string }
  /** Everything that was sent before the ping is known in all threads. */
  | { type: 'pong'; number: number };
