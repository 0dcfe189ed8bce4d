import assert from 'node:assert/strict';
import * as z from 'zod';
import { parseLeniently } from '../../../src/client/parse-leniently.ts';

const many = 100_000;

describe('parsing of responses', () => {
  let read: number;
  const item = z.looseObject({
    id: z.string(),
    size: z
      .number()
      .refine(() => ++read)
      .optional(),
    tags: z.array(z.string()).nullish(),
  });
  const schema = z.looseObject({
    items: z.array(item),
    more: z.looseObject({ numbers: z.array(z.number().refine(() => ++read)).optional() }).optional(),
  });
  beforeEach(() => {
    read = 0;
  });

  it('reads no more of a list than its first wrong item (EXT-26)', async () => {
    const items = Array.from({ length: many }, () => ({ size: 1 }));
    const parsed = await parseLeniently(schema, { items });
    assert.deepEqual(parsed, { problem: 'items.0.id: Invalid input: expected string, received undefined' });
    assert.ok(read <= 1, `${read} items were read`);
    const more = { numbers: [1, ...Array(many).fill('x')] };
    assert.deepEqual(await parseLeniently(schema, { items: [], more }), { data: { items: [], more: {} } });
    assert.ok(read <= 3, `${read} numbers were read`);
  });

  it('lets other work have turns while it reads a long list (EXT-26)', async () => {
    let turns = 0;
    let reads = true;
    const count = () => {
      if (!reads) return;
      turns++;
      setImmediate(count);
    };
    setImmediate(count);
    const items = Array.from({ length: many }, (_, index) => ({ id: String(index), size: index }));
    const parsed = await parseLeniently(schema, { items });
    reads = false;
    assert.deepEqual(parsed, { data: { items } });
    assert.ok(turns >= 100, `${turns} turns`);
  });

  it('reads long lists as short ones', async () => {
    const lists = (length: number) => ({
      items: [
        { id: 'a', size: '5', tags: Array(length).fill('t'), other: [1] },
        { id: 'b', tags: [...Array(length).fill('t'), 5] },
        { id: 'c', tags: null },
      ],
    });
    for (const length of [3, 3_000]) {
      const items = [{ id: 'a', tags: Array(length).fill('t'), other: [1] }, { id: 'b' }, { id: 'c', tags: null }];
      assert.deepEqual(await parseLeniently(schema, lists(length)), { data: { items } });
      const missing = { items: [...Array(length).fill({ id: 'a' }), { size: 1 }] };
      const problem = `items.${length}.id: Invalid input: expected string, received undefined`;
      assert.deepEqual(await parseLeniently(schema, missing), { problem });
      const wrong = await parseLeniently(schema, { items: Array(length).fill(5) });
      assert.deepEqual(wrong, { problem: 'items: Invalid input: expected array, received undefined' });
    }
  });
});
