import assert from 'node:assert/strict';
import { checkedJson, whyUnusable } from '../../../src/service/platform/language-model/json-answer.ts';
import { schemaProblem, unusableSchema } from '../../../src/service/platform/language-model/json-schema.ts';
import { openAiCompatible } from '../../../src/service/platform/language-model/openai-compatible.ts';
import { startScriptedModel } from '../../harness/scripted-model.ts';

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

  it('is checked in a thread, which reads a copy of the value (TRN-08)', async () => {
    let reads = 0;
    const value = {
      get a() {
        reads++;
        return true;
      },
    };
    const alternatives = Array.from({ length: 20 }, () => ({ type: 'object', properties: { a: { type: 'string' } } }));
    assert.match((await checkedJson(value, { anyOf: alternatives })).warning ?? '', /the value: /);
    // Once to be copied, and once to leave out what is null in it.
    assert.equal(reads, 2);
  });

  it('is checked as before in the thread (TRN-08)', async () => {
    assert.match(
      (await checkedJson({ a: 1 }, { type: 'object', properties: { a: { type: 'string' } } })).warning ?? '',
      /a: /,
    );
    const pruned = await checkedJson({ a: null, b: 1 }, { type: 'object', properties: { a: { type: 'string' } } });
    assert.deepEqual(pruned, { value: { b: 1 } });
    assert.equal(await whyUnusable({ type: 'object' }), undefined);
    assert.match((await whyUnusable({ $ref: 'https://elsewhere.test/schema' })) ?? '', /./);
    let nested: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) nested = { not: nested };
    assert.match((await whyUnusable(nested)) ?? '', /./);
  });
});

describe('an answer of a language model (TRN-18)', () => {
  const completion = async (message: object, rest: object = {}) => {
    const model = await startScriptedModel();
    model.script([{ raw: JSON.stringify({ choices: [{ message }, { message: {} }], ...rest }) }]);
    const { signal } = new AbortController();
    return await openAiCompatible({ baseUrl: model.baseUrl, model: 'scripted' })
      .complete({ messages: [{ role: 'user', content: 'x' }], signal })
      .finally(() => model.close());
  };
  const calls = (count: number, text: string) =>
    Array.from({ length: count }, () => ({ id: 'a', function: { name: 'read', arguments: text } }));

  it('is as long as models write, whatever else the response says', async () => {
    const content = 'ä"\n'.repeat(150_000);
    const reasoning = 'x'.repeat(3_000_000);
    assert.equal((await completion({ content, reasoning_content: reasoning })).text, content);
    const { toolCalls, text } = await completion({ content: null, tool_calls: calls(100, '{"a":1}') });
    assert.equal(text, '');
    assert.equal(toolCalls.length, 100);
    assert.deepEqual(toolCalls[0], { id: 'a', name: 'read', arguments: '{"a":1}' });
  });

  it('is refused if it would take long to be read', async () => {
    const tooLong = /returned an answer of more than 524288 characters\.$/;
    await assert.rejects(completion({ content: '{},'.repeat(200_000) }), tooLong);
    await assert.rejects(completion({ tool_calls: calls(100, ' '.repeat(6_000)) }), tooLong);
    const notOne = /returned a response that isn't a chat completion\.$/;
    await assert.rejects(completion({ tool_calls: calls(1_001, '') }), notOne);
    let nested: unknown[] = [];
    for (let level = 0; level < 2_000; level++) nested = [nested, 'x'.repeat(64)];
    await assert.rejects(completion({ content: '' }, { more: [nested] }), notOne);
  });
});
