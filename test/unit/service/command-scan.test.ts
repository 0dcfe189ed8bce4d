import assert from 'node:assert/strict';
import { scanCommand } from '../../../src/service/browsers/chrome/command-scan.ts';

/** Scans JSON in slices of so many bytes. */
function scan(json: string, sliceBytes: number) {
  const bytes = Buffer.from(json);
  const read = scanCommand(bytes);
  for (let to = 0; ; ) {
    to = Math.min(to + sliceBytes, bytes.length);
    const found = read(to);
    if (!found) continue;
    const fields = [...found.fields].map(([name, [start, end]]) => [name, bytes.toString('utf8', start, end)]);
    return { ...found, fields: Object.fromEntries(fields) };
  }
}

const slices = [1, 2, 3, 7, 1000];

describe('the scan of a large command', () => {
  it('finds the same fields as a parser, wherever it is interrupted', () => {
    for (const json of [
      '{"id":1,"method":"Runtime.evaluate","params":{"expression":"a \\"quoted\\" \\\\"},"sessionId":"S"}',
      ' { "params" : [ ] , "id" : -1.5e3 , "x" : { } , "method" : null } ',
      '{"params":{"id":2,"sessionId":"other","a":[{"method":"b"},[[true]],"}]"]},"id":1}',
      '{"id":1,"id":2,"\\u0069d":3}',
      '{"method":"\\ud83d\\ude00 é","params":"\u2028"}',
      '{}',
    ]) {
      const parsed = JSON.parse(json) as Record<string, unknown>;
      for (const slice of slices) {
        const { fields, problem } = scan(json, slice);
        assert.equal(problem, undefined, json);
        assert.deepEqual(Object.keys(fields), Object.keys(parsed), json);
        for (const [name, value] of Object.entries(fields)) assert.deepEqual(JSON.parse(String(value)), parsed[name]);
      }
    }
  });

  it('takes nothing that another parser could divide in another way', () => {
    for (const json of [
      '',
      '[]',
      '1',
      '{"a":1',
      '{"a":"b}',
      '{"a":1}}',
      '{"a":1},{"b":2}',
      '{"a":[}]}',
      '{"a":{]}',
      '{"a" 1}',
      '{"a":1,}',
      '{"a":[1,]}',
      '{,}',
      '{a:1}',
      "{'a':1}",
      '{"a":/* " */1}',
      '{"a":1// "\n}',
      '{"a":"\u0000{"}',
      '{"a":"\\\u0000"}',
      '{"a":"b\n"}',
      '{"a":\u00001}',
      '{"a":é}',
      '{"\\x":1}',
    ]) {
      for (const slice of slices) assert.equal(scan(json, slice).problem, 'malformed', JSON.stringify(json));
    }
  });

  it('counts values, and stops at parameters that Chrome would not answer', () => {
    assert.equal(scan('{"a":[1,{"b":[]},"c"],"d":null}', 5).values, 7);
    const nested = (levels: number) => `{"id":1,"params":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    assert.equal(scan(nested(250), 100).problem, undefined);
    const deep = scan(nested(251), 100);
    assert.equal(deep.problem, 'deep');
    assert.equal(deep.fields.id, '1');
  });
});
