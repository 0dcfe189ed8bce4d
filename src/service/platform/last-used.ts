/**
 * Puts a value into a map that keeps what was used last. Returns the value that it no longer keeps, if there is one.
 * @param most entries that it keeps
 */
export function keepLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): Value | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map;
  if (map.size <= most || !oldest) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}
