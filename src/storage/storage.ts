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
export { NewerSchema, openSqlite, openSqliteInThreads, type SqliteOptions } from './sqlite.ts';
export { afterCommit, isPostgres, transaction } from './transactions.ts';
