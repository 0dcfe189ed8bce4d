/** Whether a version (`1.2.3`) is newer than another. What is not a version is never newer. */
export function isNewerVersion(version: string, than: string): boolean {
  const parts = numbersOf(version);
  const other = numbersOf(than);
  if (!parts || !other) return false;
  const index = parts.findIndex((part, at) => part !== other[at]);
  return index >= 0 && (parts[index] ?? 0) > (other[index] ?? 0);
}

function numbersOf(version: string): number[] | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version);
  return match?.slice(1).map(Number);
}
