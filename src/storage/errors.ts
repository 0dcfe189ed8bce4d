/** Whether an error is SQLITE_BUSY: another connection holds a lock. */
export function isLocked(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) === 5;
}

/** Whether an error is SQLITE_CORRUPT or SQLITE_NOTADB, with any extended code. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}

/** Whether an error says that a row with the same unique value exists. */
export function isDuplicate(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return errcode === 2067 || errcode === 1555 || code === '23505';
}

/** The database server can't be reached, or the connection to it was lost. */
export class DatabaseUnreachable extends Error {
  /** Whether the transaction that was being committed may have been stored. */
  readonly outcomeUnknown: boolean;

  constructor(reason: string, { cause, outcomeUnknown = false }: { cause?: unknown; outcomeUnknown?: boolean } = {}) {
    super(reason, { cause });
    this.name = 'DatabaseUnreachable';
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** The database has no connection left for a query, and too many wait for one or for too long. */
export class DatabaseBusy extends Error {}

/** Why a database, or its disk, can't be used. */
export type StorageProblem = 'full' | 'unreachable' | 'busy' | 'read-only' | 'missing' | 'disk failure';

/** Returns why the database or its disk can't be used; undefined for other errors. */
export function storageProblem(error: unknown): StorageProblem | undefined {
  if (error instanceof DatabaseUnreachable) return 'unreachable';
  if (error instanceof DatabaseBusy) return 'busy';
  const { code } = (error ?? {}) as { code?: unknown };
  return sqliteProblems[sqliteCode(error)] ?? (typeof code === 'string' ? problemOfCode(code) : undefined);
}

/** Whether a transaction may have been stored although it failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof DatabaseUnreachable && error.outcomeUnknown;
}

function sqliteCode(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}

/** SQLITE_BUSY, READONLY, IOERR, FULL and CANTOPEN. */
const sqliteProblems: Record<number, StorageProblem> = {
  5: 'busy',
  8: 'read-only',
  10: 'disk failure',
  13: 'full',
  14: 'disk failure',
};

/** PostgreSQL's codes of conditions, the operating system's for files, and our own. */
const codes: Record<string, StorageProblem> = {
  '25006': 'read-only',
  '25P03': 'unreachable',
  '3D000': 'unreachable',
  '53100': 'full',
  '55P03': 'busy',
  '57014': 'busy',
  '58030': 'disk failure',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  FILE_MISSING: 'missing',
};
/** Connection exceptions, failed logins, too few resources, and a server that stops or starts. */
const classes: Record<string, StorageProblem> = {
  '08': 'unreachable',
  '28': 'unreachable',
  '53': 'busy',
  '57': 'unreachable',
};

function problemOfCode(code: string): StorageProblem | undefined {
  return codes[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? classes[code.slice(0, 2)] : undefined);
}
