import type { consoleLevels } from '../../../contract/sessions/traffic.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import { keptText } from '../chrome/messages.ts';
import type { Protocol } from '../chrome/protocol.ts';
import { type Kept, keepEntries } from './kept.ts';

type ConsoleLevel = (typeof consoleLevels)[number];

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
    if (type === 'clear' || type === 'endGroup' || !admits(sessionId, timestamp)) return;
    entries.add({
      level: levels[type] ?? 'log',
      source: 'console',
      at: timestamp,
      text: keptText(args.map(shown).join(' '), maxText),
      ...placeOf(stackTrace),
    });
  });
  client.on('Runtime.exceptionThrown', ({ timestamp, exceptionDetails }, sessionId = '') => {
    if (!admits(sessionId, timestamp)) return;
    const { text, exception, url, lineNumber, columnNumber, stackTrace } = exceptionDetails;
    const thrown = exception && (exception.description ?? shown(exception));
    entries.add({
      level: 'error',
      source: 'exception',
      at: timestamp,
      text: keptText(`${text}${thrown ? ` ${thrown}` : ''}`, maxText),
      ...(url ? { url: keptText(url, maxUrl), line: lineNumber + 1, column: columnNumber + 1 } : placeOf(stackTrace)),
    });
  });
  client.on('Log.entryAdded', ({ entry: { level, text, timestamp: at, url, lineNumber } }) => {
    entries.add({
      level: levels[level] ?? 'log',
      source: 'browser',
      at,
      text: keptText(text, maxText),
      ...(url && { url: keptText(url, maxUrl), ...(lineNumber !== undefined && { line: lineNumber + 1 }) }),
    });
  });
  client.on('Target.detachedFromTarget', ({ sessionId }) => void pace.delete(sessionId));
  return {
    entries,
    /** Commands that make a target report. */
    follow: (sessionId: string): Promise<unknown> =>
      Promise.all([client.send('Runtime.enable', {}, sessionId), client.send('Log.enable', {}, sessionId)]),
  };
}

function placeOf(stackTrace: Protocol.Runtime.StackTrace | undefined): Pick<ConsoleEntry, 'url' | 'line' | 'column'> {
  const [top] = stackTrace?.callFrames ?? [];
  return top?.url ? { url: keptText(top.url, maxUrl), line: top.lineNumber + 1, column: top.columnNumber + 1 } : {};
}

/** Shows a logged value as developer tools do, in one line. */
function shown(logged: Protocol.Runtime.RemoteObject): string {
  const { type, subtype, value, unserializableValue, description, preview } = logged;
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
