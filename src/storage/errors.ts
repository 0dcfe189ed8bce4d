/** Whether an error is SQLITE_BUSY: another connection holds a lock. */
export function isLocked(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) === 5;
}

/** Whether an error is SQLITE_CORRUPT or SQLITE_NOTADB, with any extended code. */
export function isDamaged(error: unknown): boolean {
  const code = ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
  return code === 11 || code === 26;
}

/** Whether an error says that a row with the same unique value exists. */
export function isDuplicate(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return errcode === 2067 || errcode === 1555 || code === '23505';
}
