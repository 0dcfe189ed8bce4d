import * as z from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** What is wrong with a value by a JSON Schema, for a model to mend; undefined where nothing is, or the schema is none that can be checked. */
export function schemaProblem(schema: Schema, value: unknown): string | undefined {
  try {
    const checked = z.fromJSONSchema(withoutPatterns(schema) as Schema).safeParse(value);
    if (checked.success) return undefined;
    return checked.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `${path.join('.') || 'the value'}: ${message}`)
      .join('; ');
  } catch {
    return undefined;
  }
}

/** A value without properties that are null. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, withoutNulls(field)]),
  );
}

/** A regular expression may backtrack for longer than anyone waits: none of a caller's is run. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, part]) => !(name === 'pattern' && typeof part === 'string') && name !== 'patternProperties')
      .map(([name, part]) => [name, withoutPatterns(part)]),
  );
}
