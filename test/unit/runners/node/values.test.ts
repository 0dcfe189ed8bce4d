import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { limits } from '../../../../src/contract/limits.ts';
import { resultText } from '../../../../src/service/browsers/runners/node/values.ts';

describe('results of node snippets', () => {
  const shown = (value: unknown) => resultText(value)?.text;

  it('show a string as itself', () => {
    for (const text of ['', 'a', ' "quoted"\n', 'null', '😀\0']) assert.equal(shown(text), text);
  });

  it('are empty for undefined, and a word for null', () => {
    assert.equal(resultText(undefined), undefined);
    assert.equal(shown(null), 'null');
  });

  it('show plain data as JSON', () => {
    for (const value of [
      0,
      -1.5,
      1e300,
      true,
      false,
      [],
      {},
      [1, [null, 'a']],
      { a: { b: [true] } },
      Object.create(null),
    ]) {
      assert.equal(shown(value), JSON.stringify(value));
    }
  });

  it('use util.inspect for what JSON would lose', () => {
    class Point {
      x = 1;
    }
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const values = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -0,
      10n,
      Symbol('s'),
      () => 1,
      Point,
      new Point(),
      new Date(0),
      /a/g,
      new Map([[1, { a: 2 }]]),
      new Set([1]),
      { a: undefined },
      { f() {} },
      [undefined],
      // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
      [1, , 2],
      Object.assign([1], { extra: 1 }),
      { [Symbol('k')]: 1 },
      Object.defineProperty({}, 'hidden', { value: 1 }),
      circular,
      [circular],
      Buffer.from('ab'),
      new Uint8Array(3),
      new Error('e'),
      { toJSON: () => 5 },
      new Proxy({ a: 1 }, {}),
      Promise.resolve(1),
      new WeakMap(),
    ];
    for (const value of values) assert.equal(shown(value), inspect(value));
  });

  it('show rows with gaps and dates as JSON, so that they stay a table', () => {
    const rows = [{ name: 'tea', price: undefined, at: new Date(0) }, { name: 'milk' }];
    assert.equal(shown(rows), '[{"name":"tea","at":"1970-01-01T00:00:00.000Z"},{"name":"milk"}]');
    assert.equal(shown([{ at: new Date(Number.NaN) }]), '[ { at: Invalid Date } ]');
  });

  it('show nested values to any depth', () => {
    const json = `${'[{"a":'.repeat(250)}1${'}]'.repeat(250)}`;
    assert.equal(shown(JSON.parse(json)), json);
    const nested = { list: [[[[['deep']]]]], when: new Map([['a', { b: { c: { d: [1] } } }]]) };
    assert.match(shown(nested) ?? '', /'deep'.*d: \[ 1 \]/s);
    assert.doesNotMatch(
      shown({ f() {}, rows: Array(500).fill({ a: { b: { c: [1] } } }) }) ?? '',
      /\[Array\]|more items/,
    );
  });

  it('give the full size of truncated values', () => {
    const text = 'é'.repeat(limits.output);
    assert.equal(resultText(text)?.size, 2 * limits.output);
    assert.equal(resultText('short')?.size, undefined);
  });

  it('show a value of 10 million nodes', () => {
    const result = resultText(Array.from({ length: 2_500_000 }, (_, n) => ({ a: n, b: 'x', c: null })));
    assert.ok((result?.size ?? 0) > 60_000_000);
    const set = new Set(Array.from({ length: 500_000 }, (_, n) => n));
    assert.match(shown(set) ?? '', /^Set\(500000\) \{/);
  });

  it("show the same object in two places as JSON, because it isn't circular", () => {
    const shared = { a: 1 };
    assert.equal(shown([shared, shared]), '[{"a":1},{"a":1}]');
  });

  it('survive hostile values', () => {
    const getter = {
      get bad() {
        throw new Error('no');
      },
    };
    assert.equal(shown(getter), inspect(getter));
    const hostile = {
      [inspect.custom]() {
        throw new Error('no');
      },
    };
    assert.match(shown(hostile) ?? '', /nodejs\.util\.inspect\.custom/);
    const traps = new Proxy(
      {},
      {
        get: () => assert.fail('trap'),
        ownKeys: () => assert.fail('trap'),
        getPrototypeOf: () => assert.fail('trap'),
        has: () => assert.fail('trap'),
      },
    );
    assert.equal(shown(traps), '{}');
    assert.equal(shown(new Proxy(() => 1, {})), '[Function (anonymous)]');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    assert.equal(shown(proxy), '<Revoked Proxy>');
    const deep: unknown[] = [];
    let inner = deep;
    for (let depth = 0; depth < 100_000; depth++) {
      const next: unknown[] = [];
      inner.push(next);
      inner = next;
    }
    assert.equal(shown(deep), '[ [ [ [Array] ] ] ]');
  });

  it('read large bytes and lists with large gaps no further than they show them', () => {
    const bytes = Buffer.alloc(64 * 2 ** 20);
    const { toJSON } = Buffer.prototype;
    let calls = 0;
    Buffer.prototype.toJSON = function () {
      calls++;
      return toJSON.call(this.subarray(0, 0));
    };
    try {
      for (const value of [bytes, { bytes }, [{ bytes }]]) assert.equal(shown(value), inspect(value));
    } finally {
      Buffer.prototype.toJSON = toJSON;
    }
    assert.equal(calls, 0);
    const sparse = new Array(2 ** 32 - 1);
    for (const value of [sparse, { sparse }, [{ sparse }]]) assert.equal(shown(value), inspect(value));
  });

  it('call no toJSON of a snippet', () => {
    let calls = 0;
    const toJSON = () => ++calls;
    const inherited = Object.create({ toJSON }) as object;
    for (const value of [{ toJSON }, [{ toJSON }], { a: { toJSON } }, inherited, new Proxy({ toJSON }, {})])
      assert.equal(shown(value), inspect(value));
    assert.match(shown([Object.assign(new Date(0), { toJSON })]) ?? '', /toJSON: \[Function/);
    assert.equal(calls, 0);
  });

  it('show image bytes as a data: URL', () => {
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    assert.equal(shown(png), `data:image/png;base64,${png.toString('base64')}`);
    assert.equal(shown(new Uint8Array(png)), shown(png));
    assert.equal(shown(png.subarray(0, 7)), inspect(png.subarray(0, 7)));
    assert.match(shown(Buffer.from('ffd8ffe000', 'hex')) ?? '', /^data:image\/jpeg;base64,/);
    assert.match(shown(Buffer.from('GIF89a..')) ?? '', /^data:image\/gif;base64,/);
    assert.match(shown(Buffer.from('RIFF....WEBPVP8 ')) ?? '', /^data:image\/webp;base64,/);
    // A view into a larger buffer shows its own bytes alone.
    const large = Buffer.concat([Buffer.alloc(5), png]);
    assert.equal(shown(large.subarray(5)), shown(png));
  });

  it('truncate long text at a character boundary, and say so', () => {
    const result = resultText('é'.repeat(limits.output));
    assert.equal(result?.text, 'é'.repeat(limits.output / 2));
    assert.equal(result.size, 2 * limits.output);
    assert.deepEqual(resultText('a'.repeat(limits.output)), { text: 'a'.repeat(limits.output) });
  });

  it('truncate a large image so that its URL still decodes', () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(2 * limits.output)]);
    const result = resultText(png);
    assert.ok((result?.size ?? 0) > limits.output);
    assert.ok(result && result.text.length <= limits.output);
    const decoded = Buffer.from(result.text.split(',')[1] ?? '', 'base64');
    assert.ok(decoded.equals(png.subarray(0, decoded.length)));
  });
});
