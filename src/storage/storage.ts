export { isDamaged, isDuplicate, isLocked } from './errors.ts';
export { NewerSchema, openSqlite, type SqliteOptions } from './sqlite.ts';
export { afterCommit, isPostgres, transaction } from './transactions.ts';
