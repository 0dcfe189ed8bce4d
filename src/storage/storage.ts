export { isDamaged, isDuplicate, isLocked } from './errors.ts';
export { NewerSchema, openSqlite, openSqliteInThreads, type SqliteOptions } from './sqlite.ts';
export { afterCommit, isPostgres, transaction } from './transactions.ts';
