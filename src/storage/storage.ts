export type { DatabaseSync as SqliteFile, SQLInputValue as SqliteValue } from 'node:sqlite';
export {
  DatabaseBusy,
  DatabaseUnreachable,
  isDamaged,
  isDuplicate,
  isLocked,
  isOutcomeUnknown,
  type StorageProblem,
  storageProblem,
} from './errors.ts';
export { NewerSchema, openSqlite, openSqliteFile, openSqliteInThreads, type SqliteOptions } from './sqlite.ts';
export { threadEnvironment } from './thread-connection.ts';
export { afterCommit, isPostgres, transaction } from './transactions.ts';
