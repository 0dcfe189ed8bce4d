import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import * as z from 'zod';
import { repository } from './folders.ts';
import { readTestOptions } from './test-options.ts';

/** Cases of all fuzz tests together if the command line does not say. */
const defaultCases = 3000;
/** Cases of all fuzz tests together with each seed that has found something. */
const casesOfOldSeed = 300;

/** Seeds that have found something, and the first case to try: one shortly before the one that found it. */
const oldSeeds: { seed: number; from: number; found: string }[] = JSON.parse(
  readFileSync(join(repository, 'test', 'fuzz', 'seeds.json'), 'utf8'),
);
const options = readTestOptions();
const { cases: totalCases = defaultCases, seed: chosenSeed = 1 } = options;
const isChosen = options.cases !== undefined || options.seed !== undefined;
/** Without options, every run tries the same. */
const rounds = [
  { seed: chosenSeed, from: 0, cases: totalCases },
  ...(isChosen ? [] : oldSeeds.map(({ seed, from }) => ({ seed, from, cases: casesOfOldSeed }))),
];
console.log(
  isChosen
    ? `  ${totalCases} cases with seed ${chosenSeed}. To repeat: npm run fuzz -- --cases ${totalCases} --seed ${chosenSeed}`
    : `  ${totalCases} cases with seed 1, and ${casesOfOldSeed} with each of ${oldSeeds.length} that have found something`,
);

/** Checks a property with a share, in percent, of all cases of each seed. A failure names the seed and the smallest case. */
export async function fuzz<Case>(
  percent: number,
  cases: fc.Arbitrary<Case>,
  check: (value: Case) => Promise<void> | void,
): Promise<void> {
  for (const { seed, from, cases: all } of rounds) {
    const numRuns = Math.max(1, Math.round((all * percent) / 100));
    // Shrinking must not take longer than the search.
    await fc.assert(
      fc.asyncProperty(cases, async (value) => await check(value)),
      { numRuns, seed, path: String(from), interruptAfterTimeLimit: 3_600_000, includeErrorInReport: true },
    );
  }
}

/** Texts that programs stumble over. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e\u{e0041}',
    '../../etc/passwd',
    '%00',
    '$(id)',
    '__proto__',
    'constructor',
    'toString',
    "'; DROP TABLE crawl_job; --",
    '<script>alert(1)</script>',
    '{"$ref":"#"}',
    'NaN',
    '1e400',
    '(a+)+$',
    '[',
    '\\',
    'é'.normalize('NFD'),
  ),
  fc.constantFrom(300, 5_000, 70_000).map((length) => 'x'.repeat(length)),
);

/** JSON values of every kind, most of them small. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, [], {}, [[]], [null]),
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(hostileText, fc.constantFrom(null, 1, 'x'), { maxKeys: 3 }),
  fc.constantFrom(50, 700).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
);

type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};

/** Values for the fields of these names, instead of what their schemas allow. */
export type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Values of a schema: half of them valid on their own, the others with hostile values in some places. */
export function nearly(schema: z.ZodType, fields: Fields = {}): fc.Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fc.oneof(valuesOf(json, { fields, hostile: false }), valuesOf(json, { fields, hostile: true }));
}

interface Choices {
  fields: Fields;
  hostile: boolean;
}

function valuesOf(schema: Schema, choices: Choices): fc.Arbitrary<unknown> {
  const expected = expectedOf(schema, choices);
  return choices.hostile
    ? fc.oneof({ weight: 12, arbitrary: expected }, { weight: 1, arbitrary: hostileJson })
    : expected;
}

function expectedOf(schema: Schema, choices: Choices): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((each) => valuesOf(each, choices)));
  if (schema.allOf?.[0]) return valuesOf(schema.allOf[0], choices);
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, choices);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, choices), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 1000 } = schema;
      const [min, max] = [Math.max(minimum, -1e9), Math.min(maximum, 1e9)];
      const inside = fc.oneof(fc.integer({ min: Math.ceil(min), max: Math.floor(max) }), fc.constantFrom(min, max));
      return choices.hostile ? fc.oneof(inside, fc.constantFrom(minimum - 1, maximum + 1)) : inside;
    }
    case 'boolean':
      return fc.boolean();
    case 'string': {
      const { minLength = 0, maxLength = 40 } = schema;
      const inside = fc.string({ minLength: Math.min(minLength, 50), maxLength: Math.min(maxLength, 60) });
      return choices.hostile ? fc.oneof(inside, hostileText) : inside;
    }
    case 'null':
      return fc.constant(null);
    default:
      return choices.hostile ? hostileJson : fc.constantFrom(null, 1, 'x');
  }
}

/** Objects with all required fields and a few others. */
function objectsOf({ properties = {}, required = [] }: Schema, choices: Choices): fc.Arbitrary<object> {
  const parts = new Map<string, fc.Arbitrary<unknown>>();
  for (const [name, part] of Object.entries(properties))
    parts.set(name, choices.fields[name] ?? valuesOf(part, choices));
  const optional = [...parts.keys()].filter((name) => !required.includes(name));
  const known = fc
    .subarray(optional, { maxLength: Math.min(optional.length, 4) })
    .chain((names) =>
      fc.record(Object.fromEntries([...required, ...names].map((name) => [name, parts.get(name) ?? hostileJson]))),
    );
  if (!choices.hostile) return known;
  const extra = fc.dictionary(hostileText, hostileJson, { maxKeys: 2 });
  const withExtra = fc.tuple(known, extra).map(([one, other]) => ({ ...one, ...other }));
  return fc.oneof({ weight: 10, arbitrary: known }, { weight: 1, arbitrary: withExtra });
}

/** Bytes of a text with parts replaced, removed, repeated and inserted. */
export function mutated(source: Uint8Array): fc.Arbitrary<Buffer<ArrayBuffer>> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat({ max: 40 }),
    bytes: fc.uint8Array({ maxLength: 12 }),
    repeat: fc.constantFrom(1, 1, 1, 200),
  });
  return fc.array(change, { minLength: 0, maxLength: 6 }).map((changes) => {
    let result = Buffer.from(source);
    for (const { at, length, bytes, repeat } of changes) {
      const start = Math.floor(at * result.length);
      const inserted = Array.from({ length: repeat }, () => bytes);
      result = Buffer.concat([result.subarray(0, start), ...inserted, result.subarray(start + length)]);
    }
    return result;
  });
}
