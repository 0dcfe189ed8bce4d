import { isDeepStrictEqual } from 'node:util';

/** The two values of a field that changed; null where a version lacks it. */
interface ChangedField {
  previous: unknown;
  current: unknown;
}

/** Returns the top-level fields that differ between two objects; other values are compared as the field `value`. */
export function changedFields(previous: unknown, current: unknown): Record<string, ChangedField> {
  if (!isObject(previous) || !isObject(current)) {
    return isDeepStrictEqual(previous, current) ? {} : { value: { previous, current } };
  }
  const names = new Set([...Object.keys(previous), ...Object.keys(current)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(fieldOf(previous, name), fieldOf(current, name)));
  return Object.fromEntries(
    changed.map((name) => [name, { previous: fieldOf(previous, name), current: fieldOf(current, name) }]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldOf(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : null;
}
