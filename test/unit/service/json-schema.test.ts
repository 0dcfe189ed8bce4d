import assert from 'node:assert/strict';
import { schemaProblem, unusableSchema } from '../../../src/service/platform/language-model/json-schema.ts';

/** A schema whose alternatives are alternatives themselves, level by level: each doubles the ways to read a value. */
function doubling(keyword: string, levels: number) {
  const next = (level: number) => ({ $ref: `#/$defs/level${level + 1}` });
  const definitions = Array.from({ length: levels }, (_, level) => {
    const both = [next(level), next(level)];
    return [
      `level${level}`,
      keyword === 'nested' ? { anyOf: both.map((a) => ({ properties: { a } })) } : { [keyword]: both },
    ];
  });
  return {
    $defs: Object.fromEntries([...definitions, [`level${levels}`, { type: 'string' }]]),
    $ref: '#/$defs/level0',
  };
}

describe('a JSON Schema of a caller', () => {
  it('is checked, and says what a value violates', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    assert.equal(schemaProblem(schema, { a: 'b' }), undefined);
    assert.match(schemaProblem(schema, { a: 1 }) ?? '', /^a: /);
    assert.equal(unusableSchema(schema), undefined);
  });

  it('is checked however long a busy machine takes for it', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const value = {
      get a() {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
        return 1;
      },
    };
    assert.match(schemaProblem(schema, value) ?? '', /^a: /);
  });

  it('counts as not supported if a check would take too long (TRN-08)', () => {
    const deep = Array.from({ length: 40 }).reduce((value) => ({ a: value }), 5 as unknown);
    for (const keyword of ['anyOf', 'allOf', 'oneOf', 'nested']) {
      const schema = doubling(keyword, 40);
      assert.equal(schemaProblem(schema, keyword === 'nested' ? deep : 5), undefined, keyword);
      unusableSchema(schema);
    }

    // What comes next is checked as before.
    assert.match(schemaProblem({ type: 'string' }, 5) ?? '', /the value: /);
  });
});
