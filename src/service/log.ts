import pino from 'pino';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** Creates a log that writes JSON lines to standard error. Log ids and reasons only: never keys, URLs with secrets, code or output. */
export function createLog(level: string = process.env.WEBDATA_LOG_LEVEL ?? 'info'): Log {
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** A log that discards everything. */
export const silentLog: Log = pino({ level: 'silent' });
