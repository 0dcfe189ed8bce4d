import assert from 'node:assert/strict';
import { csvOf } from '../../../../src/extension/ui/text/csv.ts';
import {
  arrange,
  cellText,
  csvRows,
  type Table,
  tableOf,
} from '../../../../src/webviews/run-results/value/table-model.ts';
import { maxNodes, readJson, valueModel } from '../../../../src/webviews/run-results/value/value-model.ts';

function table(value: object): Table {
  const found = tableOf(value);
  assert.ok(found);
  return found;
}

describe('a result', () => {
  const kind = (result: string) => {
    const model = valueModel(result);
    return model.kind === 'json' ? (model.table ? 'table' : model.isLarge ? 'large tree' : 'tree') : model.kind;
  };

  it('is a tree if it is an object or a mixed list, partly drawn above 200 values', () => {
    assert.equal(kind('{"a":1}'), 'tree');
    assert.equal(kind('[1,2,3]'), 'tree');
    assert.equal(kind('[{"a":1},2]'), 'tree');
    assert.equal(kind(JSON.stringify(Array(maxNodes - 1).fill(0))), 'tree');
    assert.equal(kind(JSON.stringify(Array(maxNodes).fill(0))), 'large tree');
    assert.equal(kind(`[${'{"a":'.repeat(300)}1${'}'.repeat(300)}]`), 'large tree');
    assert.equal(kind(`[${'1,'.repeat(300_000)}1]`), 'large tree');
  });

  it('is a table of all fields if it is a list of objects or of lists', () => {
    const objects = table([
      { a: 1, b: 'x' },
      { a: null, c: { d: [1] } },
    ]);
    assert.deepEqual(objects.columns, ['a', 'b', 'c']);
    assert.deepEqual(table([[1, 2], [3]]).columns, ['0', '1']);
    assert.equal(kind(JSON.stringify(Array(100_000).fill([1, 'a']))), 'table');
    assert.equal(cellText({ d: [1] }), '{"d":[1]}');
  });

  it("is an image if its kind can't contain scripts", () => {
    assert.equal(kind('data:image/png;base64,iVBORw0KGgo='), 'image');
    assert.equal(kind('data:image/svg+xml;base64,PHN2Zz4='), 'text');
    assert.equal(kind('data:image/png;base64,"><script>'), 'text');
  });

  it('has a preview if it is HTML', () => {
    assert.equal(kind('<!DOCTYPE html><html><body>x</body></html>'), 'html');
    assert.equal(kind('<div class="a">x</div>'), 'html');
    for (const text of ['a < b', '<3', '<Buffer 61 62>', '<div']) assert.equal(kind(text), 'text');
  });

  it('is text otherwise', () => {
    for (const result of ['42', 'true', '"x"', '{ a: 1 }', '[]', '{}', '[object Object]'])
      assert.equal(kind(result), 'text');
  });

  it('stays data if it has fields of another meaning', () => {
    const found = table(JSON.parse('[{"__proto__":1,"b":2},{"constructor":3}]') as object);
    assert.deepEqual(found.columns, ['__proto__', 'b', 'constructor']);
    assert.equal(csvOf(csvRows(found, [0])), '__proto__,b,constructor\r\n1,2,\r\n');
  });
});

describe('a truncated result', () => {
  const rows = JSON.stringify(Array.from({ length: 50 }, (_, n) => ({ n, text: `a "quoted" ]}, ${n}\\` })));

  it('keeps its complete rows, wherever the cut is', () => {
    for (let end = 40; end < rows.length; end++) {
      const read = readJson(rows.slice(0, end), true);
      const value = read?.value as { n: number; text: string }[];
      assert.equal(read?.cut, true, `cut at ${end}`);
      for (const [index, row] of value.entries()) assert.deepEqual([row.n, typeof row.text], [index, 'string']);
    }
  });

  it('keeps the complete members of an object', () => {
    assert.deepEqual(readJson('{"a":1,"rows":[{"b":2},{"b":', true)?.value, { a: 1, rows: [{ b: 2 }] });
    assert.deepEqual(readJson('{"a":1,"text":"never en', true)?.value, { a: 1 });
  });

  it('is text if none of it is complete, or if nothing was cut', () => {
    assert.equal(readJson('["never en', true), undefined);
    assert.equal(readJson('[1,2,', false), undefined);
  });
});

describe('a table', () => {
  const rows = table([
    { name: 'tea', price: 2 },
    { name: 'Milk 10', price: 10 },
    { name: 'milk 9' },
    { name: '=1+1', price: '-3' },
  ]);

  it('is filtered by text in any column', () => {
    assert.deepEqual(arrange(rows, ' MILK', undefined), [1, 2]);
    assert.deepEqual(arrange(rows, '10', undefined), [1]);
  });

  it('is sorted by number and by text, with missing values last', () => {
    assert.deepEqual(arrange(rows, '', { column: 1, descending: false }), [0, 1, 3, 2]);
    assert.deepEqual(arrange(rows, '', { column: 1, descending: true }), [3, 1, 0, 2]);
    assert.deepEqual(arrange(rows, 'm', { column: 0, descending: false }), [2, 1]);
  });

  it('is exported as CSV that a spreadsheet reads as data', () => {
    assert.equal(csvOf(csvRows(rows, [3, 1])), 'name,price\r\n"\'=1+1",-3\r\nMilk 10,10\r\n');
    assert.equal(csvOf(csvRows(table([{ a: 'x,"y"\nz' }, { a: 1 }]), [0])), 'a\r\n"x,""y""\nz"\r\n');
  });
});
