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
export { NewerSchema, openSqliteFile, type SqliteMigration } from './open-file.ts';
export { openSqlite, openSqliteInThreads } from './sqlite.ts';
export { threadEnvironment } from './thread-connection.ts';
export { afterCommit, isPostgres, transaction } from './transactions.ts';
