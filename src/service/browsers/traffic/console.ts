import type { CdpClient } from '../chrome/cdp-client.ts';
import { type Kept, keepEntries, keptText } from './kept.ts';

type Params = Record<string, unknown>;

export type ConsoleLevel = 'error' | 'warning' | 'info' | 'log' | 'debug';

/** A line of a page's console: what a script logged, an exception, or a message of the browser. */
export interface ConsoleEntry extends Kept {
  level: ConsoleLevel;
  source: 'console' | 'exception' | 'browser';
  /** Wall-clock milliseconds. */
  at: number;
  text: string;
  url?: string;
  /** From 1. */
  line?: number;
  column?: number;
}

interface RemoteObject {
  type: string;
  subtype?: string;
  value?: unknown;
  unserializableValue?: string;
  description?: string;
  preview?: { properties: { name: string; value?: string; type: string }[]; overflow: boolean; subtype?: string };
}

interface StackTrace {
  callFrames: { url: string; lineNumber: number; columnNumber: number }[];
}

const maxEntries = 1000;
const maxText = 10_000;
const maxUrl = 8_000;
/** After this many values, those that pages have logged are released: otherwise they would stay in memory. */
const releaseEvery = 100;
/** Pages that log more than this many lines in a second aren't followed for the rest of it. */
const maxPerSecond = 1000;

const levels: Readonly<Record<string, ConsoleLevel>> = {
  error: 'error',
  assert: 'error',
  warning: 'warning',
  info: 'info',
  debug: 'debug',
  verbose: 'debug',
};

/** What a console records: the entries, and how a target is followed. */
export type ConsoleRecord = ReturnType<typeof recordConsole>;

/** Records the consoles of the targets that it follows. */
export function recordConsole(client: CdpClient) {
  const entries = keepEntries<ConsoleEntry>('c', maxEntries);
  const pace = new Map<string, { since: number; lines: number; paused: boolean; newest: number }>();
  let sinceRelease = 0;

  /** Whether a line may be added; too many of them pause their target. */
  function admits(sessionId: string, at: number): boolean {
    const state = pace.get(sessionId) ?? { since: 0, lines: 0, paused: false, newest: 0 };
    pace.set(sessionId, state);
    // Chrome reports earlier lines again when it is asked to report.
    if (at <= state.newest) return false;
    state.newest = at;
    const now = performance.now();
    if (now - state.since > 1000) Object.assign(state, { since: now, lines: 0 });
    if (++state.lines > maxPerSecond && !state.paused) {
      state.paused = true;
      client.send('Runtime.disable', {}, sessionId).catch(() => undefined);
      setTimeout(() => {
        state.paused = false;
        if (pace.has(sessionId)) client.send('Runtime.enable', {}, sessionId).catch(() => undefined);
      }, 1000).unref();
    }
    if (++sinceRelease % releaseEvery === 0)
      client.send('Runtime.releaseObjectGroup', { objectGroup: 'console' }, sessionId).catch(() => undefined);
    return true;
  }

  client.on('Runtime.consoleAPICalled', ({ type, args, timestamp, stackTrace }, sessionId = '') => {
    if (type === 'clear' || type === 'endGroup' || !admits(sessionId, Number(timestamp))) return;
    entries.add({
      level: levels[String(type)] ?? 'log',
      source: 'console',
      at: Number(timestamp),
      text: textOf(args as RemoteObject[]),
      ...placeOf(stackTrace as StackTrace | undefined),
    });
  });
  client.on('Runtime.exceptionThrown', ({ timestamp, exceptionDetails }, sessionId = '') => {
    if (!admits(sessionId, Number(timestamp))) return;
    const { text, exception, url, lineNumber, columnNumber, stackTrace } = exceptionDetails as {
      text: string;
      exception?: RemoteObject;
      url?: string;
      lineNumber: number;
      columnNumber: number;
      stackTrace?: StackTrace;
    };
    const thrown = exception && (exception.description ?? shown(exception));
    entries.add({
      level: 'error',
      source: 'exception',
      at: Number(timestamp),
      text: keptText(`${text}${thrown ? ` ${thrown}` : ''}`, maxText),
      ...(url ? { url: keptText(url, maxUrl), line: lineNumber + 1, column: columnNumber + 1 } : placeOf(stackTrace)),
    });
  });
  client.on('Log.entryAdded', ({ entry }) => {
    const { level, text, timestamp, url, lineNumber } = entry as {
      level: string;
      text: string;
      timestamp: number;
      url?: string;
      lineNumber?: number;
    };
    entries.add({
      level: levels[level] ?? 'log',
      source: 'browser',
      at: timestamp,
      text: keptText(text, maxText),
      ...(url && { url: keptText(url, maxUrl), ...(lineNumber !== undefined && { line: lineNumber + 1 }) }),
    });
  });
  client.on('Target.detachedFromTarget', ({ sessionId }: Params) => void pace.delete(String(sessionId)));
  return {
    entries,
    /** Commands that make a target report. */
    follow: (sessionId: string): Promise<unknown> =>
      Promise.all([client.send('Runtime.enable', {}, sessionId), client.send('Log.enable', {}, sessionId)]),
  };
}

function placeOf(stackTrace: StackTrace | undefined): Pick<ConsoleEntry, 'url' | 'line' | 'column'> {
  const [top] = stackTrace?.callFrames ?? [];
  return top?.url ? { url: keptText(top.url, maxUrl), line: top.lineNumber + 1, column: top.columnNumber + 1 } : {};
}

function textOf(args: readonly RemoteObject[]): string {
  return keptText(args.map(shown).join(' '), maxText);
}

/** Shows a logged value as developer tools do, in one line. */
function shown({ type, subtype, value, unserializableValue, description, preview }: RemoteObject): string {
  if (type === 'undefined') return 'undefined';
  if (subtype === 'null') return 'null';
  if (unserializableValue !== undefined) return unserializableValue;
  if (value !== undefined) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (!preview || subtype === 'error') return description ?? type;
  const isList = preview.subtype === 'array';
  const parts = preview.properties.map(({ name, value: text = '', type: kind }) => {
    const written = kind === 'string' ? JSON.stringify(text) : text || kind;
    return isList ? written : `${name}: ${written}`;
  });
  if (preview.overflow) parts.push('…');
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}
