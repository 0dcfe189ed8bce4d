/** The connections of a pool, and the queries that wait for one. */
export interface PoolUse {
  used: number;
  idle: number;
  waiting: number;
}

const uses = new WeakMap<object, () => PoolUse>();

/** Registers the function that returns the use of a database's pool. */
export function notePool(database: object, use: () => PoolUse): void {
  uses.set(database, use);
}

/** Returns the use of a database's pool; undefined on SQLite. */
export function poolUseOf(database: object): PoolUse | undefined {
  return uses.get(database)?.();
}
