import { fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import pino from 'pino';
import { shorten, withoutHidden } from '../../contract/shorten.ts';
import { currentRequestId } from './request-scope.ts';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** Creates a log that writes JSON lines to standard error, those of a request with its ID. Log ids and reasons only: never keys, URLs with secrets, code or output. */
export function createLog(
  level: string = process.env.WEBDATA_LOG_LEVEL ?? 'info',
  destination: pino.DestinationStream = standardError(),
): Log {
  const mixin = () => {
    const requestId = currentRequestId();
    return requestId === undefined ? {} : { requestId };
  };
  const options = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, mixin };
  // A terminal obeys some characters that JSON has as they are.
  const plain = { write: (line: string) => void destination.write(withoutHidden(line)) };
  return pino({ ...options, formatters: { log: briefly }, hooks: { logMethod } }, plain);
}

function standardError(): pino.DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxUnwrittenBytes });
  // Standard error may be a file on a full disk. What can't be written now is written with the next line.
  destination.on('error', () => undefined);
  return destination;
}

/** What is logged may quote a caller, a site or another program. */
function briefly(fields: Record<string, unknown>): Record<string, unknown> {
  const short = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' && name !== 'stack' ? shorten(value, longestField) : value,
  ]);
  return Object.fromEntries(short);
}

const logMethod: NonNullable<pino.LoggerOptions['hooks']>['logMethod'] = function (args, method) {
  method.apply(
    this,
    args.map((each) => (typeof each === 'string' ? shorten(each, longestField) : each)) as typeof args,
  );
};

const longestField = 500;

/** Lines beyond this are dropped while the log can't be written. */
const maxUnwrittenBytes = 1024 * 1024;

/** Most bytes of a log in a file, and how many of the last ones are kept once it has more. */
const fileLimits = { most: 20 * 1024 * 1024, kept: 1024 * 1024 };

/** Drops the oldest lines if standard error is a file that is too large. Where it can't be read, whoever opened it sees to its size. */
export function limitLogFile(file = 2, { most, kept } = fileLimits): void {
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size <= most) return;
    const last = Buffer.alloc(kept);
    const length = readSync(file, last, 0, kept, stats.size - kept);
    ftruncateSync(file);
    writeSync(file, last.subarray(last.indexOf('\n') + 1, length));
  } catch {
    // It is written to as before.
  }
}

/** A log that discards everything. */
export const silentLog: Log = pino({ level: 'silent' });
