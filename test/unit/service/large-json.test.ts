import assert from 'node:assert/strict';
import { isLarge, joined, jsonChunks, slices } from '../../../src/service/platform/large-json.ts';
import { readLargeJson } from '../../../src/service/platform/read-large-json.ts';
import { digestOf } from '../../../src/service/web/scrape/changes/page-versions.ts';

const jsonOf = async (value: unknown) => Buffer.concat(await jsonChunks(value)).toString();

describe('long values', () => {
  const values: Record<string, unknown> = {
    'a text that JSON escapes': '"\\\n\u0001'.repeat(50_000),
    'characters of two units': `a${'\u{1f600}'.repeat(200_000)}`,
    'a text with halves of characters': '\ud83d'.repeat(70_000),
    'a list of short texts': Array.from({ length: 50_000 }, (_, index) => `https://site.test/${index}`),
    'objects with fields that are not set': {
      a: undefined,
      b: [{ c: 'x'.repeat(100_000), d: undefined, e: null }],
      f: 1,
    },
    'an object of which nothing is set': { a: undefined, b: { c: undefined }, d: ['x'.repeat(70_000), undefined] },
    'a short object': { a: [1, 'two', null, true], b: {} },
  };

  for (const [name, value] of Object.entries(values)) {
    it(`such as ${name} are written as JSON.stringify writes them`, async () => {
      assert.equal(await jsonOf(value), JSON.stringify(value));
    });
  }

  it('are large if they take long to write', () => {
    assert.equal(isLarge({ a: 'x'.repeat(1000), b: [1, 2, 3] }), false);
    assert.equal(isLarge({ a: [{ b: 'x'.repeat(70_000) }] }), true);
    assert.equal(isLarge(Array.from({ length: 70_000 }, () => 1)), true);
  });

  it('are cut between characters', () => {
    const text = `a${'\u{1f600}'.repeat(100_000)}`;
    const parts = [...slices(text)];
    assert.ok(parts.length > 2);
    assert.equal(parts.join(''), text);
    assert.ok(parts.every((part) => part.isWellFormed()));
  });

  it('have the same digest whatever white space is between their words', async () => {
    const words = Array.from({ length: 100_000 }, (_, index) => `word${index}`);
    const spaced = (gap: (index: number) => string) => words.map((word, index) => word + gap(index)).join('');
    const [one, ...others] = await Promise.all([
      digestOf(spaced(() => ' ')),
      digestOf(spaced(() => '\n\n')),
      digestOf(` ${spaced((index) => ' '.repeat(1 + (index % 7)))}`),
      digestOf(spaced((index) => (index === 50_000 ? '\n'.repeat(200_000) : ' '))),
    ]);
    for (const other of others) assert.equal(other, one);
    assert.notEqual(await digestOf(spaced((index) => (index === 1 ? '' : ' '))), one);
  });

  it('joins its chunks in order, with nothing between them', async () => {
    const chunks = ['one', '', 'zwei ü', 'three'].map((text) => Buffer.from(text));
    assert.equal(String(await joined(chunks)), 'onezwei üthree');
    assert.equal((await joined([])).byteLength, 0);
  });
});

describe('large JSON', () => {
  const long = 'x'.repeat(100_000);
  const wide = `é${'\u{1f600}"\\\n\u0001'.repeat(30_000)}`;
  const values: Record<string, unknown> = {
    'a short value': { a: [1, null, true], b: '' },
    'a number': 12.5,
    'a long text': wide,
    'halves of characters': '\ud83d'.repeat(70_000),
    'many numbers': Array.from({ length: 100_000 }, (_, index) => index / 2),
    'many fields': Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field ${index}`, { index }])),
    'long texts in lists in objects': { a: [long, [[long], 1, []], {}], b: { c: [{ d: wide }], e: 2 }, f: long },
    'names of other things': JSON.parse(`{"__proto__":{"x":"${long}"},"constructor":1,"${long}":"${long}"}`),
  };
  for (const [name, value] of Object.entries(values)) {
    it(`of ${name} is read as JSON.parse reads it`, async () => {
      for (const space of [undefined, 1]) {
        const json = Buffer.from(JSON.stringify(value, null, space));
        for (const pieces of [[json], [json.subarray(0, 1), json.subarray(1, 70_001), json.subarray(70_001)]])
          assert.deepEqual(await readLargeJson(pieces), value);
      }
    });
  }

  it('is refused if it is not valid', async () => {
    const text = JSON.stringify(long);
    const invalid = ['', '[1', `"${long}`, `[${text},]`, `[${text}}`, `{"a":${text}`, `{"a" ${text}}`, `[${text}]]`];
    for (const json of [...invalid, `[${text} 1]`, `[,${text}]`, `{${text}}`, `{1:${text}}`, '['.repeat(200_000)])
      await assert.rejects(readLargeJson([Buffer.from(json)]), SyntaxError, json.slice(0, 10));
  });
});
