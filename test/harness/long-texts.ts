import * as z from 'zod';
import { limits } from '../../src/contract/limits.ts';

/** A text that nothing may repeat as a whole. */
export const longText = 'q'.repeat(70_000);

const manyKeys = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${'q'.repeat(1000)}${index}`, 'x']));

/** Nothing listens there. */
const closed = 'http://127.0.0.1:1/';

/** Returns the lines of texts that repeat more than 300 characters of `longText`, or have more than 1,000, by their place. */
export function tooLong(value: unknown, at = ''): string[] {
  if (typeof value === 'string') {
    return value
      .split('\n')
      .filter((line) => line.length > 1000 || /q{301}/.test(line))
      .map((line) => `${at}: ${line.length} characters: ${line.slice(0, 80)}`);
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [
    ...tooLong(name, `a key of ${at}`),
    ...tooLong(part, `${at}.${name.slice(0, 40)}`),
  ]);
}

interface Schema {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minItems?: number;
  minimum?: number;
  minLength?: number;
  maxLength?: number;
}

/** Values of a schema with `longText` in one place each: every text, key, unknown key and wrong type, and one of 1,000 unknown keys. */
export function longValues(schema: z.ZodType): Iterable<[place: string, value: unknown]> {
  return within(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema, '');
}

function* within(schema: Schema, name: string): Iterable<[place: string, value: unknown]> {
  // Alternatives of an object with fields say only which of them are required.
  const alternatives = schema.properties ? [] : alternativesOf(schema);
  for (const each of alternatives) yield* within(each, name);
  if (alternatives.length > 0) return;
  yield [name, longText];
  if (isUrl(schema, name)) {
    yield [name, `${closed}${longText}`];
    yield [name, `${closed}${'q'.repeat(limits.url - 100)}`];
  } else if (schema.type === 'string' && schema.enum === undefined) {
    yield [name, 'q'.repeat(Math.min(schema.maxLength ?? 10_000, 10_000))];
  } else if (schema.type === 'array') {
    for (const [place, item] of within(schema.items ?? {}, name)) yield [`${place}[]`, [item]];
  } else if (schema.type === 'object') {
    const others = shortest(schema, name) as object;
    for (const [field, part] of Object.entries(schema.properties ?? {}))
      for (const [place, value] of within(part, field)) yield [`${name}.${place}`, { ...others, [field]: value }];
    yield [`a key of ${name}`, { ...others, [longText]: 'x' }];
    yield [`1,000 keys of ${name}`, { ...others, ...manyKeys }];
    if (typeof schema.additionalProperties === 'object')
      for (const [place, value] of within(schema.additionalProperties, name)) yield [place, { x: value }];
  }
}

function alternativesOf({ anyOf, oneOf, allOf }: Schema): Schema[] {
  return anyOf ?? oneOf ?? allOf ?? [];
}

function isUrl({ type, format }: Schema, name: string): boolean {
  return type === 'string' && (format === 'uri' || /url/i.test(name));
}

/** A value that is as small as the schema allows. */
function shortest(schema: Schema, name: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = alternativesOf(schema);
  if (first && !schema.properties) return shortest(first, name);
  if (isUrl(schema, name)) return closed;
  if (schema.format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (schema.type === 'string') return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => shortest(schema.items ?? {}, name));
  if (schema.type !== 'object') return 'x';
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(
    [...required, ...(first?.required ?? [])].map((field) => [field, shortest(properties[field] ?? {}, field)]),
  );
}
