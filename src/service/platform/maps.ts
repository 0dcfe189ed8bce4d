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

/** Returns the value of a key; if there is none, the one that `make` returns, which the map then has. */
export function getOrAdd<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
