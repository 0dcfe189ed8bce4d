import pino from 'pino';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** A log of JSON lines on standard error. Whoever logs, logs ids and reasons: never keys, URLs with secrets, code or output. */
export function createLog(level: string = process.env.WEBDATA_LOG_LEVEL ?? 'info'): Log {
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** For tests and callers that want silence. */
export const silentLog: Log = pino({ level: 'silent' });
