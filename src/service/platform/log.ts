import pino from 'pino';
import { currentRequestId } from './request-scope.ts';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** Creates a log that writes JSON lines to standard error, those of a request with its ID. Log ids and reasons only: never keys, URLs with secrets, code or output. */
export function createLog(level: string = process.env.WEBDATA_LOG_LEVEL ?? 'info'): Log {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxUnwrittenBytes });
  // Standard error may be a file on a full disk. What can't be written now is written with the next line.
  destination.on('error', () => undefined);
  const mixin = () => {
    const requestId = currentRequestId();
    return requestId === undefined ? {} : { requestId };
  };
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, mixin }, destination);
}

/** Lines beyond this are dropped while the log can't be written. */
const maxUnwrittenBytes = 1024 * 1024;

/** A log that discards everything. */
export const silentLog: Log = pino({ level: 'silent' });
