import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { describeIssues } from '../contract/errors.ts';
import { isObject } from '../contract/lenient-texts.ts';
import { safeLine } from './safe-text.ts';

type Issue = z.core.$ZodIssue;
type Parsed = { data: unknown } | { issues: Issue[] };

/** Lists of more items than this are read item by item. */
const longList = 100;
/** Items that are read before other work gets a turn. */
const itemsPerTurn = 200;

/**
 * Parses, dropping optional fields of the wrong type until the rest is valid. Long lists are read in turns, and only up to
 * the first item that isn't valid: each would be a problem of its own.
 */
export async function parseLeniently(
  schema: z.ZodType,
  value: Record<string, unknown>,
): Promise<{ data: unknown } | { problem: string }> {
  const parsed = await parseInTurns(schema, value, { items: 0 });
  return 'data' in parsed ? parsed : { problem: safeLine(describeIssues(parsed.issues), 300) };
}

/** A list that is read by itself: where it is, and what its items have to be. */
interface TakenList {
  holder: Record<string, unknown>;
  path: string[];
  items: unknown[];
  element: z.ZodType;
}

async function parseInTurns(schema: z.ZodType, value: unknown, turn: { items: number }): Promise<Parsed> {
  const read: { path: string[]; items: unknown[] }[] = [];
  for (const { holder, path, items, element } of listsIn(schema, value)) {
    const hasLists = fieldsWithLists(element).length > 0;
    const data: unknown[] = [];
    let issues: Issue[] = [];
    for (const [index, item] of items.entries()) {
      if (++turn.items % itemsPerTurn === 0) await nextTurn();
      const parsed = hasLists ? await parseInTurns(element, item, turn) : parseWhole(element, item);
      if ('data' in parsed) data.push(parsed.data);
      else {
        issues = parsed.issues.map((issue) => ({ ...issue, path: [...path, index, ...issue.path] }));
        break;
      }
    }
    const field = path.at(-1) as string;
    if (issues.length === 0) {
      holder[field] = [];
      read.push({ path, items: data });
    } else if (issues.every((issue) => drop(value, issue.path)) && !Object.hasOwn(holder, field)) continue;
    else return { issues };
  }
  const parsed = parseWhole(schema, value);
  if ('data' in parsed) for (const { path, items } of read) putBack(parsed.data, path, items);
  return parsed;
}

function parseWhole(schema: z.ZodType, value: unknown): Parsed {
  for (let round = 0; ; round++) {
    const result = schema.safeParse(value);
    if (result.success) return { data: result.data };
    const { issues } = result.error;
    const droppedAll = round < 3 && issues.every((issue) => drop(value, issue.path));
    if (!droppedAll) return { issues };
  }
}

/** Returns the lists of a value, within its objects, that are long or may have such lists in their items. */
function listsIn(schema: z.ZodType, value: unknown, path: string[] = []): TakenList[] {
  if (!isObject(value)) return [];
  return fieldsWithLists(schema).flatMap(([field, inner]): TakenList[] => {
    const held = value[field];
    if (!(inner instanceof z.ZodArray)) return listsIn(inner, held, [...path, field]);
    const element = inner.element as z.ZodType;
    if (!Array.isArray(held) || (held.length <= longList && fieldsWithLists(element).length === 0)) return [];
    return [{ holder: value, path: [...path, field], items: held, element }];
  });
}

const known = new WeakMap<z.ZodType, [field: string, inner: z.ZodType][]>();

/** Returns the fields of an object that are lists, or objects with lists. What is checked as a whole has none. */
function fieldsWithLists(schema: z.ZodType): [field: string, inner: z.ZodType][] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject) || inner.def.checks?.length) return [];
  const found = known.get(inner);
  if (found) return found;
  const fields: [string, z.ZodType][] = [];
  // Known before its fields are looked at: a schema may contain itself.
  known.set(inner, fields);
  for (const [field, type] of Object.entries(inner.shape as Record<string, z.ZodType>)) {
    const plain = unwrapped(type);
    const isList = plain instanceof z.ZodArray && !plain.def.checks?.length;
    if (isList || fieldsWithLists(plain).length > 0) fields.push([field, plain]);
  }
  return fields;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap() as z.ZodType);
  return schema;
}

function putBack(data: unknown, path: readonly string[], items: unknown[]): void {
  let holder = data;
  for (const step of path.slice(0, -1)) holder = isObject(holder) ? holder[step] : undefined;
  if (isObject(holder)) holder[path.at(-1) as string] = items;
}

/** Removes the field at `path`, or the nearest field around a list item; false when there is none. */
function drop(value: unknown, path: readonly PropertyKey[]): boolean {
  let length = path.length;
  while (length > 0 && typeof path[length - 1] !== 'string') length--;
  const field = path[length - 1];
  if (typeof field !== 'string' || (length === 1 && field === 'success')) return false;
  let parent: unknown = value;
  for (const step of path.slice(0, length - 1)) {
    if (typeof parent !== 'object' || parent === null) return true;
    parent = (parent as Record<PropertyKey, unknown>)[step];
  }
  // Already removed with a field around it.
  if (!isObject(parent)) return true;
  if (!Object.hasOwn(parent, field)) return length !== path.length;
  delete parent[field];
  return true;
}
