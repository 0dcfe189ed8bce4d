import { isOutcomeUnknown, type StorageProblem, storageProblem } from '../../../storage/storage.ts';
import { ServiceError } from '../errors.ts';

/**
 * Returns what to answer a request that failed because the database or its disk can't be used: 503, or 507 when the
 * disk is full. Undefined for other errors.
 */
export function storageError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return undefined;
  if (isOutcomeUnknown(error)) {
    return new ServiceError(
      503,
      'The connection to the database was lost while the result of this request was being stored, so it may or may not have been stored. Check before you send the request again.',
      { code: 'DATABASE_UNREACHABLE', cause: error },
    );
  }
  const problem = storageProblem(error);
  if (problem === undefined) return undefined;
  const { status, code, message } = answers[problem];
  return new ServiceError(status, message, { code, cause: error });
}

const answers: Record<StorageProblem, { status: number; code: string; message: string }> = {
  full: {
    status: 507,
    code: 'DISK_FULL',
    message:
      'The disk of the service is full, so nothing more can be stored. Free some space, then send the request again.',
  },
  unreachable: {
    status: 503,
    code: 'DATABASE_UNREACHABLE',
    message:
      "The service can't reach its database, so the request failed. Check that PostgreSQL is running, and send the request again: the service reconnects by itself.",
  },
  busy: {
    status: 503,
    code: 'DATABASE_BUSY',
    message:
      'The database did not answer in time: it is busy, locked, or out of connections. Send the request again in a moment.',
  },
  'read-only': {
    status: 503,
    code: 'DATABASE_READ_ONLY',
    message:
      'The database is read-only, so nothing can be stored. Make the data directory or the PostgreSQL database writable, then send the request again.',
  },
  missing: {
    status: 503,
    code: 'DATABASE_MISSING',
    message:
      'The database file is no longer in the data directory. Put it back, or restart the service, which starts with what is in the data directory.',
  },
  'disk failure': {
    status: 503,
    code: 'DISK_FAILED',
    message:
      "The disk of the service can't be read or written. Check the disk of the data directory, then send the request again.",
  },
};
